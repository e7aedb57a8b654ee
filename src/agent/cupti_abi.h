// The part of CUPTI's binary interface that the agent uses, declared by ourselves so that the agent builds without the
// CUDA toolkit and runs with every CUPTI from 11 to 13. Layouts: the public headers of CUPTI 11.0 to 13.0
// (cupti_activity.h and cupti_activity_deprecated.h). Records only ever grew at their end: each struct here holds the
// fields that all those versions share, and `since` tells which CUPTI wrote the later ones. cupti_abi_test.cc compares
// with the real headers where they are installed. [signal-safe] Plain declarations.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpscope::agent::cupti {

enum Kind : uint32_t {
  kMemcpy = 1,
  kMemset = 2,
  kKernelSerial = 3,
  kDriver = 4,
  kRuntime = 5,
  kDevice = 8,
  kContext = 9,
  kConcurrentKernel = 10,
  kName = 11,
  kOverhead = 17,
  kMemcpyPeer = 22,
  kUnifiedMemory = 25,
  kModule = 27,
  kCudaEvent = 36,
  kStream = 37,
  kSynchronization = 38,
  kExternalCorrelation = 39,
  kMemory2 = 49,
  kMemoryPool = 50,
  kGraphTrace = 51,
  kJit = 52,
};

// From which cuptiGetVersion() on a field is there (cupti_version.h numbers them, 13.0 is 130000).
constexpr uint32_t kSinceGraphId = 15;      // 11.2
constexpr uint32_t kSinceCluster = 18;      // 11.8
constexpr uint32_t kSinceEventSyncId = 26;  // 12.8: also the return value beside it, and the thread of JIT records

// Values of enums that we look at.
constexpr uint32_t kMemoryAllocation = 1, kMemoryRelease = 2;  // CUpti_ActivityMemoryOperationType
constexpr uint32_t kNoValue = UINT32_MAX;                      // CUPTI_SYNCHRONIZATION_INVALID_VALUE

enum Result : int { kSuccess = 0, kMaxLimitReached = 12, kNotReady = 13, kInvalidKind = 21, kMultipleSubscribers = 39 };

struct Record {
  uint32_t kind;
} __attribute__((packed, aligned(8)));

struct Kernel {  // CUpti_ActivityKernel4 to 10
  uint32_t kind;
  uint8_t cache_config, shared_memory_config;
  uint16_t registers_per_thread;
  uint32_t partitioned_requested, partitioned_executed;
  uint64_t start, end, completed;
  uint32_t device_id, context_id, stream_id;
  int32_t grid[3], block[3];
  int32_t static_shared, dynamic_shared;
  uint32_t local_per_thread, local_total;
  uint32_t correlation_id;
  int64_t grid_id;
  const char* name;
  void* reserved0;
  uint64_t queued, submitted;
  uint8_t launch_type, carveout_requested, carveout, padding;
  uint32_t shared_executed;
  uint64_t graph_node_id;       // since Kernel5 (11.0)
  uint32_t shmem_limit_config;  // since Kernel6 (11.2)
  uint32_t graph_id;            // since Kernel6
  void* access_policy_window;   // since Kernel7 (11.6)
  uint32_t channel_id, channel_type;
  uint32_t cluster[3];  // since Kernel8 (11.8)
} __attribute__((packed, aligned(8)));

struct Memcpy {  // CUpti_ActivityMemcpy4 to 6
  uint32_t kind;
  uint8_t copy_kind, src_kind, dst_kind, flags;
  uint64_t bytes, start, end;
  uint32_t device_id, context_id, stream_id, correlation_id, runtime_correlation_id, pad;
  void* reserved0;
  uint64_t graph_node_id;
  uint32_t graph_id;
} __attribute__((packed, aligned(8)));

struct MemcpyPeer {  // CUpti_ActivityMemcpyPtoP3, 4
  uint32_t kind;
  uint8_t copy_kind, src_kind, dst_kind, flags;
  uint64_t bytes, start, end;
  uint32_t device_id, context_id, stream_id, src_device_id, src_context_id, dst_device_id, dst_context_id,
      correlation_id;
  void* reserved0;
  uint64_t graph_node_id;
  uint32_t graph_id;
} __attribute__((packed, aligned(8)));

