// Inputs: do the files that were given tell of a machine, and all of the same one. [MT] Pure.
#pragma once

#include <string_view>
#include <vector>

#include "doctor/machine.h"
#include "doctor/step.h"

namespace warpscope::doctor {

// What an input of Machine::inputs ends with, or holds, that tells nothing of a machine.
inline constexpr std::string_view kNothingKnown = "nothing that is known here";
inline constexpr std::string_view kRecordingTells = "it tells nothing of the machine's state";

// Files contradict each other: none of the devices that NVML lists stands on the bus that lspci told.
bool IsMixed(const Machine& machine);
// Files were given, and not one tells anything of a machine.
bool TellsNothing(const Machine& machine);
// The step `inputs`, where one of these is so.
void AddInputSteps(const Machine& machine, std::vector<Step>* all);

}  // namespace warpscope::doctor
