// The tables of `warpscope verify`. [MT] Pure functions.
#pragma once

#include <string>

#include "rules/verify/verify.h"
#include "rules/verify/verify_kernels.h"
#include "view/table.h"

namespace warpscope::view {

// One row a finding of the first verdict; the summary says whether the gain came.
Table VerifyTable(const rules::Verification& verification);

// Whether the gain came that the fixed findings promised; where it did not, what grew meanwhile. "" where nothing was
// promised or the runs are not comparable.
std::string PromiseText(const rules::Verification& verification);

// Of two counter reports: one row a kernel; the summary tells of the one whose time changed most.
Table VerifyKernelsTable(const std::vector<rules::VerifiedKernel>& kernels);

}  // namespace warpscope::view
