// Records of the rarer kinds that the host program orders from the fake CUPTI.
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/cupti_abi.h"
#include "fake_cupti.h"

using namespace warpscope::agent::cupti;
using namespace fake;

namespace {

uint32_t ThisThread() { return static_cast<uint32_t>(syscall(SYS_gettid)); }

void AppendCall(uint32_t cbid, uint64_t start, uint64_t end, uint32_t id, uint32_t result) {
  if (!CallOn(cbid)) return;
  Api api{};
  api.kind = kRuntime;
  api.cbid = cbid;
  api.start = start;
  api.end = end;
  api.thread_id = ThisThread();
  api.correlation_id = id;
  api.return_value = result;
  Append(api);
}

}  // namespace

// A call of number `cbid` of 1 us that returns `result`.
EXPORT void fakeCall(uint32_t cbid, uint32_t result) {
  Locked hold;
  const uint64_t now = Now();
  AppendCall(cbid, now, now + 1000, NextCorrelation(), result);
}

// cudaGraphLaunch of a graph whose nodes are numbered from `first_node`: kernels, then copies, then one memset. All
// carry the correlation id of the launch.
EXPORT void fakeGraphLaunch(uint64_t first_node, int kernels, int copies) {
  Locked hold;
  const uint64_t now = Now();
  const uint32_t id = NextCorrelation();
  AppendCall(4, now, now + 5000, id, 0);
  uint64_t node = first_node, at = now + 6000;
  for (int i = 0; i < kernels && On(kConcurrentKernel); ++i, at += 1000) {
    Kernel kernel{};
    kernel.kind = kConcurrentKernel;
    kernel.start = at;
    kernel.end = at + 700;
    kernel.stream_id = 7;
    kernel.context_id = 1;
    kernel.grid[0] = kernel.grid[1] = kernel.grid[2] = 2;
    kernel.block[0] = 64;
    kernel.block[1] = kernel.block[2] = 1;
    kernel.cluster[0] = 2;
    kernel.cluster[1] = kernel.cluster[2] = 1;
    kernel.correlation_id = id;
    kernel.name = i % 2 == 0 ? "graph_even" : "graph_odd";
    kernel.graph_node_id = node++;
    kernel.graph_id = 5;
    Append(kernel);
  }
  for (int i = 0; i < copies && On(kMemcpy); ++i, at += 1000) {
    Memcpy copy{};
    copy.kind = kMemcpy;
    copy.copy_kind = 8;  // device to device
    copy.src_kind = copy.dst_kind = 3;
    copy.bytes = 4096;
    copy.start = at;
    copy.end = at + 300;
    copy.stream_id = 7;
    copy.context_id = 1;
    copy.correlation_id = id;
    copy.graph_node_id = node++;
    copy.graph_id = 5;
    Append(copy);
  }
  if (!On(kMemset)) return;
  Memset memset{};
  memset.kind = kMemset;
  memset.bytes = 64;
  memset.start = at;
  memset.end = at + 100;
  memset.stream_id = 7;
  memset.context_id = 1;
  memset.memory_kind = 3;
  memset.correlation_id = id;
  memset.graph_node_id = node;
  memset.graph_id = 5;
  Append(memset);
}

// A node under capture, inside cudaLaunchKernel, and its clone as the graph is instantiated.
EXPORT void fakeCapture(uint64_t node, uint64_t clone) {
  if (g_callback == nullptr || !g_callback_on[kResourceDomain][kGraphNodeCreated]) return;
  const CallbackData enter = {0, "cudaLaunchKernel"}, leave = {1, "cudaLaunchKernel"};
  GraphData graph{};
  graph.node = reinterpret_cast<void*>(node);
  ResourceData resource{};
  resource.descriptor = &graph;
  if (g_callback_on[kRuntimeDomain][1]) Call(kRuntimeDomain, 1, &enter);
  Call(kResourceDomain, kGraphNodeCreated, &resource);
  if (g_callback_on[kRuntimeDomain][1]) Call(kRuntimeDomain, 1, &leave);
  graph.original_node = graph.node;
  graph.node = reinterpret_cast<void*>(clone);
  Call(kResourceDomain, kGraphNodeCloned, &resource);
}

EXPORT void fakeMemory(int release, uint64_t address, uint64_t bytes) {
  Locked hold;
  if (!On(kMemory2)) return;
  MemoryOperation operation{};
  operation.kind = kMemory2;
  operation.operation = release != 0 ? kMemoryRelease : kMemoryAllocation;
  operation.memory_kind = 3;
  operation.address = address;
  operation.bytes = bytes;
  operation.timestamp = Now();
  operation.correlation_id = NextCorrelation();
  Append(operation);
}

