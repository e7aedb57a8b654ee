// The table of `warpscope verify`. [MT] Pure function.
#pragma once

#include "rules/verify/verify.h"
#include "view/table.h"

namespace warpscope::view {

// One row a finding of the first verdict; the summary says whether the gain came.
Table VerifyTable(const rules::Verification& verification);

}  // namespace warpscope::view
