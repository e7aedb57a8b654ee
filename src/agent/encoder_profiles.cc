// Encoder: counters of single launches.
#include "agent/encoder.h"

namespace warpscope::agent {

void Encoder::KernelCounters(const cupti::Kernel& kernel, uint64_t ordinal, wire::CounterReplay replay, uint32_t set,
                             const double* values, uint32_t count) {
  const uint32_t name = TextRef(kernel.name);
  const uint32_t stream = StreamRef(kernel.device_id, kernel.context_id, kernel.stream_id);
  const uint32_t shape = ShapeRef(kernel);
  const auto value_bytes = static_cast<uint32_t>(sizeof(double)) * count;
  wire::BlockWriter& block = file_->BlockFor(value_bytes);
  block.Begin(wire::kKernelCounters);
  block.Put(set);
  block.Put(name);
  block.Put(stream);
  block.Put(shape);
  block.Put(ordinal);
  block.Put(replay);
  block.PutRaw(values, value_bytes);
  ++rows_;
}

void Encoder::Unmeasured(const char* name, uint64_t launches, const char* reason) {
  const uint32_t name_ref = TextRef(name), reason_ref = TextRef(reason);
  wire::BlockWriter& block = file_->block();
  block.Begin(wire::kUnmeasured);
  block.Put(name_ref);
  block.Put(launches);
  block.Put(reason_ref);
}

}  // namespace warpscope::agent