EXPORT void fakePool(uint64_t bytes, uint64_t used_bytes) {
  Locked hold;
  if (!On(kMemoryPool)) return;
  MemoryPool pool{};
  pool.kind = kMemoryPool;
  pool.operation = 1;
  pool.pool_type = 1;
  pool.size = bytes;
  pool.utilized_size = used_bytes;
  pool.timestamp = Now();
  Append(pool);
}

EXPORT void fakeModule(uint32_t bytes) {
  Locked hold;
  if (!On(kModule)) return;
  Module module{};
  module.kind = kModule;
  module.cubin_size = bytes;
  module.cubin = reinterpret_cast<const void*>(uintptr_t{1});  // must not be read
  Append(module);
}

// 10 ms of compilation on this thread, ending now.
EXPORT void fakeJit() {
  Locked hold;
  if (!On(kJit)) return;
  Jit jit{};
  jit.kind = kJit;
  jit.entry_type = 1;
  jit.operation = 3;
  jit.end = Now();
  jit.start = jit.end - 10000000;
  jit.thread_id = ThisThread();
  Append(jit);
}

// Until the agent has asked for unified memory, which it can only once CUDA runs.
EXPORT void fakeAwaitUnified() {
  for (int i = 0; i < 3000; ++i) {
    {
      Locked hold;
      if (On(kUnifiedMemory)) return;
    }
    usleep(10'000);
  }
}

EXPORT void fakeUnified(uint32_t counter, uint64_t value) {
  Locked hold;
  if (!On(kUnifiedMemory)) return;
  UnifiedMemory unified{};
  unified.kind = kUnifiedMemory;
  unified.counter_kind = counter;
  unified.value = value;
  unified.start = Now();
  unified.end = unified.start + 2000;
  Append(unified);
}

EXPORT void fakeExternal(uint64_t id) {
  Locked hold;
  if (!On(kExternalCorrelation)) return;
  ExternalCorrelation external{};
  external.kind = kExternalCorrelation;
  external.external_kind = 3;
  external.external_id = id;
  external.correlation_id = NextCorrelation(false);  // of the next call
  Append(external);
}

// Event 9 is recorded in stream 7 as its number `record`, and stream 8 is made to wait for it.
EXPORT void fakeEventWait(uint64_t record) {
  Locked hold;
  if (On(kCudaEvent)) {
    CudaEvent event{};
    event.kind = kCudaEvent;
    event.correlation_id = NextCorrelation();
    event.context_id = 1;
    event.stream_id = 7;
    event.event_id = 9;
    event.event_sync_id = record;
    Append(event);
  }
  if (!On(kSynchronization)) return;
  Synchronization sync{};
  sync.kind = kSynchronization;
  sync.type = 2;
  sync.start = Now();
  sync.end = sync.start + 100;
  sync.correlation_id = NextCorrelation();
  sync.context_id = 1;
  sync.stream_id = 8;
  sync.event_id = 9;
  sync.event_sync_id = record;
  Append(sync);
}

// A kernel of that name on stream 8.
EXPORT void fakeLaunchOn8(const char* name) {
  Locked hold;
  if (!On(kConcurrentKernel)) return;
  Kernel kernel{};
  kernel.kind = kConcurrentKernel;
  kernel.start = Now();
  kernel.end = kernel.start + 100;
  kernel.stream_id = 8;
  kernel.context_id = 1;
  kernel.grid[0] = kernel.grid[1] = kernel.grid[2] = 1;
  kernel.block[0] = kernel.block[1] = kernel.block[2] = 1;
  kernel.correlation_id = NextCorrelation();
  kernel.name = name;
  Append(kernel);
}

// A launch through the runtime, as CUPTI tells it: a record of the runtime's call if that is on, none of the driver's.
EXPORT void fakeRuntimeLaunch(const char* name) {
  Locked hold;
  const uint64_t now = Now();
  const uint32_t id = NextCorrelation();
  AppendCall(1, now, now + 2000, id, 0);
  if (!On(kConcurrentKernel)) return;
  Kernel kernel{};
  kernel.kind = kConcurrentKernel;
  kernel.start = now + 3000;
  kernel.end = now + 3500;
  kernel.stream_id = 7;
  kernel.context_id = 1;
  kernel.grid[0] = kernel.grid[1] = kernel.grid[2] = 1;
  kernel.block[0] = kernel.block[1] = kernel.block[2] = 1;
  kernel.correlation_id = id;
  kernel.name = name;
  Append(kernel);
}
