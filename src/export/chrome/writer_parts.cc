// Writer: what stands around the rows - header, names - and the pieces that events are made of.
#include <algorithm>

#include "export/chrome/writer.h"

namespace warpscope::exporting::chrome {

using model::kNone;
using model::kNoString;

void Writer::Header() {
  sink_.Add("{\n  \"schemaVersion\": 1,\n");
  Devices();
  const model::Source empty;
  const bool one = trace_.sources.size() == 1;
  const model::Source& source = one ? trace_.sources[0] : empty;
  const auto text_member = [&](std::string_view key, std::string_view text) {
    std::string json;
    AppendJsonText(text, &json);
    sink_.Add("  \"");
    sink_.Add(key);
    sink_.Add("\": ");
    sink_.Add(json);
    sink_.Add(",\n");
  };
  // The parts of one recording may name their producer with more or fewer details: the one with most stands for all.
  std::string producer;
  for (const model::Source& other : trace_.sources) {
    if (other.producer.size() > producer.size()) producer = other.producer;
  }
  const bool one_producer = std::all_of(trace_.sources.begin(), trace_.sources.end(), [&](const model::Source& other) {
    return !other.producer.empty() && producer.starts_with(other.producer);
  });
  if (one_producer && !producer.empty()) text_member("warpscope_producer", producer);
  if (!trace_.sources.empty()) {
    sink_.Add("  \"warpscope_vendor\": ");
    sink_.Number(static_cast<unsigned>(trace_.sources[0].vendor));
    sink_.Add(",\n");
  }
  std::optional<int64_t> period_ns;
  for (const model::Source& other : trace_.sources) period_ns = std::max(period_ns, other.sample_period_ns);
  if (period_ns) {
    sink_.Add("  \"warpscope_sample_period_ns\": ");
    sink_.Number(*period_ns);
    sink_.Add(",\n");
  }
  // Of several sources one number stands for all only if all have the same.
  std::optional<int64_t> launch_cost_ns;
  if (!trace_.sources.empty()) launch_cost_ns = trace_.sources[0].launch_cost_ns;
  for (const model::Source& other : trace_.sources) {
    if (other.launch_cost_ns != launch_cost_ns) launch_cost_ns.reset();
  }
  if (launch_cost_ns) {
    sink_.Add("  \"warpscope_launch_cost_ns\": ");
    sink_.Number(*launch_cost_ns);
    sink_.Add(",\n");
  }
  if (!source.host_name.empty()) text_member("host_name", source.host_name);
  Flag("record_shapes", source.record_shapes);
  Flag("with_stack", source.with_stack);
  Flag("profile_memory", source.profile_memory);
  if (source.rank || source.world_size) {
    sink_.Add("  \"distributedInfo\": {");
    if (source.rank) {
      sink_.Add("\"rank\": ");
      sink_.Number(*source.rank);
    }
    if (source.world_size) {
      sink_.Add(source.rank ? ", \"world_size\": " : "\"world_size\": ");
      sink_.Number(*source.world_size);
    }
    sink_.Add("},\n");
  }
  sink_.Add("  \"displayTimeUnit\": \"ms\",\n");
  if (base_ns_ != 0) {
    sink_.Add("  \"baseTimeNanoseconds\": ");
    sink_.Number(base_ns_);
    sink_.Add(",\n");
  }
  sink_.Add("  \"traceEvents\": [");
}

void Writer::Flag(std::string_view key, const std::optional<bool>& value) {
  if (!value) return;
  sink_.Add("  \"");
  sink_.Add(key);
  sink_.Add(*value ? "\": 1,\n" : "\": 0,\n");
}

void Writer::Devices() {
  sink_.Add("  \"deviceProperties\": [");
  bool first = true;
  for (const model::Device& device : trace_.devices) {
    // Another part of the recording knew the same device by its number alone.
    const bool known_better = device.name.empty() && std::any_of(trace_.devices.begin(), trace_.devices.end(),
                                                                 [&](const model::Device& other) {
                                                                   return other.id == device.id && !other.name.empty();
                                                                 });
    if (known_better) continue;
    std::string name;
    AppendJsonText(device.name, &name);
    sink_.Add(first ? "\n    {\"id\": " : ",\n    {\"id\": ");
    first = false;
    sink_.Number(device.id);
    sink_.Add(", \"name\": ");
    sink_.Add(name);
    const auto member = [&](std::string_view key, const auto& value) {
      if (!value) return;
      sink_.Add(", \"");
      sink_.Add(key);
      sink_.Add("\": ");
      sink_.Number(*value);
    };
    member("totalGlobalMem", device.memory_bytes);
    member("computeMajor", device.cc_major);
    member("computeMinor", device.cc_minor);
    member("maxThreadsPerBlock", device.max_threads_per_block);
    member("maxThreadsPerMultiprocessor", device.max_threads_per_sm);
    member("regsPerBlock", device.registers_per_block);
    member("regsPerMultiprocessor", device.registers_per_sm);
    member("warpSize", device.warp_size);
    member("sharedMemPerBlock", device.shared_bytes_per_block);
    member("sharedMemPerBlockOptin", device.shared_bytes_per_block_optin);
    member("sharedMemPerMultiprocessor", device.shared_bytes_per_sm);
    member("numSms", device.sm_count);
    sink_.Add('}');
  }
  sink_.Add("],\n");
}

void Writer::Names() {
  for (uint32_t i = 0; i < trace_.processes.size(); ++i) {
    const model::Process& process = trace_.processes[i];
    if (process.name == kNoString) continue;
    Meta("process_name", numbers_.Pid(i), 0, "name", trace_.strings.Get(process.name), numbers_.RankOfProcess(i));
  }
  for (const model::Device& device : trace_.devices) {
    if (!device.used) continue;
    Meta("process_labels", device.id, 0, "labels", "GPU " + std::to_string(device.id), std::nullopt);
  }
  for (uint32_t i = 0; i < trace_.threads.size(); ++i) {
    const model::Thread& thread = trace_.threads[i];
    if (thread.name == kNoString || thread.process == kNone || thread.tid == -1) continue;
    Meta("thread_name", numbers_.Pid(thread.process), numbers_.Tid(i), "name", trace_.strings.Get(thread.name),
         numbers_.RankOfProcess(thread.process));
  }
  for (uint32_t i = 0; i < trace_.streams.size(); ++i) {
    const model::Stream& stream = trace_.streams[i];
    if (stream.name == kNoString) continue;
    Meta("thread_name", StreamPid(i), stream.id, "name", trace_.strings.Get(stream.name), numbers_.RankOfStream(i));
  }
}

void Writer::Meta(std::string_view what, int64_t pid, int64_t tid, std::string_view key, std::string_view text,
                  const std::optional<int64_t>& rank) {
  std::string json;
  AppendJsonText(text, &json);
  sink_.Add(first_event_ ? "\n{\"ph\": \"M\", \"name\": \"" : ",\n{\"ph\": \"M\", \"name\": \"");
  first_event_ = false;
  sink_.Add(what);
  sink_.Add("\", \"pid\": ");
  sink_.Number(pid);
  sink_.Add(", \"tid\": ");
  sink_.Number(tid);
  Args();
  Key(key);
  sink_.Add(json);
  RankArg(rank);
  End();
}

void Writer::Begin(std::string_view phase, std::string_view category, model::StringId name) {
  sink_.Add(first_event_ ? "\n{\"ph\": \"" : ",\n{\"ph\": \"");
  first_event_ = false;
  sink_.Add(phase);
  sink_.Add("\", \"cat\": \"");
  sink_.Add(category);
  sink_.Add("\", \"name\": ");
  Text(name);
}

void Writer::BeginSpan(std::string_view category, model::StringId name, int64_t pid, int64_t tid, int64_t start_ns,
                       int64_t dur_ns) {
  Begin("X", category, name);
  Place(pid, tid, start_ns);
  sink_.Add(", \"dur\": ");
  sink_.Microseconds(dur_ns);
  Args();
  ++event_count_;
}

void Writer::Place(int64_t pid, int64_t tid, int64_t time_ns) {
  sink_.Add(", \"pid\": ");
  sink_.Number(pid);
  sink_.Add(", \"tid\": ");
  sink_.Number(tid);
  sink_.Add(", \"ts\": ");
  sink_.Microseconds(time_ns - base_ns_);
}

void Writer::Args() {
  sink_.Add(", \"args\": {");
  first_arg_ = true;
}

void Writer::End() { sink_.Add("}}"); }

void Writer::Key(std::string_view key) {
  sink_.Add(first_arg_ ? "\"" : ", \"");
  first_arg_ = false;
  sink_.Add(key);
  sink_.Add("\": ");
}

void Writer::TextArg(std::string_view key, model::StringId text) {
  if (text == kNoString) return;
  Key(key);
  Text(text);
}

void Writer::Text(model::StringId id) {
  std::string& text = texts_[id];
  if (text.empty()) AppendJsonText(trace_.strings.Get(id), &text);
  sink_.Add(text);
}

void Writer::StreamArgs(uint32_t stream) {
  const model::Stream& row = trace_.streams[stream];
  if (row.device != kNone) Arg("device", DeviceId(row.device));
  if (row.context != -1) Arg("context", row.context);
  Arg("stream", row.id);
}

void Writer::RankArg(const std::optional<int64_t>& rank) {
  if (rank) Arg("rank", *rank);
}

}  // namespace warpscope::exporting::chrome
