// From bursts to incidents. [MT] Pure.
#pragma once

#include <vector>

#include "faults/report.h"

namespace warpscope::faults {

// Fills severity, actions and notes as well. `bursts` that lack a device get the one device of their vendor that the
// logs know, if there is only one.
std::vector<Incident> FindIncidents(std::vector<Burst>& bursts, const MachineFacts& machine);

}  // namespace warpscope::faults
