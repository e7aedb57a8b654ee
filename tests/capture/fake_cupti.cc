// A CUPTI for tests: it answers as the real one does, asks for buffers, fills them with records that the host program
// orders, and can misbehave as real ones did (docs: tests/capture/README.md). [MT] as CUPTI is.
#include "fake_cupti.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

#include "agent/cupti_abi.h"

using namespace warpscope::agent::cupti;

namespace {

struct Buffer {
  uint8_t* bytes = nullptr;
  size_t size = 0, used = 0;
};

pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
BufferRequested g_request = nullptr;
BufferCompleted g_complete = nullptr;
Buffer g_buffer;
uint64_t g_enabled = 0;
uint32_t g_next_correlation = 1;
std::atomic<size_t> g_dropped{0};
const char* const kDriverNames[] = {"", "cuLaunchKernel", "cuMemcpyHtoD_v2", "cuProfilerStart", "cuProfilerStop"};
const char* const kRuntimeNames[] = {"",
                                     "cudaLaunchKernel_v7000",
                                     "cudaDeviceSynchronize_v3020",
                                     "cudaMalloc_v3020",
                                     "cudaGraphLaunch_v10000",
                                     "cudaGetDevice_v3020",
                                     "cudaProfilerStart_v4000",
                                     "cudaProfilerStop_v4000"};
void* g_callback_context = nullptr;
bool g_driver_on[8], g_runtime_on[8];
int g_registrations = 0;

int Mode(const char* name) {
  const char* value = getenv(name);
  return value == nullptr ? 0 : atoi(value);
}

void Complete() {
  if (g_buffer.bytes == nullptr) return;
  const Buffer done = g_buffer;
  g_buffer = Buffer();
  g_complete(nullptr, 0, done.bytes, done.size, done.used);
}

}  // namespace

namespace fake {

uint64_t Now() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

Callback g_callback = nullptr;
bool g_callback_on[4][32];

void AppendBytes(const void* record, size_t size) {
  if (g_request == nullptr) return;
  if (g_buffer.bytes != nullptr && g_buffer.used + size > g_buffer.size) Complete();
  if (g_buffer.bytes == nullptr) {
    size_t most = 0;
    g_request(&g_buffer.bytes, &g_buffer.size, &most);
    g_buffer.used = 0;
    if (g_buffer.bytes == nullptr || g_buffer.size < size) {
      g_buffer = Buffer();
      ++g_dropped;
      return;
    }
  }
  memcpy(g_buffer.bytes + g_buffer.used, record, size);
  g_buffer.used += size;
}

bool On(uint32_t kind) { return (g_enabled >> kind & 1) != 0; }
bool CallOn(uint32_t id) { return g_runtime_on[id] || On(kRuntime); }
uint32_t NextCorrelation(bool take) { return take ? g_next_correlation++ : g_next_correlation; }
void Call(uint32_t domain, uint32_t id, const void* data) { g_callback(g_callback_context, domain, id, data); }

Locked::Locked() { pthread_mutex_lock(&g_lock); }
Locked::~Locked() { pthread_mutex_unlock(&g_lock); }

}  // namespace fake

using fake::Append;
using fake::Now;
using fake::On;

namespace {

size_t SizeOf(uint32_t kind) {
  switch (kind) {
    case kConcurrentKernel: return sizeof(Kernel);
    case kRuntime:
    case kDriver: return sizeof(Api);
    case kMemcpy: return sizeof(Memcpy);
    case kMemset: return sizeof(Memset);
    case kSynchronization: return sizeof(Synchronization);
    case kCudaEvent: return sizeof(CudaEvent);
    case kOverhead: return sizeof(Overhead);
    case kMemory2: return sizeof(MemoryOperation);
    case kMemoryPool: return sizeof(MemoryPool);
    case kModule: return sizeof(Module);
    case kJit: return sizeof(Jit);
    case kUnifiedMemory: return sizeof(UnifiedMemory);
    case kExternalCorrelation: return sizeof(ExternalCorrelation);
    case kDevice: return sizeof(Device);
    default: return 0;
  }
}

}  // namespace

