// Parameters of this trace from its unambiguous items.
#include <algorithm>

#include "analysis/replay/build.h"

namespace warpscope::analysis::replay {
namespace {

constexpr uint32_t kQueueNearlyFull = 900;   // events and memsets that leave no record take slots too
constexpr double kReferenceLaunchNs = 5000;  // launch call on the machine of the constants, p25 under tracing
constexpr uint32_t kMinPairSamples = 5;
constexpr uint32_t kMinCopySamples = 4;  // copies are few but differ much from kernels

struct Samples {
  std::vector<int64_t> launch_lag[Parameters::kKinds];
  std::vector<int64_t> stream_gap[Parameters::kKinds][Parameters::kKinds];
  std::map<uint64_t, std::vector<int64_t>> pair_gap;
  std::vector<int64_t> return_short, return_long;
  std::vector<int64_t> copy_issue[Parameters::kKinds];
  std::map<uint32_t, std::vector<int64_t>> call_cost;
  std::vector<int64_t> launch_calls;
};

uint64_t PairOf(const Draft& draft, const Unit& previous, const Unit& unit) {
  const auto& gpu = draft.trace->gpu;
  return (uint64_t{gpu.name[draft.unit_rows[previous.row_end - 1]]} << 32) | gpu.name[draft.unit_rows[unit.row_begin]];
}

void SampleStream(const Draft& draft, const std::vector<uint32_t>& units, Samples& samples) {
  int64_t previous_end = INT64_MIN / 2;
  const Unit* previous = nullptr;
  for (const uint32_t u : units) {
    const Unit& unit = draft.units[u];
    if (unit.call != kNoItem) {
      const Call& call = draft.calls[unit.call];
      const int kind = static_cast<int>(unit.kind);
      if (!call.blocks && previous_end + kIdleMarginNs <= call.end)
        samples.launch_lag[kind].push_back(unit.start - call.end);
      if (call.blocks && previous_end + kIdleMarginNs <= call.start)
        samples.copy_issue[kind].push_back(unit.start - call.start);
      if (previous && !call.blocks && previous_end >= call.end + kIdleMarginNs) {
        samples.stream_gap[static_cast<int>(previous->kind)][kind].push_back(unit.start - previous_end);
        samples.pair_gap[PairOf(draft, *previous, unit)].push_back(unit.start - previous_end);
      }
    }
    if (unit.end >= previous_end) previous = &unit;
    previous_end = std::max(previous_end, unit.end);
  }
}

// Launches that found the queue (nearly) full wait for a slot: their length says nothing about their cost.
void MarkFullQueues(Draft& draft, const std::vector<uint32_t>& units) {
  size_t running = 0;
  for (size_t k = 0; k < units.size(); ++k) {
    const Unit& unit = draft.units[units[k]];
    if (unit.call == kNoItem) continue;
    Call& call = draft.calls[unit.call];
    while (running < k && draft.units[units[running]].end <= call.start) ++running;
    if (k - running >= kQueueNearlyFull) call.queue_full = true;
  }
}

void SampleCalls(const Draft& draft, Samples& samples) {
  for (const Call& call : draft.calls) {
    if (call.row == model::kNone || call.blocks) continue;
    const int64_t dur = call.end - call.start;
    if (call.call_class == CallClass::kLaunch) samples.launch_calls.push_back(dur);
    int64_t last_end = INT64_MIN;
    for (const uint32_t unit : call.targets) last_end = std::max(last_end, draft.units[unit].end);
    const bool waited = last_end > call.start;
    if (waited && last_end <= call.end && call.target_certainty != kGuessed) {
      (dur >= kLongWaitNs ? samples.return_long : samples.return_short).push_back(call.end - last_end);
    }
    if (!waited && !call.queue_full) samples.call_cost[draft.trace->host.name[call.row]].push_back(dur);
  }
}

int64_t DefaultGap(UnitKind previous, UnitKind kind) {
  return previous == UnitKind::kGraph && kind == UnitKind::kGraph ? kDefaultGraphGapNs : kDefaultStreamGapNs;
}

}  // namespace

void FitParameters(Draft& draft) {
  Samples samples;
  for (const auto& units : draft.stream_units) {
    MarkFullQueues(draft, units);
    SampleStream(draft, units, samples);
  }
  SampleCalls(draft, samples);
  Parameters& p = draft.parameters;
  const auto kernel = static_cast<int>(UnitKind::kKernel);
  const int64_t kernel_lag = MedianOr(samples.launch_lag[kernel], kDefaultLaunchLagNs);
  for (int kind = 0; kind < Parameters::kKinds; ++kind) {
    const uint32_t enough = kind == kernel ? kMinSamples : kMinCopySamples;
    p.launch_lag_ns[kind] = MedianOr(samples.launch_lag[kind], kernel_lag, enough);
    p.copy_issue_ns[kind] = MedianOr(samples.copy_issue[kind], kDefaultCopyIssueNs, kMinCopySamples);
    for (int previous = 0; previous < Parameters::kKinds; ++previous) {
      p.stream_gap_ns[previous][kind] = MedianOr(
          samples.stream_gap[previous][kind], DefaultGap(static_cast<UnitKind>(previous), static_cast<UnitKind>(kind)));
    }
  }
  for (auto& [pair, gaps] : samples.pair_gap) {
    if (gaps.size() >= kMinPairSamples) p.pair_gap_ns[pair] = MedianOf(gaps);
  }
  for (auto& [name, costs] : samples.call_cost) p.call_cost_ns[name] = MedianOf(costs);
  p.return_short_ns = MedianOr(samples.return_short, kDefaultReturnShortNs);
  p.return_long_ns = MedianOr(samples.return_long, samples.return_long.size() >= kMinCopySamples
                                                       ? MedianOf(samples.return_long)
                                                       : std::max(kDefaultReturnLongNs, p.return_short_ns));
  if (samples.launch_calls.size() >= kMinSamples) {
    p.launch_call_p25_ns = QuantileOf(samples.launch_calls, 0.25);
    p.host_speed = static_cast<double>(p.launch_call_p25_ns) / kReferenceLaunchNs;
  }
}

}  // namespace warpscope::analysis::replay
