// Encoder: hardware counters: metrics and sets of them, samples and the windows that hold them.
#include "agent/encoder.h"

namespace warpscope::agent {

uint32_t Encoder::MetricRef(const char* name, const char* unit) {
  const uint32_t name_ref = TextRef(name);
  const uint32_t unit_ref = unit == nullptr || *unit == '\0' ? 0 : TextRef(unit);
  bool is_new = false;
  const uint32_t ref = metrics_.Find({name_ref, unit_ref}, &is_new);
  if (is_new) {
    wire::BlockWriter& block = file_->block();
    block.Begin(wire::kMetric);
    block.Put(ref);
    block.Put(name_ref);
    block.Put(unit_ref);
  }
  return ref;
}

uint32_t Encoder::MetricSetRef(const uint32_t* metrics, uint32_t count, uint32_t passes) {
  uint64_t hash = 14695981039346656037ULL;  // FNV-1a
  for (uint32_t i = 0; i < count; ++i) hash = (hash ^ metrics[i]) * 1099511628211ULL;
  bool is_new = false;
  const uint32_t ref =
      metric_sets_.Find({static_cast<uint32_t>(hash), static_cast<uint32_t>(hash >> 32), count, passes}, &is_new);
  if (is_new) {
    constexpr uint32_t kMostVarintBytes = 5;
    wire::BlockWriter& block = file_->BlockFor(count * kMostVarintBytes);
    block.Begin(wire::kMetricSet);
    block.Put(ref);
    block.Put(passes);
    block.Put(count);
    for (uint32_t i = 0; i < count; ++i) block.Put(metrics[i]);
  }
  return ref;
}

void Encoder::CounterSamples(uint32_t device, uint32_t set, const CounterTime* times, uint32_t count,
                             const float* values, uint32_t metrics) {
  constexpr uint32_t kMostTimeBytes = 20;
  const auto value_bytes = static_cast<uint32_t>(sizeof(float)) * count * metrics;
  wire::BlockWriter& block = file_->BlockFor(count * kMostTimeBytes + value_bytes);
  block.Begin(wire::kCounterSamples);
  block.Put(device);
  block.Put(set);
  block.Put(count);
  for (uint32_t i = 0; i < count; ++i) {
    block.PutTime(times[i].start_ns);
    block.Put(static_cast<uint64_t>(times[i].duration_ns));
  }
  block.PutRaw(values, value_bytes);
  rows_ += count;
}

void Encoder::CounterWindow(uint32_t device, uint32_t set, int64_t interval_ns, int64_t begin_ns, int64_t duration_ns,
                            uint64_t samples, uint32_t loss) {
  wire::BlockWriter& block = file_->block();
  block.Begin(wire::kCounterWindow);
  block.Put(device);
  block.Put(set);
  block.Put(static_cast<uint64_t>(interval_ns));
  block.PutTime(begin_ns);
  block.Put(static_cast<uint64_t>(duration_ns));
  block.Put(samples);
  block.Put(loss);
  ++rows_;
}

}  // namespace warpscope::agent
