#include "analysis/call_kind.h"

#include <gtest/gtest.h>

namespace warpscope::analysis {
namespace {

TEST(CallKind, OneVocabularyForAllApis) {
  const std::pair<const char*, CallKind> cases[] = {
      {"cudaLaunchKernel", CallKind::kLaunch},
      {"cudaLaunchKernelExC_ptsz", CallKind::kLaunch},
      {"cuLaunchKernelEx", CallKind::kLaunch},
      {"cudaLaunchCooperativeKernel", CallKind::kLaunch},
      {"hipLaunchKernel", CallKind::kLaunch},
      {"hipExtModuleLaunchKernel", CallKind::kLaunch},
      {"hipModuleLaunchKernel", CallKind::kLaunch},
      {"hipExtLaunchKernel", CallKind::kLaunch},
      {"cudaLaunchHostFunc", CallKind::kOther},
      {"cudaGraphLaunch", CallKind::kGraphLaunch},
      {"cudaGraphLaunch_ptsz", CallKind::kGraphLaunch},
      {"cudaGraphInstantiateWithFlags", CallKind::kGraphBuild},
      {"cudaMemcpyAsync", CallKind::kCopyAsync},
      {"hipMemcpyWithStream", CallKind::kCopySync},
      {"cuMemcpyHtoDAsync_v2", CallKind::kCopyAsync},
      {"cudaMemcpy2DAsync", CallKind::kCopyAsync},
      {"cudaMemcpy", CallKind::kCopySync},
      {"cuMemcpyDtoH_v2", CallKind::kCopySync},
      {"cudaMemsetAsync", CallKind::kMemset},
      {"cuMemsetD8Async", CallKind::kMemset},
      {"cudaStreamSynchronize", CallKind::kStreamSync},
      {"cudaDeviceSynchronize", CallKind::kDeviceSync},
      {"cuCtxSynchronize", CallKind::kDeviceSync},
      {"hipEventSynchronize", CallKind::kEventSync},
      {"cudaEventQuery", CallKind::kQuery},
      {"cudaEventRecordWithFlags", CallKind::kEventRecord},
      {"cudaStreamWaitEvent", CallKind::kStreamWaitEvent},
      {"cudaMalloc", CallKind::kDeviceAlloc},
      {"cudaMallocAsync", CallKind::kAsyncAlloc},
      {"cudaMallocHost", CallKind::kHostAlloc},
      {"cudaHostAlloc", CallKind::kHostAlloc},
      {"hipHostMalloc", CallKind::kHostAlloc},
      {"cudaFree", CallKind::kDeviceFree},
      {"cudaFreeAsync", CallKind::kAsyncAlloc},
      {"cudaFreeHost", CallKind::kHostFree},
      {"cuMemAlloc_v2", CallKind::kDeviceAlloc},
      {"cuModuleLoadData", CallKind::kModuleLoad},
      {"cuLibraryLoadData", CallKind::kModuleLoad},
      {"cudaFuncGetAttributes", CallKind::kAttribute},
      {"cudaStreamIsCapturing", CallKind::kAttribute},
      {"cudaDeviceGetAttribute", CallKind::kAttribute},
      {"cudaPeekAtLastError", CallKind::kAttribute},
      {"cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", CallKind::kAttribute},
      {"cuMemGetInfo_v2", CallKind::kAttribute},
      {"INVALID", CallKind::kOther},
      {"", CallKind::kOther},
      {"cu", CallKind::kOther},
  };
  for (const auto& [name, kind] : cases) EXPECT_EQ(CallKindName(ClassifyCall(name)), CallKindName(kind)) << name;
}

}  // namespace
}  // namespace warpscope::analysis
