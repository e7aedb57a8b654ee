#include "rules/measurements/kernel/pace.h"

#include <algorithm>
#include <cmath>

namespace warpscope::rules {
namespace {

// What busy units reach in practice of their peak: measured kernels at their roofs. DRAM: 91-93 % for reads and writes.
constexpr double Reach(Part part) {
  switch (part) {
    case Part::kDram: return 0.93;
    case Part::kL2: return 0.95;
    default: return 0.98;
  }
}

// How soon a queue grows before a roof is reached: the power that explains the times of 123 measured kernels best, with
// and without flaws (their own times, not what a change made of them; 0.10 is left of the logarithm, 0.13 with one
// queue alone).
constexpr double kSharpness = 3;
constexpr double kExplained = 0.35;  // of the time: below, the counters do not show what sets it

// What a warp passes one after the other; at each its own queue. Parts of one stage work at once.
enum class Stage : uint8_t { kMemory, kL1, kCore, kCount };
constexpr Stage StageOf(Part part) {
  switch (part) {
    case Part::kDram:
    case Part::kL2: return Stage::kMemory;
    case Part::kL1:
    case Part::kLsu:
    case Part::kConstant:
    case Part::kAtomic: return Stage::kL1;
    default: return Stage::kCore;
  }
}

// Of the time that warps take for all of their work when each waits for latency alone.
double LatencyOf(const Pace& pace, const Change& change) {
  if (!(pace.cycles > 0)) return 0;
  // Starting blocks takes as long as before, and a load that others hid shows when these are gone.
  const double alone = (1 - pace.start) * pace.Alone() / pace.cycles * change.latency;
  return (std::max(alone, pace.load) + pace.start) * pace.busy / std::max(change.warps, 1e-6);
}

// Time over the measured time.
double TimeOf(const Pace& pace, const Change& change) {
  std::array<double, static_cast<size_t>(Stage::kCount)> needs{};
  for (size_t i = 0; i < kParts; ++i) {
    const Part part = static_cast<Part>(i);
    double& need = needs[static_cast<size_t>(StageOf(part))];
    need = std::max(need, pace.use[i] * change.work[i] / Reach(part));
  }
  const double latency = LatencyOf(pace, change);
  double longest = latency, sum = std::pow(latency, kSharpness);
  for (const double need : needs) {
    longest = std::max(longest, need);
    sum += std::pow(need, kSharpness);
  }
  // A warp that is alone on its scheduler queues behind none.
  const double warps = pace.warps > 0 ? pace.warps / pace.busy * change.warps : 2;
  const double queues = std::clamp(warps - 1, 0.0, 1.0);
  return longest + queues * (std::pow(sum, 1 / kSharpness) - longest);
}

}  // namespace

double Pace::Alone(std::string_view reason, double kept) const {
  double alone = 0, others = 0, barrier = 0;
  for (const Wait& wait : waits) {
    const double factor = wait.reason == reason ? kept : 1;
    if (wait.reason == "barrier") {
      barrier = wait.cycles * factor;
      continue;
    }
    alone += wait.alone * factor;
    others += wait.cycles;
  }
  // Warps wait at a barrier for what the slowest one waits for.
  return alone + (others > 0 ? barrier * std::min(1.0, alone / others) : barrier);
}

void Change::ScaleInstructions(double factor) {
  for (const Part part : {Part::kIssue, Part::kFma, Part::kAlu, Part::kXu, Part::kFp64, Part::kTensor, Part::kLsu})
    (*this)[part] *= factor;
}

std::optional<double> TimeRatio(const Pace& pace, const Change& change) {
  if (!pace.is_known) return std::nullopt;
  const double before = TimeOf(pace, {}), after = TimeOf(pace, change);
  if (before / pace.busy < kExplained) return std::nullopt;
  // A launch's ramp stays.
  const auto with_ramp = [&](double ratio) { return std::clamp(pace.ramp + (1 - pace.ramp) * ratio, 0.0, 1.0); };
  // What the parts explain too much of goes from both sides; what they leave unexplained is the queue at the limit,
  // which goes with the limit. A change that moves no limit leaves the time as it is.
  const double relative = std::min(1.0, after / before) / (change.evens ? 1 / pace.busy : 1);
  if (!change.evens && relative > kWorthwhileRatio) return relative;
  const double idle = change.evens ? 1 : pace.busy;
  return with_ramp(after / idle / std::max(1.0, before / idle));
}

double TimeShare(const Pace& pace, const Change& change) {
  if (!pace.is_known) return 1;
  return std::clamp(pace.ramp + (1 - pace.ramp) * TimeOf(pace, change) / (change.evens ? 1 : pace.busy), 0.0, 1.0);
}

}  // namespace warpscope::rules