EXPORT int cuptiGetVersion(uint32_t* version) {
  *version = 130001;
  return kSuccess;
}
EXPORT int cuptiActivityRegisterCallbacks(BufferRequested request, BufferCompleted complete) {
  if (Mode("FAKE_REFUSES") != 0) return kMultipleSubscribers;
  ++g_registrations;
  g_request = request;
  g_complete = complete;
  return kSuccess;
}
EXPORT int cuptiActivityEnable(uint32_t kind) {
  static std::atomic<int> left{Mode("FAKE_UNIFIED_NOT_READY")};  // tries before CUDA is initialised
  if (kind == kUnifiedMemory && left.fetch_sub(1) > 0) return kNotReady;
  pthread_mutex_lock(&g_lock);
  g_enabled |= uint64_t{1} << kind;
  if (kind == kDevice) {
    Device device{};
    device.kind = kDevice;
    device.name = "Fake GPU";
    device.sm_count = 4;
    device.cc_major = 9;
    device.threads_per_warp = 32;
    device.max_warps_per_sm = 64;
    Append(device);
  }
  pthread_mutex_unlock(&g_lock);
  return kSuccess;
}
EXPORT int cuptiActivityDisable(uint32_t kind) {
  g_enabled &= ~(uint64_t{1} << kind);
  return kSuccess;
}
EXPORT int cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid, Record** record) {
  uint8_t* next = buffer;
  if (*record != nullptr) next = reinterpret_cast<uint8_t*>(*record) + SizeOf((*record)->kind);
  if (next >= buffer + valid) return kMaxLimitReached;
  *record = reinterpret_cast<Record*>(next);
  return kSuccess;
}
EXPORT int cuptiActivityGetNumDroppedRecords(void*, uint32_t, size_t* dropped) {
  if (Mode("FAKE_CANNOT_COUNT") != 0) return 999;
  *dropped = g_dropped.exchange(0);
  return kSuccess;
}
EXPORT int cuptiActivityFlushAll(uint32_t flag) {
  while (flag == 1 && Mode("FAKE_HANGS") != 0) sleep(1);
  pthread_mutex_lock(&g_lock);
  Complete();
  if (flag == 1 && On(kOverhead) &&
      Mode("FAKE_FLUSH_IS_TOLD") != 0) {  // the flush itself is a record, in a buffer of its own
    Overhead flush{};
    flush.kind = kOverhead;
    flush.overhead_kind = 2u << 16;
    flush.start = Now();
    flush.end = flush.start + 1000;
    Append(flush);
    Complete();
  }
  pthread_mutex_unlock(&g_lock);
  return kSuccess;
}
// CUPTI's own thread; only on request, since most tests want to say themselves what is handed over.
EXPORT int cuptiActivityFlushPeriod(uint32_t period_ms) {
  static uint32_t period;
  period = period_ms;
  if (Mode("FAKE_FLUSHES") == 0) return kSuccess;
  pthread_t thread;
  pthread_create(
      &thread, nullptr,
      [](void*) -> void* {
        for (;;) {
          usleep(period * 1000);
          cuptiActivityFlushAll(0);
        }
      },
      nullptr);
  return kSuccess;
}
EXPORT int cuptiActivityEnableRuntimeApi(uint32_t id, uint8_t on) {
  g_runtime_on[id] = on != 0;
  return kSuccess;
}
EXPORT int cuptiActivityEnableDriverApi(uint32_t id, uint8_t on) {
  g_driver_on[id] = on != 0;
  return kSuccess;
}
EXPORT int cuptiSetThreadIdType(uint32_t) { return kSuccess; }
EXPORT int cuptiGetCallbackName(uint32_t domain, uint32_t id, const char** name) {
  if (domain == 1 && id < sizeof(kDriverNames) / sizeof(*kDriverNames)) *name = kDriverNames[id];
  else if (domain == 2 && id < sizeof(kRuntimeNames) / sizeof(*kRuntimeNames)) *name = kRuntimeNames[id];
  else return 1;
  return kSuccess;
}

EXPORT int cuptiActivityConfigureUnifiedMemoryCounter(UnifiedMemoryConfig*, uint32_t) { return kSuccess; }
EXPORT int cuptiSubscribe(Subscriber* subscriber, Callback callback, void* context) {
  if (Mode("FAKE_SUBSCRIBED") != 0 || fake::g_callback != nullptr) return kMultipleSubscribers;
  fake::g_callback = callback;
  g_callback_context = context;
  *subscriber = &g_callback_context;
  return kSuccess;
}
EXPORT int cuptiEnableCallback(uint32_t on, Subscriber, uint32_t domain, uint32_t id) {
  if (domain < 4 && id < 32) fake::g_callback_on[domain][id] = on != 0;
  return kSuccess;
}
// A node's handle is its number.
EXPORT int cuptiGetGraphNodeId(void* node, uint64_t* id) {
  *id = reinterpret_cast<uint64_t>(node);
  return kSuccess;
}

