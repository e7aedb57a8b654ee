// What counters of AMD's tools show beside the causes of kernels (kernel/judge.h), as sentences.
// [MT] Pure function.
#pragma once

#include <string>
#include <vector>

#include "rules/measurements/kernel/judge.h"

namespace warpscope::rules {

// `kernels`: as judged, most time first. What a cause has judged of a kernel is not said again.
std::vector<std::string> AmdNotes(const model::Trace& trace, const std::vector<JudgedKernel>& kernels);

}  // namespace warpscope::rules