struct Memset {  // CUpti_ActivityMemset3, 4
  uint32_t kind, value;
  uint64_t bytes, start, end;
  uint32_t device_id, context_id, stream_id, correlation_id;
  uint16_t flags, memory_kind;
  uint32_t pad;
  void* reserved0;
  uint64_t graph_node_id;
  uint32_t graph_id;
} __attribute__((packed, aligned(8)));

struct Api {  // CUpti_ActivityAPI
  uint32_t kind, cbid;
  uint64_t start, end;
  uint32_t process_id, thread_id, correlation_id, return_value;
} __attribute__((packed, aligned(8)));

struct Synchronization {  // CUpti_ActivitySynchronization, 2
  uint32_t kind, type;
  uint64_t start, end;
  uint32_t correlation_id, context_id, stream_id, event_id;
  uint64_t event_sync_id;  // since 12.8, with the next
  uint32_t return_value;
} __attribute__((packed, aligned(8)));

struct Overhead {  // CUpti_ActivityOverhead, 2, 3
  uint32_t kind, overhead_kind, object_kind;
  uint32_t object_id[3];  // process id, thread id (or device, context, stream)
  uint64_t start, end;
} __attribute__((packed, aligned(8)));

struct GraphTrace {  // CUpti_ActivityGraphTrace, 2
  uint32_t kind, correlation_id;
  uint64_t start, end;
  uint32_t device_id, graph_id, context_id, stream_id;
} __attribute__((packed, aligned(8)));

struct Device {  // CUpti_ActivityDevice2 to 5
  uint32_t kind, flags;
  uint64_t memory_bandwidth, memory_bytes;
  uint32_t constant_memory, l2_bytes, threads_per_warp, core_clock, copy_engines, sm_count, max_ipc, max_warps_per_sm,
      max_blocks_per_sm, max_shared_per_sm, max_registers_per_sm, max_registers_per_block, max_shared_per_block,
      max_threads_per_block, max_block[3], max_grid[3], cc_major, cc_minor, id, ecc_enabled;
  uint8_t uuid[16];
  const char* name;
} __attribute__((packed, aligned(8)));

struct CudaEvent {  // CUpti_ActivityCudaEvent, 2
  uint32_t kind, correlation_id, context_id, stream_id, event_id, pad;
  uint32_t device_id, pad2;  // since 12.8, with all the rest
  void* reserved0;
  uint64_t device_timestamp, event_sync_id;
} __attribute__((packed, aligned(8)));

struct MemoryOperation {  // CUpti_ActivityMemory2 to 4
  uint32_t kind, operation, memory_kind, correlation_id;
  uint64_t address, bytes, timestamp, program_counter;
  uint32_t process_id, device_id, context_id, stream_id;
  const char* name;
  uint32_t is_async, pad1, pool_type, pad2;
  uint64_t pool_address;
} __attribute__((packed, aligned(8)));

struct MemoryPool {  // CUpti_ActivityMemoryPool, 2, 3
  uint32_t kind, operation, pool_type, correlation_id, process_id, device_id;
  uint64_t min_bytes_to_keep, address, size, release_threshold, timestamp;
  uint64_t utilized_size;  // since MemoryPool2 (11.6)
} __attribute__((packed, aligned(8)));
constexpr uint32_t kSincePoolUse = 17;  // 11.6

struct Module {  // CUpti_ActivityModule
  uint32_t kind, context_id, id, cubin_size;
  const void* cubin;
} __attribute__((packed, aligned(8)));

struct Jit {  // CUpti_ActivityJit, 2
  uint32_t kind, entry_type, operation, device_id;
  uint64_t start, end;
  uint32_t correlation_id, padding;
  uint64_t operation_correlation_id, cache_size;
  const char* cache_path;
  uint32_t process_id, thread_id;  // since 12.8
} __attribute__((packed, aligned(8)));

struct UnifiedMemory {  // CUpti_ActivityUnifiedMemoryCounter2, 3
  uint32_t kind, counter_kind;
  uint64_t value, start, end, address;
  uint32_t src_id, dst_id, stream_id, process_id, flags, pad;
} __attribute__((packed, aligned(8)));

