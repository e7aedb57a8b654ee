// Compilation in the counted steps: stretches of an issuing thread in which code is compiled, loaded or tuned.
// [MT] Pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "rules/context.h"

namespace warpscope::rules {

enum class CompileKind : uint8_t {
  kCompile,  // dynamo, inductor, triton compilation, module loading, graph capture
  kTuning,   // only benchmarking of candidate kernels
};

struct CompileSpan {
  CompileKind kind;
  uint32_t thread;
  int64_t start_ns, end_ns;
  uint32_t row;   // host row that stands for it: the longest piece's
  uint32_t step;  // row of Steps::steps; kNone outside
};

// Spans of one kind in time order per thread; pieces less than 50 us apart are one. Convolution searches
// (conv_search.h) are left out.
std::vector<CompileSpan> CompileSpans(const Context& context, CompileKind kind);

// The span's host work shrinks to `rest_ratio`; what it ran on the device and its calls go.
void RemoveSpan(const Context& context, const CompileSpan& span, double rest_ratio, analysis::WhatIf& change);

}  // namespace warpscope::rules
