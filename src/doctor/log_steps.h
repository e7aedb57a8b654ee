// Steps from logs: faults that kernel logs tell, errors of programs. [MT] Pure.
#pragma once

#include <vector>

#include "doctor/machine.h"
#include "doctor/step.h"

namespace warpscope::doctor {

void AddLogSteps(const Machine& machine, std::vector<Step>* steps);

// A fault in the logs that explains why a device or driver does not answer now: "Xid 79 ... at 12:03"; "" if none.
std::string FaultBehind(const Machine& machine);

}  // namespace warpscope::doctor
