// Pairs: which device work of one recording is which of the other. [MT] Pure function.
//
// Works are paired in passes, from the surest sign to the weakest; what a pass pairs is out of the later ones:
// place + operator + shapes + kernel, then without the parts that a change may touch: another kernel of the same
// operator (precision, algorithm, fusion), other shapes, another place, the kernel's name alone, the module alone, and
// last the kind of kernel (matrix products with matrix products). Kernel names decide only where places do not.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/diff/profile.h"

namespace warpscope::analysis {

enum class Match : uint8_t {
  kSame,      // same place, operator, shapes, kernel (or as much of these as was recorded)
  kGeometry,  // the same with another grid or block
  kOther,     // same operator and shapes, other kernels
  kShapes,    // same place and operator, other shapes
  kPlace,     // by name, or by module
  kClass,     // by the kind of kernel alone
  kOnlyA,
  kOnlyB,
};

struct WorkPair {
  Match match = Match::kSame;
  std::vector<uint32_t> a, b;  // rows of StepParts::works
};

// Every kernel of both sides is in exactly one pair; copies and fills are in none (their direction says what they are).
std::vector<WorkPair> PairWorks(const StepParts& a, const StepParts& b);

}  // namespace warpscope::analysis