// ---- What the host program orders.

// A launch and its kernel of 500 ns on stream 7. `bad_time`: as CUPTI's broken records are (start and end 0).
EXPORT void fakeLaunch(const char* name, uint32_t grid, int bad_time) {
  const CallbackData entered = {0, "cuLaunchKernel"}, left = {1, "cuLaunchKernel"};
  const bool calls_back = fake::g_callback != nullptr && fake::g_callback_on[1][1];
  if (calls_back) fake::Call(1, 1, &entered);
  pthread_mutex_lock(&g_lock);
  if (On(kConcurrentKernel)) {  // what CUPTI adds to a launch
    static const int added_ns = Mode("FAKE_LAUNCH_COSTS");
    for (const uint64_t until = Now() + static_cast<uint64_t>(added_ns); Now() < until;) {
    }
  }
  const uint32_t id = g_next_correlation++;
  const uint64_t now = Now();
  if (g_driver_on[1]) {
    Api api{};
    api.kind = kDriver;
    api.cbid = 1;
    api.start = now;
    api.end = now + 200;
    api.thread_id = static_cast<uint32_t>(syscall(SYS_gettid));
    api.correlation_id = id;
    Append(api);
  }
  if (On(kConcurrentKernel)) {
    Kernel kernel{};
    kernel.kind = kConcurrentKernel;
    kernel.start = bad_time ? 0 : now + 1000;
    kernel.end = bad_time ? 0 : now + 1500;
    kernel.stream_id = 7;
    kernel.context_id = 1;
    kernel.grid[0] = static_cast<int32_t>(grid);
    kernel.grid[1] = kernel.grid[2] = 1;
    kernel.block[0] = 128;
    kernel.block[1] = kernel.block[2] = 1;
    kernel.registers_per_thread = 32;
    kernel.correlation_id = id;
    kernel.name = name;
    if (g_registrations > 1) kernel.start -= 100'000'000'000'000;  // pytorch/pytorch#192021
    Append(kernel);
  }
  pthread_mutex_unlock(&g_lock);
  if (calls_back) fake::Call(1, 1, &left);
}

// cudaProfilerStart and cudaProfilerStop.
EXPORT void fakeProfiler(int start) {
  const uint32_t id = start != 0 ? 6 : 7;
  const CallbackData entered = {0, "cudaProfiler"}, left = {1, "cudaProfiler"};
  if (fake::g_callback == nullptr || !fake::g_callback_on[2][id]) return;
  fake::Call(2, id, &entered);
  fake::Call(2, id, &left);
}
// Another tool takes the buffers over, as CUPTI lets it.
EXPORT void fakeTakeOver() {
  cuptiActivityFlushAll(0);
  g_request = [](uint8_t** buffer, size_t* size, size_t* most) { *buffer = nullptr, *size = 0, *most = 0; };
}
// Hands the current buffer over twice (NVIDIA/Fuser#5402).
EXPORT void fakeCompleteTwice() {
  pthread_mutex_lock(&g_lock);
  const Buffer again = g_buffer;
  Complete();
  if (again.bytes != nullptr) g_complete(nullptr, 0, again.bytes, again.size, again.used);
  pthread_mutex_unlock(&g_lock);
}

// A call of cudaDeviceSynchronize of 1 us.
EXPORT void fakeSynchronize() {
  pthread_mutex_lock(&g_lock);
  const uint64_t now = Now();
  if (g_runtime_on[2]) {
    Api api{};
    api.kind = kRuntime;
    api.cbid = 2;
    api.start = now;
    api.end = now + 1000;
    api.thread_id = static_cast<uint32_t>(syscall(SYS_gettid));
    api.correlation_id = g_next_correlation++;
    Append(api);
  }
  pthread_mutex_unlock(&g_lock);
}

// Hands the current buffer over, as CUPTI's own thread does from time to time.
EXPORT void fakeHandOver() { cuptiActivityFlushAll(0); }
EXPORT void fakeDrop(size_t count) { g_dropped += count; }
// Completes a buffer that the agent never gave.
EXPORT void fakeForeignBuffer() {
  static uint8_t foreign[256];
  g_complete(nullptr, 0, foreign, sizeof(foreign), sizeof(foreign));
}
