// Whether two recordings may be compared, with the reasons against it. [MT] Pure function.
#pragma once

#include <vector>

#include "analysis/diff/diff.h"
#include "analysis/diff/profile.h"

namespace warpscope::analysis {

struct ComparedSide {
  const Index* index = nullptr;
  const Steps* steps = nullptr;
  const StepParts* parts = nullptr;
  size_t devices = 0, ranks = 0;  // that did device work
};

// Most weight first. Weights add up: 50 or more refuse alone.
std::vector<Objection> Objections(const ComparedSide& a, const ComparedSide& b);

}  // namespace warpscope::analysis
