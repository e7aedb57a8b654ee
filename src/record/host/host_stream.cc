#include "record/host/host_stream.h"

namespace warpscope::record::host {
namespace {

constexpr size_t kMostTextBytes = 16384;

}  // namespace

uint32_t HostStream::Text(const std::string& text) {
  const uint32_t number = stacks_.Text(text.substr(0, kMostTextBytes));
  WriteDefinitions();
  return number;
}

void HostStream::WriteDefinitions() {
  for (; written_texts_ < stacks_.texts().size(); ++written_texts_) {
    const std::string& text = stacks_.texts()[written_texts_];
    const auto size = static_cast<uint32_t>(std::min(text.size(), kMostTextBytes));
    wire::BlockWriter& block = file_.BlockFor(size);
    block.Begin(wire::kText);
    block.Put(written_texts_ + 1);
    block.PutBytes(text.data(), size);
  }
  for (; written_frames_ < stacks_.frames().size(); ++written_frames_) {
    const StackFrame& frame = stacks_.frames()[written_frames_];
    wire::BlockWriter& block = file_.block();
    block.Begin(wire::kFrame);
    block.Put(written_frames_ + 1);
    block.Put(frame.parent);
    block.Put(static_cast<uint64_t>(frame.kind));
    block.Put(frame.function);
    block.Put(frame.file);
    block.Put(frame.line);
  }
}

void HostStream::Period(int64_t period_ns) {
  wire::BlockWriter& block = file_.block();
  block.Begin(wire::kSamplePeriod);
  block.Put(static_cast<uint64_t>(period_ns));
}

uint32_t HostStream::Thread(int pid, int tid, const std::string& name) {
  const uint32_t text = Text(name);
  wire::BlockWriter& block = file_.block();
  block.Begin(wire::kHostThread);
  block.Put(++threads_);
  block.Put(static_cast<uint64_t>(pid));
  block.Put(static_cast<uint64_t>(tid));
  block.Put(text);
  return threads_;
}

void HostStream::Sample(uint32_t thread, int64_t time_ns, const ThreadSample& sample) {
  WriteDefinitions();
  wire::BlockWriter& block = file_.block();
  block.Begin(wire::kStackSample);
  block.Put(thread);
  block.PutTime(time_ns);
  block.Put(sample.state);
  block.Put(sample.call);
  block.Put(sample.frame);
  ++samples_;
  ++rows_;
}

void HostStream::Child(const SeenProcess& process, const std::string& command) {
  const uint32_t text = Text(command);
  wire::BlockWriter& block = file_.block();
  block.Begin(wire::kChild);
  block.Put(static_cast<uint64_t>(process.pid));
  block.Put(static_cast<uint64_t>(process.parent));
  block.Put(text);
  block.PutTime(process.start_ns);
  block.PutTime(process.end_ns == 0 ? process.start_ns : process.end_ns);
  block.Put(0);
  ++rows_;
}

void HostStream::Fact(const std::string& name, const std::string& value) {
  const uint32_t name_ref = Text(name), value_ref = Text(value);
  wire::BlockWriter& block = file_.block();
  block.Begin(wire::kFact);
  block.Put(0);
  block.Put(name_ref);
  block.Put(value_ref);
  ++rows_;
}

void HostStream::Note(unsigned severity, const std::string& text) {
  const uint32_t ref = Text(text);
  wire::BlockWriter& block = file_.block();
  block.Begin(wire::kNote);
  block.Put(severity);
  block.Put(ref);
}

void HostStream::NativeName(uint32_t module, uint64_t address, const std::string& function, const std::string& file,
                            uint64_t line) {
  const uint32_t function_ref = function.empty() ? 0 : Text(function), file_ref = file.empty() ? 0 : Text(file);
  wire::BlockWriter& block = file_.block();
  block.Begin(wire::kNativeName);
  block.Put(module);
  block.Put(address);
  block.Put(function_ref);
  block.Put(file_ref);
  block.Put(line);
  ++rows_;
}

void HostStream::Lost(wire::Loss loss, uint64_t count, int64_t time_ns) {
  wire::BlockWriter& block = file_.block();
  block.Begin(wire::kLost);
  block.Put(loss);
  block.Put(count);
  block.PutTime(time_ns);
}

void HostStream::Close(int64_t time_ns, int64_t cpu_ns) {
  wire::BlockWriter& block = file_.block();
  block.Begin(wire::kEnd);
  block.PutTime(time_ns);
  block.Put(rows_);
  block.Put(static_cast<uint64_t>(cpu_ns));
  file_.Close();
}

}  // namespace warpscope::record::host
