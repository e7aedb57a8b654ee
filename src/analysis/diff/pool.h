// Pool: the small kernels of a kind that a thinned side holds as one work (run_side.h). Two sides that are compared
// must pool the same kernels, or the one seems to have lost what the other pools. [MT] Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/diff/run_side.h"

namespace warpscope::analysis {

std::string PoolName(KernelCategory category);  // "small kernels: gemm"
bool IsPool(const Work& work, const Words& words);
bool HasPool(const RunSide& side, const Words& words);

// Pools on each side what the other may hold in its pool: kernels without a partner there whose time is at most
// twice that pool's. What is larger stays by itself: it is new, or gone. Sides without pools stay as they are.
void AlignPools(RunSide* a, RunSide* b, const Words& words);

// The same for several: all are held against `sides[middle]`, which comes to pool what any of them does.
void AlignPools(const std::vector<RunSide*>& sides, size_t middle, const Words& words);

}  // namespace warpscope::analysis
