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

SAME(Synchronization, event_sync_id, CUpti_ActivitySynchronization2, cudaEventSyncId);
SAME(Synchronization, return_value, CUpti_ActivitySynchronization2, returnValue);
SAME(Synchronization, event_id, CUpti_ActivitySynchronization, cudaEventId);
SAME(CudaEvent, event_id, CUpti_ActivityCudaEvent, eventId);
SAME(CudaEvent, event_id, CUpti_ActivityCudaEvent2, eventId);
SAME(CudaEvent, stream_id, CUpti_ActivityCudaEvent2, streamId);
SAME(CudaEvent, device_id, CUpti_ActivityCudaEvent2, deviceId);
SAME(CudaEvent, event_sync_id, CUpti_ActivityCudaEvent2, cudaEventSyncId);
SAME(MemoryOperation, operation, CUpti_ActivityMemory4, memoryOperationType);
SAME(MemoryOperation, timestamp, CUpti_ActivityMemory4, timestamp);
SAME(MemoryOperation, device_id, CUpti_ActivityMemory4, deviceId);
SAME(MemoryOperation, stream_id, CUpti_ActivityMemory4, streamId);
SAME(MemoryOperation, is_async, CUpti_ActivityMemory4, isAsync);
SAME(MemoryOperation, pool_type, CUpti_ActivityMemory4, memoryPoolConfig.memoryPoolType);
SAME(MemoryOperation, pool_address, CUpti_ActivityMemory4, memoryPoolConfig.address);
SAME(MemoryOperation, address, CUpti_ActivityMemory2, address);
SAME(MemoryOperation, device_id, CUpti_ActivityMemory2, deviceId);
SAME(MemoryOperation, pool_address, CUpti_ActivityMemory2, memoryPoolConfig.address);
SAME(MemoryPool, address, CUpti_ActivityMemoryPool, address);
SAME(MemoryPool, timestamp, CUpti_ActivityMemoryPool, timestamp);
SAME(MemoryPool, utilized_size, CUpti_ActivityMemoryPool2, utilizedSize);
SAME(MemoryPool, utilized_size, CUpti_ActivityMemoryPool3, utilizedSize);
SAME(Module, cubin_size, CUpti_ActivityModule, cubinSize);
SAME(Jit, start, CUpti_ActivityJit, start);
SAME(Jit, cache_size, CUpti_ActivityJit, cacheSize);
SAME(Jit, operation, CUpti_ActivityJit2, jitOperationType);
SAME(Jit, cache_size, CUpti_ActivityJit2, cacheSize);
SAME(Jit, thread_id, CUpti_ActivityJit2, threadId);
SAME(UnifiedMemory, address, CUpti_ActivityUnifiedMemoryCounter2, address);
SAME(UnifiedMemory, value, CUpti_ActivityUnifiedMemoryCounter3, value);
SAME(UnifiedMemory, dst_id, CUpti_ActivityUnifiedMemoryCounter3, dstId);
SAME(UnifiedMemory, flags, CUpti_ActivityUnifiedMemoryCounter3, flags);
SAME(ExternalCorrelation, external_id, CUpti_ActivityExternalCorrelation, externalId);
SAME(ExternalCorrelation, correlation_id, CUpti_ActivityExternalCorrelation, correlationId);
SAME(CallbackData, function, CUpti_CallbackData, functionName);
SAME(ResourceData, descriptor, CUpti_ResourceData, resourceDescriptor);
SAME(ModuleResource, id, CUpti_ModuleResourceData, moduleId);
SAME(ModuleResource, cubin_bytes, CUpti_ModuleResourceData, cubinSize);
SAME(ModuleResource, cubin, CUpti_ModuleResourceData, pCubin);
SAME(GraphData, node, CUpti_GraphData, node);
SAME(GraphData, original_node, CUpti_GraphData, originalNode);
static_assert(sizeof(UnifiedMemoryConfig) == sizeof(CUpti_ActivityUnifiedMemoryCounterConfig));

TEST(CuptiAbi, KindsAndResultsAreCuptis) {
  EXPECT_EQ(kCudaEvent, static_cast<unsigned>(CUPTI_ACTIVITY_KIND_CUDA_EVENT));
  EXPECT_EQ(kMemory2, static_cast<unsigned>(CUPTI_ACTIVITY_KIND_MEMORY2));
  EXPECT_EQ(kMemoryPool, static_cast<unsigned>(CUPTI_ACTIVITY_KIND_MEMORY_POOL));
  EXPECT_EQ(kModule, static_cast<unsigned>(CUPTI_ACTIVITY_KIND_MODULE));
  EXPECT_EQ(kJit, static_cast<unsigned>(CUPTI_ACTIVITY_KIND_JIT));
  EXPECT_EQ(kUnifiedMemory, static_cast<unsigned>(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER));
  EXPECT_EQ(kExternalCorrelation, static_cast<unsigned>(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION));
  EXPECT_EQ(kMemoryAllocation, static_cast<unsigned>(CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION));
  EXPECT_EQ(kMemoryRelease, static_cast<unsigned>(CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE));
  EXPECT_EQ(kScopeAllDevices, static_cast<unsigned>(CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_ALL_DEVICES));
  EXPECT_EQ(kResourceDomain, static_cast<unsigned>(CUPTI_CB_DOMAIN_RESOURCE));
  EXPECT_EQ(kRuntimeDomain, static_cast<unsigned>(CUPTI_CB_DOMAIN_RUNTIME_API));
  EXPECT_EQ(kGraphNodeCreated, static_cast<unsigned>(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED));
  EXPECT_EQ(kContextCreated, static_cast<unsigned>(CUPTI_CBID_RESOURCE_CONTEXT_CREATED));
  EXPECT_EQ(kContextDestroyStarting, static_cast<unsigned>(CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING));
  EXPECT_EQ(kModuleLoaded, static_cast<unsigned>(CUPTI_CBID_RESOURCE_MODULE_LOADED));
  EXPECT_EQ(kModuleUnloadStarting, static_cast<unsigned>(CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING));
  EXPECT_EQ(kGraphNodeCloned, static_cast<unsigned>(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED));
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
