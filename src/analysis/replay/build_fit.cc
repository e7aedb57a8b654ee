// Parameters of this trace from its unambiguous items.
#include <algorithm>

#include "analysis/replay/build.h"

namespace warpscope::analysis::replay {
namespace {

constexpr uint32_t kQueueNearlyFull = 900;   // events and memsets that leave no record take slots too
constexpr double kReferenceLaunchNs = 5000;  // launch call on the machine of the constants, p25 under tracing
constexpr uint32_t kMinPairSamples = 5;
constexpr uint32_t kMinCopySamples = 4;  // copies are few but differ much from kernels

// Samples taken while other streams ran kernels are the second choice.
struct Ranked {
  std::vector<int64_t> alone, beside;
  void Add(int64_t value, bool is_alone) { (is_alone ? alone : beside).push_back(value); }
  int64_t Median(int64_t fallback, uint32_t enough) {
    return alone.size() >= enough ? MedianOf(alone) : MedianOr(beside, fallback, enough);
  }
};

struct Samples {
  Ranked launch_lag[Parameters::kKinds];
  Ranked stream_gap[Parameters::kKinds][Parameters::kKinds];
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

// When the device was last seen busy by streams other than one's own: with those running, a late start may be a wait
// for room rather than latency.
class BusyDevices {
 public:
  explicit BusyDevices(const Draft& draft) : draft_(draft), last_(draft.trace->devices.size()) {}

  int64_t BusyUntil(const Unit& unit) const {
    const Last& last = last_[Device(unit)];
    return last.stream == unit.stream ? last.other_end : last.end;
  }
  void Add(const Unit& unit) {
    Last& last = last_[Device(unit)];
    if (unit.stream == last.stream) {
      last.end = std::max(last.end, unit.end);
    } else if (unit.end > last.end) {
      last = {unit.end, unit.stream, last.end};
    } else {
      last.other_end = std::max(last.other_end, unit.end);
    }
  }

 private:
  struct Last {
    int64_t end = INT64_MIN / 2;
    uint32_t stream = model::kNone;
    int64_t other_end = INT64_MIN / 2;  // of any other stream
  };
  uint32_t Device(const Unit& unit) const { return draft_.trace->streams[unit.stream].device; }

  const Draft& draft_;
  std::vector<Last> last_;
};

void SampleUnit(const Draft& draft, const Unit* previous, const Unit& unit, bool alone, Samples& samples) {
  const Call& call = draft.calls[unit.call];
  const int kind = static_cast<int>(unit.kind);
  const int64_t previous_end = previous ? previous->end : INT64_MIN / 2;
  if (!call.blocks && previous_end + kIdleMarginNs <= call.end)
    samples.launch_lag[kind].Add(unit.start - call.end, alone);
  if (call.blocks && previous_end + kIdleMarginNs <= call.start)
    samples.copy_issue[kind].push_back(unit.start - call.start);
  if (previous && !call.blocks && previous_end >= call.end + kIdleMarginNs) {
    samples.stream_gap[static_cast<int>(previous->kind)][kind].Add(unit.start - previous_end, alone);
    if (alone) samples.pair_gap[PairOf(draft, *previous, unit)].push_back(unit.start - previous_end);
  }
}

void SampleUnits(const Draft& draft, Samples& samples) {
  std::vector<uint32_t> order(draft.units.size());
  for (uint32_t u = 0; u < order.size(); ++u) order[u] = u;
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return draft.units[a].start < draft.units[b].start; });
  BusyDevices devices(draft);
  std::vector<uint32_t> last(draft.trace->streams.size(), kNoItem);  // per stream: unit that ends last so far
  for (const uint32_t u : order) {
    const Unit& unit = draft.units[u];
    const uint32_t before = last[unit.stream];
    const Unit* previous = before == kNoItem ? nullptr : &draft.units[before];
    if (unit.call != kNoItem) {
      const int64_t ready = std::max(draft.calls[unit.call].end, previous ? previous->end : 0);
      SampleUnit(draft, previous, unit, devices.BusyUntil(unit) <= ready, samples);
    }
    if (!previous || unit.end >= previous->end) last[unit.stream] = u;
    if (unit.kind == UnitKind::kKernel) devices.Add(unit);  // copies leave the multiprocessors alone
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
  for (const auto& units : draft.stream_units) MarkFullQueues(draft, units);
  SampleUnits(draft, samples);
  SampleCalls(draft, samples);
  Parameters& p = draft.parameters;
  const auto kernel = static_cast<int>(UnitKind::kKernel);
  const int64_t kernel_lag = samples.launch_lag[kernel].Median(kDefaultLaunchLagNs, kMinSamples);
  for (int kind = 0; kind < Parameters::kKinds; ++kind) {
    const uint32_t enough = kind == kernel ? kMinSamples : kMinCopySamples;
    p.launch_lag_ns[kind] = samples.launch_lag[kind].Median(kernel_lag, enough);
    p.copy_issue_ns[kind] = MedianOr(samples.copy_issue[kind], kDefaultCopyIssueNs, kMinCopySamples);
    for (int previous = 0; previous < Parameters::kKinds; ++previous) {
      const int64_t fallback = DefaultGap(static_cast<UnitKind>(previous), static_cast<UnitKind>(kind));
      p.stream_gap_ns[previous][kind] = samples.stream_gap[previous][kind].Median(fallback, kMinSamples);
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
