// Gate: whether new runs are slower than a baseline's by more than is allowed, and how sure that is.
// [MT] Pure function of finished sides; the same input gives the same result.
//
// The step's middle decides, and the means of stretches where only some steps became slow. A regression is told where
// the whole interval of the change lies above 0 and the change reaches the limit. Where the noise is wider than the
// limit nothing passes unseen: the answer is inconclusive.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/diff/diff.h"
#include "analysis/gate/judgement.h"
#include "analysis/gate/kernel_shifts.h"
#include "analysis/gate/noise.h"

namespace warpscope::analysis {

enum class GateOutcome : uint8_t { kPass, kRegression, kInconclusive, kNotComparable };

enum class GateReason : uint8_t {
  kWithinLimit,      // no change beyond the limit, and one would have been seen
  kFaster,           // the word of the judgement
  kSlowerStep,       // the middle step
  kSlowSteps,        // the middle step is as it was, the mean is not: some steps became slow
  kSlowerKernel,     // only where kernels may fail the gate
  kAbovePeaks,       // slower than the slower one of the baseline's two peaks
  kBothPeaksMoved,   // each of the two peaks became slower
  kMostlyUpperPeak,  // on the slower peak far more often
  kOnLowerPeak,
  kOnBothPeaks,
  kUnclearPeak,  // the change is that from one peak to the other
  kNoise,        // the noise is wider than the limit
  kFewSteps,     // no spread can be known
  kClocks,       // the device ran at lower clocks, which explain the change
  kOtherDevice,
  kObjections,
};

struct GateOptions {
  double limit_pct = 2;                // largest regression that passes
  bool fail_on_kernels = false;        // a kernel's regression of that size fails though the step has none
  bool force = false;                  // compare what is not comparable too
  double kernel_min_effect_pct = 0.5;  // of the step
  NoiseModel noise;
};

struct GateFigure {
  std::string name;                  // "throughput_per_s", "peak_memory_bytes", "gpu_busy_pct"
  std::optional<double> base, next;  // medians over the runs
};

struct GateResult {
  GateOutcome outcome = GateOutcome::kNotComparable;
  GateReason reason = GateReason::kObjections;
  std::vector<EnvironmentChange> environment;  // between the two groups; suspects first
  std::vector<EnvironmentChange> mixed;        // differ among the runs of one group: a, b are two of the values
  std::vector<Objection> objections;           // of the runs in the middle
  uint32_t comparable_pct = 100;
  std::optional<ChangeWord> word;     // the same as `diff` says of these runs; absent if not comparable
  std::optional<RunShift> step;       // of the middle step; absent if not comparable
  std::optional<RunShift> stretches;  // of the mean, where there are steps enough
  std::optional<PeakShift> peaks;
  std::optional<double> clock_pct;  // change of the SM clock, where both sides read it
  KernelShifts kernels;
  std::vector<GateFigure> figures;
  std::vector<double> base_ms, next_ms;  // middle step of each run, in order; as the diff's times are
  std::optional<Diff> diff;              // of the two runs in the middle: the causes
  uint32_t base_at = 0, next_at = 0;     // which runs these are
};

// REQUIRES: neither is empty; all were made with `words`.
GateResult Judge(const std::vector<const RunSide*>& base, const std::vector<const RunSide*>& next, const Words& words,
                 const GateOptions& options = {});

}  // namespace warpscope::analysis
