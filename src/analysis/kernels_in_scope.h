// Which device rows of a scope are kernels. [MT] Pure.
#pragma once

#include "analysis/window.h"
#include "model/trace.h"

namespace warpscope::analysis {

inline bool HoldsKernel(const Scope& scope, const model::Trace& trace, uint32_t gpu_row) {
  if (trace.gpu.kind[gpu_row] != model::GpuKind::kKernel || !scope.window.Contains(trace.gpu.start_ns[gpu_row]))
    return false;
  const model::Stream& stream = trace.streams[trace.gpu.stream[gpu_row]];
  return (!scope.device || stream.device == *scope.device) &&
         (!scope.link_domain || stream.link_domain == *scope.link_domain);
}

}  // namespace warpscope::analysis
