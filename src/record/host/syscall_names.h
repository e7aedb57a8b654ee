// Names of the system calls that threads wait in.
// [MT]
#pragma once

#include <string>

namespace warpscope::record::host {

// "futex", "poll" ...; "syscall 400" for one that is not known.
std::string SyscallName(long number);

}  // namespace warpscope::record::host
