// Which device of a machine an address or number means. [MT] Pure.
#pragma once

#include <optional>
#include <string>

#include "doctor/machine.h"

namespace warpscope::doctor::read {

// By address, else by number, else the first; a new one if it is not there.
Gpu* FindOrAdd(Machine& machine, Vendor vendor, const std::string& address, const std::optional<unsigned>& index);

}  // namespace warpscope::doctor::read
