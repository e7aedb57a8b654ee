// Our declarations against CUPTI's own headers, where they are installed.
#include "agent/cupti_abi.h"

#include <gtest/gtest.h>

#if __has_include(<cupti.h>)
#include <cupti.h>

namespace warpscope::agent::cupti {
namespace {

#define SAME(ours, our_field, theirs, their_field) \
  static_assert(offsetof(ours, our_field) == offsetof(theirs, their_field), #ours "." #our_field)

SAME(Kernel, registers_per_thread, CUpti_ActivityKernel4, registersPerThread);
SAME(Kernel, queued, CUpti_ActivityKernel4, queued);
SAME(Kernel, start, CUpti_ActivityKernel10, start);
SAME(Kernel, device_id, CUpti_ActivityKernel10, deviceId);
SAME(Kernel, grid, CUpti_ActivityKernel10, gridX);
SAME(Kernel, block, CUpti_ActivityKernel10, blockX);
SAME(Kernel, static_shared, CUpti_ActivityKernel10, staticSharedMemory);
SAME(Kernel, correlation_id, CUpti_ActivityKernel10, correlationId);
SAME(Kernel, name, CUpti_ActivityKernel10, name);
SAME(Kernel, queued, CUpti_ActivityKernel10, queued);
SAME(Kernel, submitted, CUpti_ActivityKernel10, submitted);
SAME(Kernel, graph_node_id, CUpti_ActivityKernel10, graphNodeId);
SAME(Kernel, graph_id, CUpti_ActivityKernel10, graphId);
SAME(Kernel, cluster, CUpti_ActivityKernel10, clusterX);
SAME(Memcpy, copy_kind, CUpti_ActivityMemcpy6, copyKind);
SAME(Memcpy, bytes, CUpti_ActivityMemcpy6, bytes);
SAME(Memcpy, correlation_id, CUpti_ActivityMemcpy6, correlationId);
SAME(Memcpy, graph_node_id, CUpti_ActivityMemcpy6, graphNodeId);
SAME(Memcpy, graph_id, CUpti_ActivityMemcpy6, graphId);
SAME(MemcpyPeer, correlation_id, CUpti_ActivityMemcpyPtoP4, correlationId);
SAME(MemcpyPeer, graph_node_id, CUpti_ActivityMemcpyPtoP4, graphNodeId);
SAME(MemcpyPeer, graph_id, CUpti_ActivityMemcpyPtoP4, graphId);
SAME(Memset, bytes, CUpti_ActivityMemset4, bytes);
SAME(Memset, correlation_id, CUpti_ActivityMemset4, correlationId);
SAME(Memset, memory_kind, CUpti_ActivityMemset4, memoryKind);
SAME(Memset, graph_id, CUpti_ActivityMemset4, graphId);
SAME(Api, cbid, CUpti_ActivityAPI, cbid);
SAME(Api, thread_id, CUpti_ActivityAPI, threadId);
SAME(Api, return_value, CUpti_ActivityAPI, returnValue);
SAME(Synchronization, start, CUpti_ActivitySynchronization2, start);
SAME(Synchronization, event_id, CUpti_ActivitySynchronization2, cudaEventId);
SAME(Overhead, object_id, CUpti_ActivityOverhead3, objectId);
SAME(Overhead, start, CUpti_ActivityOverhead3, start);
SAME(GraphTrace, start, CUpti_ActivityGraphTrace2, start);
SAME(GraphTrace, stream_id, CUpti_ActivityGraphTrace2, streamId);
SAME(Device, memory_bytes, CUpti_ActivityDevice5, globalMemorySize);
SAME(Device, sm_count, CUpti_ActivityDevice5, numMultiprocessors);
SAME(Device, cc_major, CUpti_ActivityDevice5, computeCapabilityMajor);
SAME(Device, id, CUpti_ActivityDevice5, id);
SAME(Device, name, CUpti_ActivityDevice5, name);

TEST(CuptiAbi, KindsAndResultsAreCuptis) {
  EXPECT_EQ(kConcurrentKernel, static_cast<unsigned>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
  EXPECT_EQ(kMemcpyPeer, static_cast<unsigned>(CUPTI_ACTIVITY_KIND_MEMCPY2));
  EXPECT_EQ(kSynchronization, static_cast<unsigned>(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION));
  EXPECT_EQ(kGraphTrace, static_cast<unsigned>(CUPTI_ACTIVITY_KIND_GRAPH_TRACE));
  EXPECT_EQ(kOverhead, static_cast<unsigned>(CUPTI_ACTIVITY_KIND_OVERHEAD));
  EXPECT_EQ(static_cast<int>(kMaxLimitReached), static_cast<int>(CUPTI_ERROR_MAX_LIMIT_REACHED));
  EXPECT_EQ(static_cast<int>(kMultipleSubscribers), static_cast<int>(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED));
}

}  // namespace
}  // namespace warpscope::agent::cupti

#else

TEST(CuptiAbi, IsNotComparedWithoutTheHeaders) { GTEST_SKIP() << "cupti.h is not installed"; }

#endif
