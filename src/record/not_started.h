// Why a program could not be started, and what to do. [MT] Reads files, starts nothing.
#pragma once

#include <string>

#include "record/system.h"

namespace warpscope::record {

// "./p.py: cannot be started: it is not executable. Start it with its interpreter (python3 ./p.py), or: chmod +x
// ./p.py". `error` is errno of execvp().
std::string WhyNotStarted(const System& system, const std::string& word, int error);

}  // namespace warpscope::record
