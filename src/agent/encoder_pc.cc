// Encoder: PC samples, and the machine code that they lie in.
#include "agent/encoder.h"

namespace warpscope::agent {

uint32_t Encoder::StallReasonRef(const char* name) {
  const uint32_t text = TextRef(name);
  bool is_new = false;
  const uint32_t ref = stall_reasons_.Find({text}, &is_new);
  if (is_new) {
    wire::BlockWriter& block = file_->block();
    block.Begin(wire::kStallReason);
    block.Put(ref);
    block.Put(text);
  }
  return ref;
}

uint32_t Encoder::CodeRef(uint64_t checksum, uint64_t bytes, const char* file) {
  const uint32_t text = TextRef(file);
  bool is_new = false;
  const uint32_t ref = codes_.Find(
      {static_cast<uint32_t>(checksum), static_cast<uint32_t>(checksum >> 32), file != nullptr ? 1u : 0u}, &is_new);
  if (is_new) {
    wire::BlockWriter& block = file_->block();
    block.Begin(wire::kCode);
    block.Put(ref);
    block.Put(checksum);
    block.Put(bytes);
    block.Put(text);
  }
  return ref;
}

uint32_t Encoder::CodeFunctionRef(uint32_t code, const char* name) {
  const uint32_t text = TextRef(name);
  bool is_new = false;
  const uint32_t ref = code_functions_.Find({code, text}, &is_new);
  if (is_new) {
    wire::BlockWriter& block = file_->block();
    block.Begin(wire::kCodeFunction);
    block.Put(ref);
    block.Put(code);
    block.Put(text);
  }
  return ref;
}

void Encoder::PcSamples(uint32_t function, uint64_t offset, const StallCount* counts, uint32_t count) {
  wire::BlockWriter& block = file_->BlockFor(count * 2 * sizeof(uint64_t));
  block.Begin(wire::kPcSamples);
  block.Put(function);
  block.Put(offset);
  block.Put(count);
  for (uint32_t i = 0; i < count; ++i) {
    block.Put(counts[i].reason);
    block.Put(counts[i].samples);
  }
  ++rows_;
}

void Encoder::PcWindow(uint32_t device, uint32_t period, int64_t begin_ns, int64_t duration_ns,
                       const PcWindowCounts& counts) {
  wire::BlockWriter& block = file_->block();
  block.Begin(wire::kPcWindow);
  block.Put(device);
  block.Put(period);
  block.PutTime(begin_ns);
  block.Put(static_cast<uint64_t>(duration_ns > 0 ? duration_ns : 0));
  block.Put(counts.samples);
  block.Put(counts.dropped);
  block.Put(counts.other);
  block.Put(counts.buffer_full ? 1 : 0);
  ++rows_;
}

}  // namespace warpscope::agent
