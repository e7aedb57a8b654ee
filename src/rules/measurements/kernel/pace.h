// Pace: what sets the time of one profiled kernel, and what it would be after a change. A kernel lasts as long as its
// busiest unit needs, or as its warps need to get through their instructions when each waits for nothing but latency,
// whichever is longer; near a tie somewhat longer than both. A cause says which unit gets less to do, which wait
// vanishes, or how many warps join; TimeRatio() answers with the new time over the old one. So what a change leaves
// bounds every promise: the other units' work, the latency of loads that stay, the start of blocks, the launch's ramp.
// Sources: bottleneck analysis (Lazowska et al., "Quantitative System Performance", ch. 5: throughput is bounded by the
// busiest server and by customers over the time that one needs alone), Little's law for the latter (Volkov,
// "Understanding Latency Hiding on GPUs", 2016). Checked on measured pairs of kernels: docs/kernel_causes.md.
// [MT] Pure functions of values.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "rules/measurements/kernel/cause.h"

namespace warpscope::rules {

enum class Part : uint8_t {
  kDram,
  kL2,
  kL1,     // data stage: wavefronts of shared memory and of the cache
  kLsu,    // load and store instructions on their way in, values on their way back
  kIssue,  // instructions
  kFma,
  kAlu,
  kXu,  // special functions and conversions
  kFp64,
  kTensor,
  kConstant,  // cache of indexed constants
  kAtomic,    // the busiest slice of the L2, adding
  kCount,
};
inline constexpr size_t kParts = static_cast<size_t>(Part::kCount);

// A reason to wait in cycles between two instructions of a warp: as measured, and as it would be without a queue.
struct Wait {
  std::string_view reason;
  double cycles = 0, alone = 0;
};

struct Pace {
  std::array<double, kParts> use{};  // of the peak, over the kernel's whole time, 0-1; 0 where unknown
  std::vector<Wait> waits;           // empty: unknown
  double cycles = 0;                 // between two instructions of a warp; sum of the waits
  double warps = 0;                  // of a scheduler, average over the kernel's whole time; 0 if unknown
  bool is_known = true;              // false: not of a device that the model holds for; no ratio is given
  double busy = 1;                   // SMs' cycles with a warp over the kernel's cycles, 0-1
  // Parts of the time that a warp's place on an SM takes for one warp after another, 0-1. start: the place is empty
  // until the next block has begun. load: one load from memory that nothing hides, which every warp of a kernel that
  // loads goes through once. 0 where unknown.
  double start = 0, load = 0;
  double ramp = 0;  // part of the kernel's time that a launch takes even if it does nothing, 0-1

  double operator[](Part part) const { return use[static_cast<size_t>(part)]; }
  // Cycles between two instructions without queues; the wait for a reason multiplied by `kept` (barriers follow the
  // others).
  double Alone(std::string_view reason = {}, double kept = 1) const;
};

// Implemented in pace_read.cc; the rest in pace.cc.
Pace PaceOf(const KernelCase& kernel);

// What a change does: factors, 1 where nothing changes.
struct Change {
  std::array<double, kParts> work{};  // on what a unit has to do
  double latency = 1;                 // on the time that a warp needs alone, for all of its work
  double warps = 1;                   // on the number of warps at a time, on average over the time that SMs work
  bool evens = false;                 // all SMs work until the end
  Change() { work.fill(1); }
  double& operator[](Part part) { return work[static_cast<size_t>(part)]; }
  double operator[](Part part) const { return work[static_cast<size_t>(part)]; }
  // All that instructions cost inside an SM: issue slots and pipes.
  void ScaleInstructions(double factor);
};

// New time over old time; absent if the counters explain too little of the old one. Never above 1.
std::optional<double> TimeRatio(const Pace& pace, const Change& change);

// The same over the old time itself: what the units and waits that are known would take. For a flaw that no known unit
// shows, such as a queue at one address.
double TimeShare(const Pace& pace, const Change& change);

// Instructions between two loads from global memory and the like: `count` per executed instruction; absent if unknown.
std::optional<double> PerInstruction(const KernelCase& kernel, analysis::Counter count);
// Instructions on shared memory for each executed one: counted, or from wavefronts without conflicts; absent if
// unknown.
std::optional<double> SharedPerInstruction(const KernelCase& kernel);
// Wavefronts of the L1's data stage: counted, or from their share of the peak; absent if neither is known.
std::optional<double> Wavefronts(const KernelCase& kernel);
// Cycles that a load from global memory takes without a queue, by the hit rates.
double LoadLatency(const KernelCase& kernel);

// The diagnosis' gain: its time ratio, and the waste that ranks it.
inline void SetTimeRatio(Diagnosis& diagnosis, double ratio) {
  diagnosis.time_ratio = ratio;
  diagnosis.waste_ratio = 1 - ratio;
}

// A change below is not worth a finding.
inline constexpr double kWorthwhileRatio = 0.9;

}  // namespace warpscope::rules
