// From matches to answers, and from answers to one first cause. [MT] Pure.
#pragma once

#include <span>

#include "explain/explain.h"

namespace warpscope::explain {

// The answer of an entry for its matches, which are never empty; line and count are the caller's.
Finding FindingOf(const Entry& entry, std::span<const Match> matches);

// Puts the first cause first and says how every other finding stands to it.
void Judge(Diagnosis* diagnosis);

}  // namespace warpscope::explain
