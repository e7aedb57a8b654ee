// Whether two runs are of different programs: a gate says what became of one. [MT] Pure function.
#pragma once

#include <optional>

#include "analysis/diff/run_side.h"

namespace warpscope::analysis {

// Absent where the runs may be of one program: at least 30 % of the kernel time of both has a partner by place or name,
// or the kinds of kernels are much the same and a step holds about as many, or both recorded the same command.
std::optional<Objection> OtherProgram(const RunSide& base, const RunSide& next, const Words& words);

}  // namespace warpscope::analysis
