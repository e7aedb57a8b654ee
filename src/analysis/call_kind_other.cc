// Calls of other makers' runtimes: Level Zero, OpenCL, SYCL's unified runtime (Intel) and CANN (Huawei).
// Sources: the APIs' public specifications; CANN's names as msprof writes them ("AscendCL@aclrtSynchronizeStream").
#include "analysis/call_kind.h"

namespace warpscope::analysis {
namespace {

struct Rule {
  std::string_view word;
  CallKind kind;
};

bool Has(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }
bool StartsWith(std::string_view text, std::string_view word) { return text.substr(0, word.size()) == word; }

// First match wins; matched anywhere in the name.
constexpr Rule kAscendRules[] = {
    {"Node@launch", CallKind::kLaunch},
    {"aclrtLaunchKernel", CallKind::kLaunch},
    {"aclmdlRIExecute", CallKind::kGraphLaunch},
    {"aclmdlExecute", CallKind::kGraphLaunch},
    {"aclrtSynchronizeStream", CallKind::kStreamSync},
    {"aclrtSynchronizeDevice", CallKind::kDeviceSync},
    {"aclrtSynchronizeEvent", CallKind::kEventSync},
    {"aclrtStreamWaitEvent", CallKind::kStreamWaitEvent},
    {"aclrtRecordEvent", CallKind::kEventRecord},
    {"aclrtQueryEvent", CallKind::kQuery},
    {"aclrtMemset", CallKind::kMemset},
    {"aclrtMallocHost", CallKind::kHostAlloc},
    {"aclrtFreeHost", CallKind::kHostFree},
    {"aclrtMalloc", CallKind::kDeviceAlloc},
    {"aclrtMapMem", CallKind::kDeviceAlloc},
    {"aclrtFree", CallKind::kDeviceFree},
    {"aclrtUnmapMem", CallKind::kDeviceFree},
    {"aclrtCreateStream", CallKind::kStreamAdmin},
    {"aclrtDestroyStream", CallKind::kStreamAdmin},
    {"aclrtCreateEvent", CallKind::kStreamAdmin},
    {"aclrtDestroyEvent", CallKind::kStreamAdmin},
    {"aclrtGet", CallKind::kAttribute},
    {"aclrtSetDevice", CallKind::kAttribute},
};

constexpr Rule kIntelRules[] = {
    {"AppendLaunch", CallKind::kLaunch},
    {"EnqueueNDRangeKernel", CallKind::kLaunch},
    {"EnqueueTask", CallKind::kLaunch},
    {"EnqueueKernelLaunch", CallKind::kLaunch},
    {"EnqueueCooperativeKernelLaunch", CallKind::kLaunch},
    {"EnqueueCommandBuffer", CallKind::kGraphLaunch},
    {"CommandQueueExecuteCommandLists", CallKind::kGraphLaunch},
    {"AppendMemoryFill", CallKind::kMemset},
    {"EnqueueUSMFill", CallKind::kMemset},
    {"EnqueueUSMMemset", CallKind::kMemset},
    {"EnqueueMemFill", CallKind::kMemset},
    {"EnqueueFill", CallKind::kMemset},
    {"EnqueueMemBufferFill", CallKind::kMemset},
    {"AppendMemoryCopy", CallKind::kCopyAsync},
    {"AppendImageCopy", CallKind::kCopyAsync},
    {"EnqueueReadBuffer", CallKind::kCopyAsync},
    {"EnqueueWriteBuffer", CallKind::kCopyAsync},
    {"EnqueueCopy", CallKind::kCopyAsync},
    {"EnqueueSVMMem", CallKind::kCopyAsync},
    {"EnqueueMemcpy", CallKind::kCopyAsync},
    {"EnqueueUSMMemcpy", CallKind::kCopyAsync},
    {"EnqueueMemBuffer", CallKind::kCopyAsync},
    {"EventHostSynchronize", CallKind::kEventSync},
    {"FenceHostSynchronize", CallKind::kEventSync},
    {"clWaitForEvents", CallKind::kEventSync},
    {"urEventWait", CallKind::kEventSync},
    {"piEventsWait", CallKind::kEventSync},
    {"CommandListHostSynchronize", CallKind::kStreamSync},
    {"CommandQueueSynchronize", CallKind::kStreamSync},
    {"clFinish", CallKind::kStreamSync},
    {"urQueueFinish", CallKind::kStreamSync},
    {"piQueueFinish", CallKind::kStreamSync},
    {"EventQuery", CallKind::kQuery},
    {"MemAllocHost", CallKind::kHostAlloc},
    {"USMHostAlloc", CallKind::kHostAlloc},
    {"MemAlloc", CallKind::kDeviceAlloc},
    {"USMDeviceAlloc", CallKind::kDeviceAlloc},
    {"USMSharedAlloc", CallKind::kDeviceAlloc},
    {"clCreateBuffer", CallKind::kDeviceAlloc},
    {"zeMemFree", CallKind::kDeviceFree},
    {"urUSMFree", CallKind::kDeviceFree},
    {"clReleaseMemObject", CallKind::kDeviceFree},
    {"ModuleCreate", CallKind::kModuleLoad},
    {"zeModuleBuild", CallKind::kModuleLoad},
    {"clBuildProgram", CallKind::kModuleLoad},
    {"urProgramBuild", CallKind::kModuleLoad},
    {"KernelCreate", CallKind::kModuleLoad},
    {"clCreateKernel", CallKind::kModuleLoad},
    {"CommandListCreate", CallKind::kStreamAdmin},
    {"CommandQueueCreate", CallKind::kStreamAdmin},
    {"EventPoolCreate", CallKind::kStreamAdmin},
    {"EventCreate", CallKind::kStreamAdmin},
    {"EventDestroy", CallKind::kStreamAdmin},
    {"clCreateCommandQueue", CallKind::kStreamAdmin},
    {"clCreateContext", CallKind::kStreamAdmin},
    {"Get", CallKind::kAttribute},
};

template <size_t count>
CallKind FirstOf(const Rule (&rules)[count], std::string_view name) {
  for (const Rule& rule : rules) {
    if (Has(name, rule.word)) return rule.kind;
  }
  return CallKind::kOther;
}

bool IsIntel(std::string_view name) {
  for (const std::string_view prefix : {"ze", "cl", "ur", "pi"}) {
    if (StartsWith(name, prefix) && name.size() > 2 && name[2] >= 'A' && name[2] <= 'Z') return true;
  }
  return false;
}

}  // namespace

std::optional<CallKind> ClassifyOtherCall(std::string_view name) {
  if (IsIntel(name)) return FirstOf(kIntelRules, name);
  const bool ascend = StartsWith(name, "acl") || Has(name, "@");
  if (!ascend) return std::nullopt;
  if (Has(name, "aclrtMemcpy")) return Has(name, "Async") ? CallKind::kCopyAsync : CallKind::kCopySync;
  return FirstOf(kAscendRules, name);
}

}  // namespace warpscope::analysis
