#include "record/host/wait_stream.h"

namespace warpscope::record::host {

uint64_t WaitStream::Text(const std::string& text) {
  const auto [it, fresh] = texts_.try_emplace(text, texts_.size() + 1);
  if (fresh) {
    wire::BlockWriter& block = file_.BlockFor(static_cast<uint32_t>(text.size()));
    block.Begin(wire::kText);
    block.Put(it->second);
    block.PutBytes(text.data(), static_cast<uint32_t>(text.size()));
  }
  return it->second;
}

uint64_t WaitStream::Thread(int pid, int tid) {
  const auto [it, fresh] = threads_.try_emplace({pid, tid}, threads_.size() + 1);
  if (fresh) {
    wire::BlockWriter& block = file_.block();
    block.Begin(wire::kHostThread);
    block.Put(it->second);
    block.Put(static_cast<uint64_t>(pid));
    block.Put(static_cast<uint64_t>(tid));
    block.Put(0);
  }
  return it->second;
}

void WaitStream::Wait(int pid, int tid, const std::string& call, int64_t start_ns, int64_t dur_ns) {
  const uint64_t thread = Thread(pid, tid), name = Text(call.empty() ? "(wait)" : call);
  wire::BlockWriter& block = file_.block();
  block.Begin(wire::kOsCall);
  block.Put(thread);
  block.Put(name);
  block.PutTime(start_ns);
  block.Put(static_cast<uint64_t>(dur_ns));
  block.Put(0);
  ++rows_;
}

void WaitStream::Lost(uint64_t count, int64_t time_ns) {
  wire::BlockWriter& block = file_.block();
  block.Begin(wire::kLost);
  block.Put(wire::kSwitchesLost);
  block.Put(count);
  block.PutTime(time_ns);
}

void WaitStream::Close(int64_t time_ns) {
  wire::BlockWriter& block = file_.block();
  block.Begin(wire::kEnd);
  block.PutTime(time_ns);
  block.Put(rows_);
  block.Put(0);
  file_.Close();
}

}  // namespace warpscope::record::host
