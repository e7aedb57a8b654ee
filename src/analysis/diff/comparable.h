// Whether two recordings may be compared, with the reasons against it. [MT] Pure functions.
#pragma once

#include <string>
#include <vector>

#include "analysis/diff/diff.h"

namespace warpscope::analysis {

// Most weight first. Weights add up: 50 or more refuse alone. The names are what the two sides are called in it.
std::vector<Objection> Objections(const RunSide& a, const RunSide& b, const std::string& name_a = "A",
                                  const std::string& name_b = "B");

// What a recording lost, as RunRunSide::losses holds it.
std::vector<Objection> LossesOf(const model::Trace& trace);

}  // namespace warpscope::analysis
