// Noise: where the times of one run lie and how surely, and by how much two groups of runs differ given the spread
// within runs and between them. [MT] Pure functions; no random numbers.
//
// Times vary by ratios, so all is done on logarithms; a difference of d in them is a change of 100 (e^d - 1) %.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/diff/shift.h"

namespace warpscope::analysis {

// The middle of one run's step times: the estimate of Hodges and Lehmann (1963), the median of the means of all pairs,
// which an outlier hardly moves and which wastes less than the median.
struct RunCenter {
  double log = 0;        // of the middle
  double error = 0;      // its standard error: from the rank interval of Wilcoxon's signed ranks, or from the spread of
                         // consecutive blocks where that is clearly larger (steps that drift or come in waves)
  uint32_t used = 0;     // values that it is of
  uint32_t aside = 0;    // of these, set aside: single steps that the machine disturbed (NearRange(), shift.h)
  uint32_t lead = 0;     // leading values left out: far above what the later half shows (warming up)
  double value() const;  // e^log
};
// What lies far from the rest: set aside, so that a hiccup neither moves the middle nor widens what is known of it;
// kept, where slow values are what is looked for (means of stretches).
enum class Far : uint8_t { kSetAside, kKept };
// Values that are not above 0 are left out. Absent if none is left.
std::optional<RunCenter> CenterOf(const std::vector<double>& values, Far far = Far::kSetAside);

// Means of up to 8 consecutive stretches of at least 4 values (of 2 at least for short runs); empty with fewer than 10
// values. The middle of these sees what recurs in only some steps, which the middle step does not.
std::vector<double> StretchesOf(const std::vector<double>& values);

struct NoiseModel {
  // Spread (standard deviation) from run to run that is assumed at least: repeats that happen to agree prove little.
  // Where both sides have one run nothing is measured and this is all.
  double assumed_between_pct = 0.1;
  // Degrees of freedom of that assumption.
  double assumed_repeats = 3;
  // Chance, one-sided, that the interval lies above the truth.
  double alpha = 0.0075;
};

struct RunShift {
  double base = 0, next = 0;  // middles of the runs' middles
  double diff_pct = 0, low_pct = 0, high_pct = 0;
  double noise_pct = 0;    // half of the interval: a change of that size can be told from none
  double between_pct = 0;  // standard deviation from run to run, errors within runs taken off: measured, or assumed
  double within_pct = 0;   // standard error of one run's middle
  bool between_measured = false;  // some side has repeats
  uint32_t base_runs = 0, next_runs = 0;
};
// REQUIRES: neither is empty.
RunShift ShiftOfRuns(const std::vector<RunCenter>& base, const std::vector<RunCenter>& next, const NoiseModel& model);

// Where new runs stand to a baseline whose runs lie on two peaks.
enum class PeakStand : uint8_t {
  kOnLower,      // all on the faster peak, or faster
  kOnBoth,       // on both, and not more often on the slower than the baseline
  kAbove,        // slower than the slower peak, beyond the limit and the noise
  kBothMoved,    // on both, and each of them slower than the baseline's, beyond the limit and the noise
  kMostlyUpper,  // on the slower one far more often than the baseline
  kUnclear,
};
struct PeakShift {
  TwoPeaks peaks;  // of the baseline's middles
  PeakStand stand = PeakStand::kUnclear;
  double above_pct = 0;  // the new middle over the slower peak; on both: each run over its own
};
// Absent if the baseline's runs (6 at least) show no two peaks.
std::optional<PeakShift> StandToPeaks(const std::vector<RunCenter>& base, const std::vector<RunCenter>& next,
                                      const NoiseModel& model, double limit_pct);

}  // namespace warpscope::analysis
