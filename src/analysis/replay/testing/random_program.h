// Random programs of threads, streams, waits and events as a Pipeline, for properties that hold for every graph.
// Header-only; never linked into the product.
// [one thread] Same seed, same program.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "analysis/replay/testing/pipeline.h"

namespace warpscope::analysis::replay::testing {

struct RandomProgram {
  explicit RandomProgram(uint64_t seed)
      : random(seed),
        pipeline({.gap = Pick(0, 3) - 1,
                  .latency = Pick(0, 4),
                  .return_lag = Pick(0, 5),
                  .queue_slots = static_cast<uint32_t>(Pick(0, 1) ? Pick(1, 6) : 1000)}) {
    for (int64_t i = Pick(1, 3); i > 0; --i) threads.push_back(pipeline.Thread());
    for (int64_t i = Pick(1, 4); i > 0; --i) streams.push_back(pipeline.Stream());
    for (int64_t i = Pick(1, 40); i > 0; --i) Step();
  }

  int64_t Pick(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random); }
  uint32_t OneOf(const std::vector<uint32_t>& list) {
    return list[static_cast<size_t>(Pick(0, static_cast<int64_t>(list.size()) - 1))];
  }

  void Step() {
    const uint32_t thread = OneOf(threads), stream = OneOf(streams);
    switch (Pick(0, 9)) {
      case 0: pipeline.Host(thread, Pick(0, 30)); return;
      case 1: pipeline.Sync(thread, Pick(0, 5), {stream}); return;
      case 2: pipeline.Sync(thread, Pick(0, 5), streams); return;
      case 3: WaitForEvent(thread, stream); return;
      case 4: Handover(thread); return;
      default: pipeline.Launch(thread, Pick(0, 12), stream, Pick(0, 25)); return;
    }
  }

  void WaitForEvent(uint32_t thread, uint32_t stream) {
    const uint32_t from = pipeline.Last(OneOf(streams));
    const uint32_t item = pipeline.Launch(thread, Pick(0, 8), stream, Pick(0, 25));
    if (from != kNoItem) pipeline.WaitAtStart(item, from, Pick(0, 2));
  }
  void Handover(uint32_t thread) {
    const uint32_t from = pipeline.Last(OneOf(threads));
    const uint32_t item = pipeline.Host(thread, Pick(0, 8));
    if (from != kNoItem) pipeline.WaitAtStart(item, from, Pick(0, 9), EdgeKind::kHandover, kLikely);
  }

  std::mt19937_64 random;
  Pipeline pipeline;
  std::vector<uint32_t> threads, streams;
};

}  // namespace warpscope::analysis::replay::testing
