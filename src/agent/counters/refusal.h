// Why a device's counters cannot be had, and what to do about it: one text for all ways of reading them. [MT]
#pragma once

#include <cstddef>

namespace warpscope::agent {

// `what`: "no counters are sampled". `answer`: of CUPTI.
void ExplainRefusal(const char* what, const char* call, int answer, char* text, size_t size);

}  // namespace warpscope::agent
