// Architectures and versions in messages: which GPU, what a build holds, which driver. [MT] Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "explain/entry.h"

namespace warpscope::explain {

// "sm_120", "sm_90a", "compute_90", "12.0" as 10 x major + minor; absent if it is none.
std::optional<int> ArchOf(std::string_view word);
// All "sm_NN" of the text in order, without repeats, at most 64.
std::vector<int> ArchsIn(std::string_view text);
std::string ArchName(int arch);        // "12.0 (Blackwell, RTX 50)"
std::string_view FirstCuda(int arch);  // the CUDA release whose compiler first knew it: "12.8"; "" if not known

void WorkTorchArch(std::span<const Match> matches,
                   Answer* answer);  // "... with CUDA capability sm_120 is not compatible ..."
void WorkPaddleArch(std::span<const Match> matches, Answer* answer);  // "GPU architecture ... arch: 70 75"
void WorkOldDriver(std::span<const Match> matches, Answer* answer);   // "(found version 11040)"
void WorkNvmlMismatch(std::span<const Match> matches, Answer* answer);
void WorkMissingLibrary(std::span<const Match> matches, Answer* answer);  // "libcudart.so.12: cannot open ..."
void WorkUndefinedSymbol(std::span<const Match> matches, Answer* answer);
void WorkCpuWheel(std::span<const Match> matches, Answer* answer);  // "2.2.0+cpu"

}  // namespace warpscope::explain
