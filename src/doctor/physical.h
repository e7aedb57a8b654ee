// What a reading of a device can be at all. A sensor that does not answer gives all ones, a broken tool or file any
// number; judging it would call a fit device broken, or a broken one fit. [MT] Pure, but for what is passed.
#pragma once

#include <optional>
#include <string>

#include "doctor/machine.h"

namespace warpscope::doctor {

// The least and the greatest value that a reading can have, in its unit (model/reading_names.def).
struct PhysicalRange {
  double least = 0, most = 0;
};
// Absent for texts and states.
std::optional<PhysicalRange> PhysicalRangeOf(ReadingName name);

// Takes out of every look what no device can have, and memory in use beyond the device's; `machine.impossible` names
// the fields of each device with their first value and count. What was taken out before is not told again.
void RejectImpossible(Machine& machine);

}  // namespace warpscope::doctor
