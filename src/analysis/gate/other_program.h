// Whether two runs are of different programs: gate and diff say what became of one. [MT] Pure function.
#pragma once

#include <optional>
#include <string>

#include "analysis/diff/run_side.h"

namespace warpscope::analysis {

// What two runs share; 100 is all.
struct Likeness {
  double partnered_pct =
      100;                   // of the kernel time of the side where it is less: kernels with a partner by place or name
  double kinds_pct = 100;    // of the kernel time that is by the same kinds of kernels
  double times_as_many = 1;  // kernels a step, the larger number over the smaller
  double operators_pct = 0;  // innermost operators that launch work on both sides, of those on either; 0: too few
  bool same_command = false;  // both recorded the same one
};
// REQUIRES: both hold counted steps.
Likeness LikenessOf(const RunSide& base, const RunSide& next, const Words& words);

// Whether the kernels alone are too unlike for one program, by thresholds that docs/gate.md derives; and whether the
// operators around them are so, too.
bool HasOtherKernels(const Likeness& likeness);
bool IsOtherProgram(const Likeness& likeness);

// The objection, with what the two sides are called in it ("the baseline", "A"): of another program one that refuses,
// of other kernels under alike operators a doubt. Absent where the runs may be of one program, or one of them holds no
// steps.
std::optional<Objection> OtherProgram(const RunSide& base, const RunSide& next, const Words& words,
                                      const std::string& base_name = "the baseline",
                                      const std::string& next_name = "the new run");

}  // namespace warpscope::analysis
