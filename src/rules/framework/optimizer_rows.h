// The device work of optimizer steps.
// [MT] Pure function.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rules/context.h"

namespace warpscope::rules {

struct OptimizerRun {
  std::vector<uint32_t> rows;     // kernels and memsets in issue order
  int64_t start_ns, end_ns;       // host time, first to last call
  uint32_t range = model::kNone;  // host row of the outermost range or frame; kNone if found by its operators
  std::string label;              // "Optimizer.step#AdamW.step"; "" if found by its operators
  bool labelled = false;
  bool by_kernels = false;  // found by kernels over lists of tensors: nothing else was recorded
  bool fused = false;       // holds a fused optimizer kernel
};

// One for each optimizer range or frame in the window, in time order. Without any: runs of kernels from in-place
// pointwise operators on a thread that is not autograd's, after the backward pass of a step; without operators, runs of
// kernels over lists of tensors.
std::vector<OptimizerRun> FindOptimizerRuns(const Context& context);

}  // namespace warpscope::rules
