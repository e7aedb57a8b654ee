// What texts tell of installed frameworks, put into a machine: for all readers that meet such. [one thread]
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "doctor/machine.h"

namespace warpscope::doctor::read {

// The entry of this id, which is added if it is new.
Framework& FrameworkOf(Machine& machine, std::string_view id, std::string_view title);
Framework& TorchOf(Machine& machine);
// With the kind of build that the local part of the version names: "+cpu", "+cu121", "+rocm6.2", "+xpu".
void SetTorchVersion(Framework& torch, std::string_view version);
// What torch.version.cuda is; "None" and the like say that it is a build for the CPU, or for another vendor.
void SetTorchCuda(Framework& torch, std::string_view cuda);
// A package of pip or conda. `build` is conda's third column ("py3.10_cuda12.1_cudnn8.9.2_0"), "" without one. False if
// it is none of a framework.
bool TakeInstalled(std::string_view name, std::string_view version, Machine& machine, std::string_view build = {});

bool IsNone(std::string_view value);  // "None", "N/A", "", "Could not collect"
// Without quotes around it, up to the first blank or comma.
std::string_view Unquoted(std::string_view value);
// All "sm_90", "compute_90" of a text; a suffix "a" or "f" is kept.
std::vector<std::string> ArchsIn(std::string_view text);

}  // namespace warpscope::doctor::read
