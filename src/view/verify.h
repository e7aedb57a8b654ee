// The tables of `warpscope verify`. [MT] Pure functions.
#pragma once

#include "rules/verify/verify.h"
#include "rules/verify/verify_kernels.h"
#include "view/table.h"

namespace warpscope::view {

// One row a finding of the first verdict; the summary says whether the gain came.
Table VerifyTable(const rules::Verification& verification);

// Of two counter reports: one row a kernel; the summary tells of the one whose time changed most.
Table VerifyKernelsTable(const std::vector<rules::VerifiedKernel>& kernels);

}  // namespace warpscope::view
