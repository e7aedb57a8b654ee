#include "export/chrome/writer.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "model/copy_words.h"

namespace warpscope::exporting::chrome {

using model::HostKind;
using model::kNoId;
using model::kNone;
using model::kNoString;

namespace {

std::string_view CategoryOf(HostKind kind) {
  switch (kind) {
    case HostKind::kAnnotation: return "user_annotation";
    case HostKind::kPython: return "python_function";
    case HostKind::kNative: return "native_function";
    case HostKind::kOperator: return "cpu_op";
    case HostKind::kRuntimeCall: return "cuda_runtime";
    case HostKind::kDriverCall: return "cuda_driver";
    case HostKind::kOsCall: return "os_call";
    case HostKind::kOverhead: return "overhead";
  }
  return "user_annotation";
}

std::string_view CategoryOf(model::GpuKind kind) {
  switch (kind) {
    case model::GpuKind::kKernel: return "kernel";
    case model::GpuKind::kCopy: return "gpu_memcpy";
    case model::GpuKind::kMemset: return "gpu_memset";
    case model::GpuKind::kGraphLaunch: return "gpu_graph";
  }
  return "kernel";
}

std::string_view NameOf(model::SyncKind kind) {
  switch (kind) {
    case model::SyncKind::kStream: return "Stream Sync";
    case model::SyncKind::kEvent: return "Event Sync";
    case model::SyncKind::kContext: return "Context Sync";
    case model::SyncKind::kStreamWaitEvent: return "Stream Wait Event";
    case model::SyncKind::kUnknown: break;
  }
  return "Sync";
}

// What stands behind a backslash.
bool IsEscape(std::string_view text) {
  if (text.front() != 'u') return std::string_view("\"\\/bfnrt").find(text.front()) != std::string_view::npos;
  return text.size() > 4 && text.substr(1, 4).find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

// A bare word or number inside a value: recorders write inf and nan, which JSON does not know.
bool IsJsonScalar(std::string_view token) {
  if (token == "true" || token == "false" || token == "null") return true;
  if (token.empty() || (token.front() != '-' && (token.front() < '0' || token.front() > '9'))) return false;
  double value;
  const auto [after, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  return error == std::errc() && after == token.data() + token.size() && std::isfinite(value);
}

// Whether a text may stand in a JSON document as it is: one value, brackets and quotes closed, no control bytes.
bool IsJsonValue(std::string_view text) {
  if (text.empty() || text.size() > (size_t{1} << 20)) return false;
  const char first = text.front();
  if (first != '[' && first != '{' && first != '"') return false;
  std::string open;
  bool in_text = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x20) return false;
    if (in_text) {
      if (c == '\\' && (++i == text.size() || !IsEscape(text.substr(i)))) return false;
      if (c == '"') in_text = false;
    } else if (c == '"') {
      in_text = true;
    } else if (c == '[' || c == '{') {
      open.push_back(c == '[' ? ']' : '}');
      if (open.size() > 64) return false;
    } else if (c == ']' || c == '}') {
      if (open.empty() || open.back() != static_cast<char>(c)) return false;
      open.pop_back();
    } else if (open.empty()) {
      return false;
    } else if (c != ',' && c != ':' && c != ' ') {
      const size_t end = std::min(text.find_first_of(",:]} \"[{", i), text.size());
      if (!IsJsonScalar(text.substr(i, end - i))) return false;
      i = end - 1;
    }
    if (open.empty() && !in_text && i + 1 < text.size()) return false;
  }
  return open.empty() && !in_text;
}

}  // namespace

int64_t BaseOf(const model::Trace& trace) {
  if (trace.sources.size() == 1 && trace.sources[0].base_time_ns) return *trace.sources[0].base_time_ns;
  int64_t first_ns = INT64_MAX;
  for (const int64_t time : trace.host.start_ns) first_ns = std::min(first_ns, time);
  for (const int64_t time : trace.gpu.start_ns) first_ns = std::min(first_ns, time);
  for (const model::MemoryEvent& row : trace.memory) first_ns = std::min(first_ns, row.time_ns);
  for (const model::CounterSample& row : trace.counters) first_ns = std::min(first_ns, row.time_ns);
  constexpr int64_t kEpochNs = int64_t{1000000000} * 1000000000;  // September 2001: later times are an epoch's
  constexpr int64_t kSecondNs = 1000000000;
  if (first_ns == INT64_MAX || first_ns < kEpochNs) return 0;
  return first_ns / kSecondNs * kSecondNs - kSecondNs;
}

Writer::Writer(const model::Trace& trace, Sink* sink)
    : trace_(trace), sink_(*sink), numbers_(trace), base_ns_(BaseOf(trace)), texts_(trace.strings.size()) {
  if (trace.collectives.empty()) return;
  host_collective_.assign(trace.host.size(), kNone);
  gpu_collective_.assign(trace.gpu.size(), kNone);
  for (uint32_t i = 0; i < trace.collectives.size(); ++i) {
    const model::Collective& row = trace.collectives[i];
    if (row.gpu_row != kNone) gpu_collective_[row.gpu_row] = i;
    else if (row.host_row != kNone) host_collective_[row.host_row] = i;
  }
}

void Writer::Run(const std::function<void(double)>& progress) {
  const double total = static_cast<double>(trace_.host.size()) + static_cast<double>(trace_.gpu.size()) * 2 + 1;
  const auto report = [&](uint64_t done) {
    if (progress && (done & 0xFFFF) == 0) progress(static_cast<double>(done) / total);
  };
  Header();
  Names();
  uint64_t done = 0;
  for (uint32_t row = 0; row < trace_.host.size(); ++row, report(++done)) HostRow(row);
  for (uint32_t row = 0; row < trace_.gpu.size(); ++row, report(done += 2)) GpuRow(row);
  for (const model::GpuAnnotation& row : trace_.gpu_annotations) Annotation(row);
  for (const model::Sync& row : trace_.syncs) SyncRow(row);
  for (const model::MemoryEvent& row : trace_.memory) MemoryRow(row);
  for (const model::CounterSample& row : trace_.counters) CounterRow(row);
  for (uint32_t row = 0; row < trace_.gpu.size(); ++row) FlowPair(row);
  sink_.Add("\n  ],\n  \"traceName\": \"warpscope\"\n}\n");
  if (progress) progress(1);
}

void Writer::HostRow(uint32_t row) {
  const model::HostTable& host = trace_.host;
  const uint32_t thread = host.thread[row];
  const uint32_t process = trace_.threads[thread].process;
  const bool recorder = host.kind[row] == HostKind::kOverhead && trace_.threads[thread].tid == -1;
  BeginSpan(CategoryOf(host.kind[row]), host.name[row], recorder ? -1 : numbers_.Pid(process),
            recorder ? 0 : numbers_.Tid(thread), host.start_ns[row], host.dur_ns[row]);
  HostArgs(row);
  RankArg(numbers_.RankOfProcess(process));
  End();
}

void Writer::HostArgs(uint32_t row) {
  const model::HostTable& host = trace_.host;
  if (host.external_id[row] != kNoId) Arg("External id", host.external_id[row]);
  if (host.correlation[row] != kNoId) {
    const HostKind kind = host.kind[row];
    Arg(kind == HostKind::kOperator ? "Sequence number"
        : IsFrame(kind)             ? "Python id"
                                    : "correlation",
        host.correlation[row]);
  }
  if (host.forward_thread[row] != 0) Arg("Fwd thread id", host.forward_thread[row]);
  // What the row's detail is depends on its kind.
  if (host.detail[row] != kNone && host.kind[row] == HostKind::kOperator) Details(trace_.op_details[host.detail[row]]);
  if (host.detail[row] != kNone && host.kind[row] == HostKind::kAnnotation)
    RangeArgs(trace_.annotation_details[host.detail[row]]);
  if (!host_collective_.empty() && host_collective_[row] != kNone)
    CollectiveArgs(trace_.collectives[host_collective_[row]]);
}

void Writer::RangeArgs(const model::AnnotationDetail& range) {
  TextArg("domain", range.domain);
  TextArg("category", range.category);
  if (range.color_argb) Arg("color ARGB", *range.color_argb);
  TextArg("payload", range.payload);
}

void Writer::Details(const model::OpDetail& detail) {
  JsonArg("Input Dims", detail.input_dims);
  JsonArg("Input type", detail.input_types);
  JsonArg("Input Strides", detail.input_strides);
  JsonArg("Concrete Inputs", detail.concrete_inputs);
  TextArg("Call stack", detail.call_stack);
}

void Writer::GpuRow(uint32_t row) {
  const model::GpuTable& gpu = trace_.gpu;
  const uint32_t stream = gpu.stream[row];
  BeginSpan(CategoryOf(gpu.kind[row]), gpu.name[row], StreamPid(stream), trace_.streams[stream].id, gpu.start_ns[row],
            gpu.dur_ns[row]);
  StreamArgs(stream);
  if (gpu.correlation[row] != kNoId) Arg("correlation", gpu.correlation[row]);
  if (gpu.external_id[row] != kNoId) Arg("External id", gpu.external_id[row]);
  if (const model::LaunchConfig* config = trace_.Launch(row)) LaunchArgs(*config);
  if (const model::CopyDetail* copy = trace_.Copy(row)) CopyArgs(*copy);
  if (!gpu_collective_.empty() && gpu_collective_[row] != kNone)
    CollectiveArgs(trace_.collectives[gpu_collective_[row]]);
  RankArg(numbers_.RankOfStream(stream));
  End();
}

void Writer::LaunchArgs(const model::LaunchConfig& config) {
  const auto dims = [&](std::string_view key, const uint32_t* size) {
    if (size[0] == 0 && size[1] == 0 && size[2] == 0) return;
    Key(key);
    sink_.Add('[');
    for (int i = 0; i < 3; ++i) {
      if (i > 0) sink_.Add(", ");
      sink_.Number(size[i]);
    }
    sink_.Add(']');
  };
  dims("grid", config.grid);
  dims("block", config.block);
  if (config.registers_per_thread) Arg("registers per thread", *config.registers_per_thread);
  if (config.shared_bytes) Arg("shared memory", *config.shared_bytes);
  if (config.recorded_occupancy_pct) Arg("est. achieved occupancy %", *config.recorded_occupancy_pct);
  if (config.graph_id != kNoId) Arg("graph id", config.graph_id);
  if (config.graph_node_id != kNoId) Arg("graph node id", config.graph_node_id);
}

void Writer::CopyArgs(const model::CopyDetail& copy) {
  if (copy.bytes) Arg("bytes", *copy.bytes);
  // What the reader would else take from the name, which other recorders write in other words.
  const auto word = [&](std::string_view key, std::string_view text) {
    Key(key);
    sink_.Add('"');
    sink_.Add(text);
    sink_.Add('"');
  };
  word("copy kind", copy.kind == model::CopyKind::kUnknown ? "unknown" : model::CopyWord(copy.kind));
  word("source memory", model::MemoryWord(copy.src));
  word("target memory", model::MemoryWord(copy.dst));
}

void Writer::Annotation(const model::GpuAnnotation& row) {
  const int64_t tid = row.stream == kNone ? 0 : trace_.streams[row.stream].id;
  BeginSpan("gpu_user_annotation", row.name, row.stream == kNone ? 0 : StreamPid(row.stream), tid, row.start_ns,
            row.dur_ns);
  if (row.stream != kNone) {
    StreamArgs(row.stream);
    RankArg(numbers_.RankOfStream(row.stream));
  }
  End();
}

void Writer::SyncRow(const model::Sync& row) {
  const uint32_t stream = row.stream != kNone ? row.stream : row.wait_on_stream;
  sink_.Add(first_event_ ? "\n" : ",\n");
  first_event_ = false;
  sink_.Add("{\"ph\": \"X\", \"cat\": \"cuda_sync\", \"name\": \"");
  sink_.Add(NameOf(row.kind));
  sink_.Add('"');
  Place(stream == kNone ? 0 : StreamPid(stream), row.stream == kNone ? 0 : trace_.streams[row.stream].id, row.start_ns);
  sink_.Add(", \"dur\": ");
  sink_.Microseconds(row.dur_ns);
  Args();
  Key("cuda_sync_kind");
  sink_.Add('"');
  sink_.Add(NameOf(row.kind));
  sink_.Add('"');
  if (row.stream == kNone) Arg("stream", -1);
  if (stream != kNone && row.stream != kNone) StreamArgs(stream);
  if (row.wait_on_stream != kNone) Arg("wait_on_stream", trace_.streams[row.wait_on_stream].id);
  if (row.correlation != kNoId) Arg("correlation", row.correlation);
  if (row.event_record_correlation != kNoId) Arg("wait_on_cuda_event_record_corr_id", row.event_record_correlation);
  if (stream != kNone) RankArg(numbers_.RankOfStream(stream));
  End();
  ++event_count_;
}

void Writer::MemoryRow(const model::MemoryEvent& row) {
  sink_.Add(first_event_ ? "\n" : ",\n");
  first_event_ = false;
  sink_.Add("{\"ph\": \"i\", \"cat\": \"cpu_instant_event\", \"s\": \"t\", \"name\": \"[memory]\"");
  const uint32_t process = row.thread == kNone ? kNone : trace_.threads[row.thread].process;
  Place(process == kNone ? 0 : numbers_.Pid(process), row.thread == kNone ? 0 : numbers_.Tid(row.thread), row.time_ns);
  Args();
  Arg("Device Type", row.device == kNone ? 0 : 1);
  Arg("Device Id", row.device == kNone ? int64_t{-1} : DeviceId(row.device));
  Arg("Addr", row.address);
  Arg("Bytes", row.bytes);
  if (row.total_allocated_bytes) Arg("Total Allocated", *row.total_allocated_bytes);
  if (row.total_reserved_bytes) Arg("Total Reserved", *row.total_reserved_bytes);
  if (process != kNone) RankArg(numbers_.RankOfProcess(process));
  End();
  ++event_count_;
}

void Writer::CounterRow(const model::CounterSample& row) {
  if (!std::isfinite(row.value)) {
    ++lost_counters_;
    return;
  }
  Begin("C", "hardware_counters", row.name);
  Place(row.device == kNone ? -1 : DeviceId(row.device), 0, row.time_ns);
  Args();
  Arg("value", row.value);
  TextArg("unit", row.unit);
  End();
  ++event_count_;
}

void Writer::CollectiveArgs(const model::Collective& row) {
  Key("Collective name");
  if (row.name == kNoString) sink_.Add("\"\"");
  else Text(row.name);
  TextArg("dtype", row.dtype);
  TextArg("Process Group Name", row.group_name);
  TextArg("Process Group Ranks", row.group_ranks);
  TextArg("Comms Id", row.comms_id);
  if (row.in_elements) Arg("In msg nelems", *row.in_elements);
  if (row.out_elements) Arg("Out msg nelems", *row.out_elements);
  if (row.group_size) Arg("Group size", *row.group_size);
  if (row.sequence) Arg("Seq", *row.sequence);
}

// Viewers draw an arrow from the call to what it issued. One flow each: a viewer knows no flow with several ends.
void Writer::FlowPair(uint32_t gpu_row) {
  const uint32_t call = trace_.gpu.call[gpu_row];
  if (call == kNone) return;
  const uint32_t thread = trace_.host.thread[call];
  const uint32_t stream = trace_.gpu.stream[gpu_row];
  const auto half = [&](std::string_view phase, int64_t pid, int64_t tid, int64_t time_ns) {
    sink_.Add(",\n{\"ph\": \"");
    sink_.Add(phase);
    sink_.Add("\", \"id\": ");
    sink_.Number(next_flow_);
    sink_.Add(", \"cat\": \"ac2g\", \"name\": \"ac2g\"");
    Place(pid, tid, time_ns);
    sink_.Add(phase == "f" ? ", \"bp\": \"e\"}" : "}");
  };
  half("s", numbers_.Pid(trace_.threads[thread].process), numbers_.Tid(thread), trace_.host.start_ns[call]);
  half("f", StreamPid(stream), trace_.streams[stream].id, trace_.gpu.start_ns[gpu_row]);
  ++next_flow_;
}

void Writer::JsonArg(std::string_view key, model::StringId text) {
  if (text == kNoString) return;
  const std::string_view json = trace_.strings.Get(text);
  if (!IsJsonValue(json) || !IsUtf8(json)) return TextArg(key, text);
  Key(key);
  sink_.Add(json);
}

}  // namespace warpscope::exporting::chrome
