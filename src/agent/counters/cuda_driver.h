// CudaDriver: the few calls of the CUDA driver that describe a launch, looked up in the driver of the process.
// [MT] after Init(). A call that is missing or fails leaves its numbers 0.
#pragma once

#include <cstdint>

#include "agent/cupti_abi.h"

namespace warpscope::agent {

class CudaDriver {
 public:
  void Init();
  struct Resources {
    uint32_t registers = 0, static_shared = 0, local_bytes = 0;
  };
  // `function`: CUfunction or CUkernel.
  Resources ResourcesOf(void* function) const;
  // The stream collects a graph: what is launched does not run. REQUIRES: the context is current.
  bool IsCapturing(void* stream, bool per_thread_stream) const;
  // Until all work of the current context has ended.
  void Synchronize() const;
  // `device` as CUPTI numbers it; the name is ours and lives on.
  cupti::Device Describe(uint32_t device) const;

 private:
  int (*function_attribute_)(int*, int, void*) = nullptr;
  int (*kernel_function_)(void**, void*) = nullptr;
  int (*is_capturing_)(void*, int*) = nullptr;
  int (*is_capturing_ptsz_)(void*, int*) = nullptr;
  int (*synchronize_)() = nullptr;
  int (*device_get_)(int*, int) = nullptr;
  int (*device_attribute_)(int*, int, int) = nullptr;
  int (*device_name_)(char*, int, int) = nullptr;
  int (*device_bytes_)(size_t*, int) = nullptr;
};

}  // namespace warpscope::agent
