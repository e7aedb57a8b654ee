// What the arithmetic pipes of a kernel are used for, as far as counters tell. [MT] Pure functions.
#pragma once

#include "rules/measurements/kernel/pace.h"

namespace warpscope::rules {

// Instructions of a scheduler in a cycle on the pipe of special functions and conversions.
double XuRate(const Pace& pace);
// That pipe works for integer divisions: conversions and reciprocals without float arithmetic beside them.
bool XuIsDivision(const KernelCase& kernel, const Pace& pace);
// It converts to and from double.
bool XuIsConversion(const Pace& pace);

}  // namespace warpscope::rules
