// Turns: two programs that were run in turns (A B B A ...), and which is faster. What changes slowly on the machine
// meets both alike, so less noise is left than between runs of different days. [MT] Pure function.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/gate/judgement.h"

namespace warpscope::analysis {

struct Turns {
  ChangeWord outcome = ChangeWord::kNoDifference;  // B against A
  RunShift shift;                                  // base: A, next: B
  double confidence_pct = 95;                      // of the interval, two-sided
  bool by_ranks = false;                           // the exact rank interval (shift.h): 4 runs a side or more
  std::optional<TwoPeaks> peaks_a, peaks_b;        // of the runs' middles; ms
};

// REQUIRES: at least 2 runs a side. A difference counts if the interval leaves 0 out and it is at least
// `min_effect_pct`.
Turns JudgeTurns(const std::vector<RunCenter>& a, const std::vector<RunCenter>& b, double min_effect_pct);

}  // namespace warpscope::analysis
