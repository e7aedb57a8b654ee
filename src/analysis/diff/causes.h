// From paired work and idle time to a short list of causes that add up. [MT] Pure function.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/diff/diff.h"
#include "analysis/diff/profile.h"

namespace warpscope::analysis {

struct CauseInputs {
  const StepParts* a = nullptr;
  const StepParts* b = nullptr;
  std::vector<uint32_t> use_a, use_b;  // counted steps that the means are of
  const Words* words = nullptr;
  double step_diff_ms = 0;
  bool host_a = true, host_b = true;  // host rows were recorded
  bool of_middle = true;              // the middle steps are compared, not the means
};

struct CauseList {
  std::vector<Cause> causes;  // what is not named is summed in one kOther at the end
  std::vector<PartChange> parts;
  uint64_t unnamed = 0;  // causes in that sum
  std::optional<double> paired_a_pct, paired_b_pct;
};

// The sum of all diff_ms is the mean step of B less that of A, over the steps in use.
CauseList FindCauses(const CauseInputs& inputs);

}  // namespace warpscope::analysis
