#include "agent/counters/launch_call.h"

#include <gtest/gtest.h>

namespace warpscope::agent {
namespace {

TEST(LaunchCallTest, TellsLaunchesFromOtherCalls) {
  EXPECT_EQ(LaunchKindOf("cuLaunchKernel_ptsz"), LaunchKind::kKernel);
  EXPECT_EQ(LaunchKindOf("cuLaunchKernelEx"), LaunchKind::kKernel);
  EXPECT_EQ(LaunchKindOf("__cudaLaunchKernel_v13000"), LaunchKind::kKernel);
  EXPECT_EQ(LaunchKindOf("cudaLaunchCooperativeKernel_v9000"), LaunchKind::kKernel);
  EXPECT_EQ(LaunchKindOf("cudaGraphLaunch_ptsz_v10000"), LaunchKind::kGraph);
  EXPECT_EQ(LaunchKindOf("cuLaunchCooperativeKernelMultiDevice"), LaunchKind::kManyDevices);
  EXPECT_EQ(LaunchKindOf("cuLaunchHostFunc"), LaunchKind::kNone);
  EXPECT_EQ(LaunchKindOf("cuGraphAddKernelNode"), LaunchKind::kNone);
  EXPECT_EQ(LaunchKindOf("cudaMemcpy_v3020"), LaunchKind::kNone);
}

}  // namespace
}  // namespace warpscope::agent

#if __has_include(<cupti.h>)
#include <cupti.h>

namespace warpscope::agent {
namespace {

cupti::CallbackData With(const void* parameters) {
  cupti::CallbackData data = {};
  data.parameters = parameters;
  return data;
}

void ExpectShape(const LaunchCall& call) {
  EXPECT_EQ(call.kind, LaunchKind::kKernel);
  EXPECT_EQ(call.grid[0], 1u);
  EXPECT_EQ(call.grid[2], 3u);
  EXPECT_EQ(call.block[1], 5u);
  EXPECT_EQ(call.dynamic_shared, 7u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(call.stream), 8u);
}

const auto kFunction = reinterpret_cast<CUfunction>(9);

TEST(LaunchCallTest, ReadsTheDriversLaunches) {
  const cuLaunchKernel_params plain = {kFunction, 1, 2, 3, 4, 5, 6, 7, reinterpret_cast<CUstream>(8), nullptr, nullptr};
  LaunchCall call = ReadLaunch(cupti::kDriverDomain, "cuLaunchKernel_ptsz", With(&plain));
  ExpectShape(call);
  EXPECT_EQ(call.function, kFunction);
  EXPECT_TRUE(call.per_thread_stream);
  CUlaunchAttribute attributes[2] = {};
  attributes[0].id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
  attributes[1].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attributes[1].value.clusterDim = {2, 1, 1};
  const CUlaunchConfig config = {1, 2, 3, 4, 5, 6, 7, reinterpret_cast<CUstream>(8), attributes, 2};
  const cuLaunchKernelEx_params extended = {&config, kFunction, nullptr, nullptr};
  call = ReadLaunch(cupti::kDriverDomain, "cuLaunchKernelEx", With(&extended));
  ExpectShape(call);
  EXPECT_EQ(call.function, kFunction);
  EXPECT_EQ(call.cluster[0], 2u);
  const cuLaunchCooperativeKernel_params together = {kFunction, 1, 2, 3, 4, 5, 6, 7, reinterpret_cast<CUstream>(8),
                                                     nullptr};
  ExpectShape(ReadLaunch(cupti::kDriverDomain, "cuLaunchCooperativeKernel", With(&together)));
}

TEST(LaunchCallTest, ReadsTheRuntimesLaunches) {
  const auto stream = reinterpret_cast<cudaStream_t>(8);
  const cudaLaunchKernel_v7000_params plain = {kFunction, {1, 2, 3}, {4, 5, 6}, nullptr, 7, stream};
  LaunchCall call = ReadLaunch(cupti::kRuntimeDomain, "cudaLaunchKernel_v7000", With(&plain));
  ExpectShape(call);
  EXPECT_EQ(call.function, nullptr) << "a symbol of the program is no handle of the driver";
  EXPECT_EQ(ReadLaunch(cupti::kRuntimeDomain, "__cudaLaunchKernel_v13000", With(&plain)).function, kFunction);
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {4, 1, 1};
  const cudaLaunchConfig_t config = {{1, 2, 3}, {4, 5, 6}, 7, stream, &attribute, 1};
  const cudaLaunchKernelExC_v11060_params extended = {&config, kFunction, nullptr};
  call = ReadLaunch(cupti::kRuntimeDomain, "cudaLaunchKernelExC_v11060", With(&extended));
  ExpectShape(call);
  EXPECT_EQ(call.cluster[0], 4u);
  const cudaGraphLaunch_v10000_params graph = {nullptr, stream};
  call = ReadLaunch(cupti::kRuntimeDomain, "cudaGraphLaunch_v10000", With(&graph));
  EXPECT_EQ(call.kind, LaunchKind::kGraph);
  EXPECT_EQ(call.stream, stream);
}

}  // namespace
}  // namespace warpscope::agent
#endif
