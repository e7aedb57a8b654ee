// Time-outs of PyTorch's NCCL watchdog and mismatched collectives: which operation, how long, which ranks. [MT] Pure.
#pragma once

#include <span>

#include "explain/entry.h"

namespace warpscope::explain {

void WorkWatchdog(std::span<const Match> matches, Answer* answer);
void WorkMismatch(std::span<const Match> matches, Answer* answer);
void WorkExitCode(std::span<const Match> matches, Answer* answer);  // a launcher's "exitcode : -9"
void WorkXid(std::span<const Match> matches, Answer* answer);
void WorkAssertion(std::span<const Match> matches, Answer* answer);  // an assertion of a kernel, with its condition

}  // namespace warpscope::explain