struct UnifiedMemoryConfig {  // CUpti_ActivityUnifiedMemoryCounterConfig
  uint32_t scope, kind, device_id, enable;
};
constexpr uint32_t kScopeAllDevices = 2;  // ..._SCOPE_PROCESS_ALL_DEVICES

struct ExternalCorrelation {  // CUpti_ActivityExternalCorrelation
  uint32_t kind, external_kind;
  uint64_t external_id;
  uint32_t correlation_id, reserved;
} __attribute__((packed, aligned(8)));

// Callbacks (cupti_callbacks.h).
using Subscriber = void*;
using Callback = void (*)(void* context, uint32_t domain, uint32_t id, const void* data);
constexpr uint32_t kDriverDomain = 1, kRuntimeDomain = 2, kResourceDomain = 3;  // CUpti_CallbackDomain
constexpr uint32_t kGraphNodeCreated = 13, kGraphNodeCloned = 20;               // CUpti_CallbackIdResource
constexpr uint32_t kContextCreated = 1, kContextDestroyStarting = 2, kModuleLoaded = 6, kModuleUnloadStarting = 7;
struct CallbackData {  // CUpti_CallbackData
  uint32_t site;       // 0 entered, 1 left
  const char* function;
  const void* parameters;  // the call's structure of generated_cuda(_runtime_api)_meta.h
  void* return_value;
  const char* symbol;  // of a launch: the kernel's mangled name
  void* context;
  uint32_t context_id;
  uint64_t* own;  // of the subscriber, from the entry to the exit of a call
  uint32_t correlation_id;
};
struct ResourceData {  // CUpti_ResourceData
  void* context;
  void* handle;
  const void* descriptor;
};
struct ModuleResource {  // CUpti_ModuleResourceData
  uint32_t id;
  size_t cubin_bytes;
  const void* cubin;
};
struct GraphData {  // CUpti_GraphData
  void* graph;
  void* original_graph;
  void* node;
  void* original_node;
};

using BufferRequested = void (*)(uint8_t** buffer, size_t* size, size_t* max_records);
using BufferCompleted = void (*)(void* context, uint32_t stream_id, uint8_t* buffer, size_t size, size_t valid);

// What is looked up in libcupti; null: this CUPTI does not have it.
#define WS_CUPTI_FUNCTIONS(X)                                                    \
  X(GetVersion, (uint32_t*))                                                     \
  X(ActivityRegisterCallbacks, (BufferRequested, BufferCompleted))               \
  X(ActivityEnable, (uint32_t))                                                  \
  X(ActivityDisable, (uint32_t))                                                 \
  X(ActivityGetNextRecord, (uint8_t*, size_t, Record**))                         \
  X(ActivityGetNumDroppedRecords, (void*, uint32_t, size_t*))                    \
  X(ActivityFlushAll, (uint32_t))                                                \
  X(ActivityFlushPeriod, (uint32_t))                                             \
  X(ActivitySetAttribute, (uint32_t, size_t*, void*))                            \
  X(ActivityEnableRuntimeApi, (uint32_t, uint8_t))                               \
  X(ActivityEnableDriverApi, (uint32_t, uint8_t))                                \
  X(SetThreadIdType, (uint32_t))                                                 \
  X(GetTimestamp, (uint64_t*))                                                   \
  X(ActivityConfigureUnifiedMemoryCounter, (UnifiedMemoryConfig*, uint32_t))     \
  X(Subscribe, (Subscriber*, Callback, void*))                                   \
  X(EnableCallback, (uint32_t enable, Subscriber, uint32_t domain, uint32_t id)) \
  X(GetGraphNodeId, (void* node, uint64_t* id))                                  \
  X(GetDeviceId, (void* context, uint32_t* device))                              \
  X(GetStreamIdEx, (void* context, void* stream, uint8_t per_thread, uint32_t*)) \
  X(GetCallbackName, (uint32_t domain, uint32_t cbid, const char** name))

struct Functions {
#define X(name, arguments) int(*name) arguments = nullptr;
  WS_CUPTI_FUNCTIONS(X)
#undef X
};

}  // namespace warpscope::agent::cupti
