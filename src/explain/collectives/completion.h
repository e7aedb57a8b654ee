// A work completion of an InfiniBand or RoCE adapter as NCCL prints it: what its status says. [MT] Pure.
#pragma once

#include <span>

#include "explain/entry.h"

namespace warpscope::explain {

// "Got completion from peer ... with status=12" (older ones: "with error 12").
void WorkCompletion(std::span<const Match> matches, Answer* answer);

}  // namespace warpscope::explain
