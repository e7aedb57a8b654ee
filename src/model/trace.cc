#include "model/trace.h"

#include <algorithm>

namespace warpscope::model {

const LaunchConfig* Trace::Launch(uint32_t gpu_row) const {
  if (gpu.kind[gpu_row] != GpuKind::kKernel || gpu.detail[gpu_row] == kNone) return nullptr;
  return &launch_configs[gpu.detail[gpu_row]];
}

const CopyDetail* Trace::Copy(uint32_t gpu_row) const {
  const GpuKind kind = gpu.kind[gpu_row];
  if ((kind != GpuKind::kCopy && kind != GpuKind::kMemset) || gpu.detail[gpu_row] == kNone) return nullptr;
  return &copy_details[gpu.detail[gpu_row]];
}

bool IsGraphLaunchCall(std::string_view name) { return name.find("GraphLaunch") != std::string_view::npos; }

// By substring, so that cuda*, hip*, cu*, *_ptsz, *_v2, ExC and Cooperative forms all count.
bool IsLaunchCall(std::string_view name) {
  constexpr std::string_view kWords[] = {"LaunchKernel", "LaunchCooperativeKernel", "LaunchByPtr", "Memcpy", "Memset",
                                         "ModuleLaunch", "GraphLaunch", "cuLaunchGrid",
                                         // Level Zero, OpenCL, SYCL's runtime, CANN.
                                         "AppendMemoryCopy", "AppendMemoryFill", "EnqueueNDRangeKernel",
                                         "EnqueueKernelLaunch", "EnqueueReadBuffer", "EnqueueWriteBuffer",
                                         "EnqueueCopyBuffer", "EnqueueUSMFill", "Node@launch"};
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view word) { return name.find(word) != std::string_view::npos; });
}

}  // namespace warpscope::model
