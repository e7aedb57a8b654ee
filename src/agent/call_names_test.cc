// Which calls are in the light set, against the names that CUPTI 13.0 gives them.
#include "agent/call_names.h"

#include <gtest/gtest.h>

namespace warpscope::agent {
namespace {

TEST(CallNames, CallsThatWaitMoveOrAllocateAreLight) {
  for (const char* name :
       {"cudaDeviceSynchronize_v3020", "cudaStreamSynchronize_ptsz_v7000", "cudaMemcpyAsync_v3020", "cudaMalloc_v3020",
        "cudaMemcpyBatchAsync_v13000", "cudaGraphLaunch_ptsz_v10000", "cudaGraphInstantiateWithParams_v12000",
        "cudaFree_v3020", "cudaHostUnregister_v4000", "cudaMemPrefetchAsync_v12020", "cudaStreamEndCapture_v10000",
        "cuStreamSynchronize_ptsz", "cuMemcpyHtoDAsync_v2", "cuMemsetD32Async", "cuMemAlloc_v2", "cuModuleLoadDataEx"})
    EXPECT_TRUE(IsLightCall(name)) << name;
}

TEST(CallNames, FrequentAndCheapCallsAreNot) {
  for (const char* name :
       {"cudaGetDevice_v3020", "cudaSetDevice_v3020", "cudaLaunchKernel_v7000", "cudaLaunchKernelExC_ptsz_v11060",
        "cudaEventRecord_v3020", "cudaEventQuery_v3020", "cudaStreamIsCapturing_v10000",
        "cudaGraphMemcpyNodeSetParams_v10000", "cudaGraphAddMemAllocNode_v11040", "cudaPointerGetAttributes_v4000"})
    EXPECT_FALSE(IsLightCall(name)) << name;
}

TEST(CallNames, EveryDriverLaunchIsALaunch) {
  for (const char* name : {"cuLaunchKernel", "cuLaunchKernel_ptsz", "cuLaunchCooperativeKernel",
                           "cuLaunchKernelEx_ptsz", "cuLaunchCooperativeKernelMultiDevice"})
    EXPECT_TRUE(IsLaunchCall(name)) << name;
  for (const char* name : {"cuGraphLaunch", "cuLaunchHostFunc", "cuGraphAddKernelNode", "cuFuncGetAttribute"})
    EXPECT_FALSE(IsLaunchCall(name)) << name;
}

}  // namespace
}  // namespace warpscope::agent
