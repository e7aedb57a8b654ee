// Threads of a warp index constant memory at different places: the cache serves one address at a time. Must not claim:
// anything of constants that all threads read at one place, which cost nothing.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rules/measurements/kernel/cause.h"
#include "rules/measurements/kernel/pace.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::Counter;

// A request is one place of an instruction. Without the number of loads of constants: more requests than half of all
// instructions could make are places that differ.
constexpr double kManyPlaces = 4, kPlacesOfAny = 0.5;
constexpr double kCyclesOfHit = 2;  // of the cache for a request that hits: measured
constexpr double kFilling = 0.125;  // of the look-ups are made once more to fill the table, if blocks are not known
constexpr double kLanes = 32;
// Of 32 random places in 32 banks the fullest bank holds 3.4 on average, of one place one; between them about a line.
constexpr double kSharedTurns = 3.4;
// Each block copies the table to shared memory once. A table whose look-ups hit fits that cache, 2 KiB (Jia et al.,
// "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", 2018): half of it is the middle. One whose
// look-ups miss has that to 64 KiB (CUDA programming guide): the geometric middle.
constexpr double kWordsThatFit = 256, kWordsThatDoNot = 2896;
constexpr double kSharedCycles = 15;  // as pace_read.cc has it

// The same kernel with the table in shared memory: read once more by each block, then in turns where banks collide.
Change InShared(const KernelCase& kernel, const Pace& pace, double requests, double places) {
  const double executed = *kernel[Counter::kInstExecuted], look_ups = requests / places;
  const auto cycles = kernel[Counter::kCyclesElapsed], sms = kernel[Counter::kSmCount];
  const auto blocks = kernel[Counter::kGridSize], threads = kernel[Counter::kBlockSize];
  const double hits = std::clamp(kernel[Counter::kConstantHitPct].value_or(100) / 100, 0.0, 1.0);
  const double words = std::pow(kWordsThatFit, hits) * std::pow(kWordsThatDoNot, 1 - hits);
  const double filling = blocks ? std::min(requests, *blocks * words) : requests * kFilling;
  Change change;
  change[Part::kConstant] = filling / requests;
  if (cycles && sms && *cycles * *sms > 0) {
    const double all = *cycles * *sms;
    if (pace[Part::kConstant] > 0)
      change[Part::kConstant] *= std::min(1.0, kCyclesOfHit * requests / (pace[Part::kConstant] * all));
    const double turns = look_ups * (1 + (kSharedTurns - 1) * (places - 1) / (kLanes - 1));
    if (pace[Part::kL1] > 0) change[Part::kL1] = (pace[Part::kL1] + turns / all) / pace[Part::kL1];
  }
  if (pace.cycles > 0) {
    double alone = pace.Alone("short_scoreboard", 0) + look_ups / executed * kSharedCycles;
    // All warps of a block wait until its table is there.
    if (blocks && threads && *blocks > 0 && *threads > 0)
      alone += kCyclesOfHit * filling / *blocks / (executed / (*blocks * std::ceil(*threads / kLanes)));
    change.latency = alone / pace.Alone();
  }
  return change;
}

KernelOutcome Judge(const KernelCase& kernel) {
  const auto requests = kernel[Counter::kConstantRequests], pct = kernel[Counter::kConstantPct];
  const auto executed = kernel[Counter::kInstExecuted], loads = kernel[Counter::kConstantInst];
  if (!requests || !pct || !executed) return Misses({Counter::kConstantRequests, Counter::kConstantPct});
  if (!(*executed > 0) || !(*requests > 0)) return Silent();
  const double places = loads && *loads > 0 ? *requests / *loads : kLanes * std::min(1.0, *requests / *executed);
  if (loads ? places < kManyPlaces : *requests / *executed < kPlacesOfAny) return Silent();
  if (*pct < kLowPct) return Silent();
  const Pace pace = PaceOf(kernel);
  // Without the number of look-ups: the geometric middle of the fewest places and one for each lane.
  const double at_once = loads && *loads > 0 ? std::min(places, kLanes) : std::sqrt(kManyPlaces * kLanes);
  const double ratio = TimeShare(pace, InShared(kernel, pace, *requests, at_once));
  if (ratio > kWorthwhileRatio) return Silent();

  Diagnosis diagnosis;
  diagnosis.title = fmt::format(
      "its threads index constant memory at different places, which are served one by one: "
      "that cache is busy {} of the time",
      Pct(*pct));
  diagnosis.evidence = {
      fmt::format("{} requests, one for each place, of {} instructions in all ({}, {})", Count(*requests),
                  Count(*executed), kernel.Name(Counter::kConstantRequests), kernel.Name(Counter::kInstExecuted)),
      Shown(kernel, Counter::kConstantPct, "%")};
  if (kernel[Counter::kConstantHitPct]) diagnosis.evidence.push_back(Shown(kernel, Counter::kConstantHitPct, "%"));
  diagnosis.actions = {
      {"Put a table that threads index differently into shared memory, or read it through __ldg().",
       "__shared__ float table[N];\nfor (int k = threadIdx.x; k < N; k += blockDim.x) table[k] = kTable[k];\n"
       "__syncthreads();"}};
  SetTimeRatio(diagnosis, ratio);
  return Fires(std::move(diagnosis));
}

}  // namespace

extern const KernelCause kConstantDivergentCause;
const KernelCause kConstantDivergentCause = {
    .id = "constant_divergent",
    .dimension = Dimension::kMemory,
    .judge = Judge,
    .tool_rules = "CPIStall",
    .concept_text =
        "Constant memory has a cache that hands one value to all threads of a warp. Where threads ask for different "
        "places, the requests are served in turns, up to 32.",
};

}  // namespace warpscope::rules
