#include "agent/counters/cuda_driver.h"

#include <dlfcn.h>

#include <type_traits>

namespace warpscope::agent {
namespace {

enum FunctionAttribute : int { kSharedBytes = 1, kLocalBytes = 3, kRegisters = 4 };  // CUfunction_attribute

}  // namespace

void CudaDriver::Init() {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_NOW);
  if (driver == nullptr) return;
  const auto find = [&](auto* function, const char* name) {
    *function = reinterpret_cast<std::remove_reference_t<decltype(*function)>>(dlsym(driver, name));
  };
  find(&function_attribute_, "cuFuncGetAttribute");
  find(&kernel_function_, "cuKernelGetFunction");
  find(&is_capturing_, "cuStreamIsCapturing");
  find(&is_capturing_ptsz_, "cuStreamIsCapturing_ptsz");
  find(&synchronize_, "cuCtxSynchronize");
  find(&device_get_, "cuDeviceGet");
  find(&device_attribute_, "cuDeviceGetAttribute");
  find(&device_name_, "cuDeviceGetName");
  find(&device_bytes_, "cuDeviceTotalMem_v2");
}

CudaDriver::Resources CudaDriver::ResourcesOf(void* function) const {
  Resources resources;
  if (function == nullptr || function_attribute_ == nullptr) return resources;
  int registers = 0;
  if (function_attribute_(&registers, kRegisters, function) != 0) {
    // The handle of a library's kernel is no function of this context yet.
    void* own = nullptr;
    if (kernel_function_ == nullptr || kernel_function_(&own, function) != 0) return resources;
    if (function_attribute_(&registers, kRegisters, own) != 0) return resources;
    function = own;
  }
  int shared = 0, local = 0;
  function_attribute_(&shared, kSharedBytes, function);
  function_attribute_(&local, kLocalBytes, function);
  resources = {static_cast<uint32_t>(registers), static_cast<uint32_t>(shared), static_cast<uint32_t>(local)};
  return resources;
}

bool CudaDriver::IsCapturing(void* stream, bool per_thread_stream) const {
  const auto ask = per_thread_stream && is_capturing_ptsz_ != nullptr ? is_capturing_ptsz_ : is_capturing_;
  // The legacy stream cannot be captured, and asking for it fails while another stream is.
  if (ask == nullptr || (stream == nullptr && !per_thread_stream)) return false;
  int status = 0;
  return ask(stream, &status) == 0 && status != 0;
}

void CudaDriver::Synchronize() const {
  if (synchronize_ != nullptr) synchronize_();
}

cupti::Device CudaDriver::Describe(uint32_t device) const {
  constexpr uint32_t kMostDevices = 64;
  static char names[kMostDevices][128];
  cupti::Device found{};
  found.kind = cupti::kDevice;
  found.id = device;
  int handle = 0;
  if (device_get_ == nullptr || device_attribute_ == nullptr || device_get_(&handle, static_cast<int>(device)) != 0)
    return found;
  const auto number = [&](int attribute) {  // CUdevice_attribute
    int value = 0;
    return device_attribute_(&value, attribute, handle) == 0 && value > 0 ? static_cast<uint32_t>(value) : 0;
  };
  found.max_threads_per_block = number(1);
  found.max_shared_per_block = number(8);
  found.threads_per_warp = number(10);
  found.max_registers_per_block = number(12);
  found.sm_count = number(16);
  found.l2_bytes = number(38);
  found.max_warps_per_sm = found.threads_per_warp == 0 ? 0 : number(39) / found.threads_per_warp;
  found.cc_major = number(75);
  found.cc_minor = number(76);
  found.max_shared_per_sm = number(81);
  found.max_registers_per_sm = number(82);
  size_t bytes = 0;
  if (device_bytes_ != nullptr && device_bytes_(&bytes, handle) == 0) found.memory_bytes = bytes;
  if (device < kMostDevices && device_name_ != nullptr &&
      device_name_(names[device], static_cast<int>(sizeof(names[device])), handle) == 0)
    found.name = names[device];
  return found;
}

}  // namespace warpscope::agent
