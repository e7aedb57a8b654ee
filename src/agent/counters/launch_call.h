// LaunchCall: what a callback at a launch tells: geometry, stream, function. Layouts of the calls' parameters:
// generated_cuda_meta.h and generated_cuda_runtime_api_meta.h of CUPTI; __cudaLaunchKernel, which compilers emit since
// CUDA 13, is as cudaLaunchKernel with the driver's own handle of the kernel in the place of the symbol.
// [signal-safe] Plain reads of memory that the callback holds.
#pragma once

#include <cstdint>

#include "agent/cupti_abi.h"

namespace warpscope::agent {

enum class LaunchKind : uint8_t {
  kNone,    // no launch, or one that we cannot read
  kKernel,  // one grid
  kGraph,
  kManyDevices,  // cooperative over several devices: not one grid
};

struct LaunchCall {
  LaunchKind kind = LaunchKind::kNone;
  void* function = nullptr;  // CUfunction or CUkernel; null: the call names a symbol of the program
  void* stream = nullptr;
  bool per_thread_stream = false;  // 0 means the thread's own stream
  uint32_t grid[3] = {}, block[3] = {}, cluster[3] = {};
  uint32_t dynamic_shared = 0;
};

// Which sort of launch the call of that name is, whatever its version. Names as cuptiGetCallbackName gives them.
LaunchKind LaunchKindOf(const char* call_name);
// `call_name`: of a launch.
LaunchCall ReadLaunch(uint32_t domain, const char* call_name, const cupti::CallbackData& data);

}  // namespace warpscope::agent
