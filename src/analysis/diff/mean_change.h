// MeanChange: what became of the mean step, which throughput follows, beside the middle one that is judged. Where a few
// steps are slow, or the steps have two lengths, the two tell different stories. [MT] Pure function.
#pragma once

#include <optional>
#include <vector>

namespace warpscope::analysis {

struct MeanChange {
  double a_ms = 0, b_ms = 0;  // arithmetic means of the counted steps, as recorded
  double diff_pct = 0, low_pct = 0, high_pct = 0;
  // Against the change of the middle step:
  bool outside = false;  // its interval does not hold that of the means, by more than the least effect
  bool apart = false;    // besides, the two intervals have nothing in common: no chance of a few steps explains it
};

// What the middle step is known to have become, of the same times.
struct MiddleChange {
  double diff_pct = 0, low_pct = 0, high_pct = 0;
};

// The interval (95 %, two-sided) is that of the ratio of two means on logarithms: the relative error of a mean is its
// standard error over it (delta method), from the steps or, where it is clearly larger, from consecutive stretches of
// them (steps that come in waves); degrees of freedom by Welch and Satterthwaite. Absent with fewer than 2 steps a
// side.
std::optional<MeanChange> MeanChangeOf(const std::vector<double>& a, const std::vector<double>& b,
                                       const MiddleChange& middle, double min_effect_pct);

}  // namespace warpscope::analysis
