// What happened to a pair of works. [MT] Pure functions.
#pragma once

#include <string>
#include <vector>

#include "analysis/diff/diff.h"
#include "analysis/diff/pair.h"

namespace warpscope::analysis {

struct PairChange {
  CauseKind kind = CauseKind::kKernelSpeed;
  std::string detail;   // as Cause::detail
  std::string subject;  // operator, else short name of the kernel
  double ratio = 0;     // of mean durations, B over A, of the same kernels; 0 if the kernels differ
};

PairChange ChangeOf(const WorkPair& pair, const StepParts& a, const StepParts& b, const Words& words);

// If most kernel time of same work changed by one and the same ratio (within 5 %), by at least 3 %: that ratio, else 0.
struct RatioWeight {
  double ratio = 0, weight = 0;
};
double CommonRatio(std::vector<RatioWeight> ratios, double all_weight);
bool IsNear(double ratio, double common);

}  // namespace warpscope::analysis
