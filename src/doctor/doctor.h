// Doctor: walks a machine from the device to the framework, stops nowhere, and names the first broken layer as the
// cause of what fails behind it. [MT] Pure.
#pragma once

#include <string>
#include <vector>

#include "doctor/machine.h"
#include "doctor/step.h"

namespace warpscope::doctor {

struct Diagnosis {
  std::string answer;       // one or two sentences
  std::string next;         // what to do first; "" if nothing
  std::vector<Step> steps;  // the chain in order, then setup, health by device, logs
  // Index of the first broken layer: a failure that follows from no other; -1 if there is none.
  int root = -1;
  int exit_code = 0;  // kExit*
};

// By severity; 1 to 4 are failures of the command itself (docs/commands.md).
inline constexpr int kExitInOrder = 0, kExitWarning = 10, kExitBroken = 11, kExitCritical = 12;

Diagnosis Diagnose(const Machine& machine);

size_t CountOf(const Diagnosis& diagnosis, State state);

}  // namespace warpscope::doctor
