// An injected library that switches CUPTI's kinds on and off while a program runs, in the way that TOGGLE names, to
// find out which ways hang it (tests/device/toggle.py). Every buffer is thrown away.
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "agent/cupti_loader.h"

namespace {

using namespace warpscope::agent;

constexpr size_t kBufferBytes = size_t{512} << 10;
constexpr uint32_t kMostIds = 1200;
constexpr useconds_t kPauseUs = 100000;  // between two switches

LoadedCupti g_cupti;
cupti::Subscriber g_subscriber = nullptr;
const char* g_way = "";
std::atomic<int> g_wanted{0}, g_actual{0};
std::atomic<uint64_t> g_switches{0};

void OnRequest(uint8_t** buffer, size_t* size, size_t* most) {
  *most = 0;
  *size = kBufferBytes;
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(64, kBufferBytes));
}
void OnComplete(void*, uint32_t, uint8_t* buffer, size_t, size_t) { std::free(buffer); }

bool Has(const char* word) { return strstr(g_way, word) != nullptr; }

// A launch through the runtime is told as that alone.
void ForLaunches(bool callback, int on) {
  const cupti::Functions& f = g_cupti.functions;
  for (const uint32_t domain : {cupti::kRuntimeDomain, cupti::kDriverDomain}) {
    for (uint32_t id = 1; id < kMostIds; ++id) {
      const char* name = nullptr;
      if (f.GetCallbackName(domain, id, &name) != cupti::kSuccess || name == nullptr) continue;
      if (strstr(name, "Launch") == nullptr || strstr(name, "Kernel") == nullptr) continue;
      if (callback) f.EnableCallback(static_cast<uint32_t>(on), g_subscriber, domain, id);
      else if (domain == cupti::kRuntimeDomain) f.ActivityEnableRuntimeApi(id, static_cast<uint8_t>(on));
      else f.ActivityEnableDriverApi(id, static_cast<uint8_t>(on));
    }
  }
}

void SwitchKinds(int on) {
  const cupti::Functions& f = g_cupti.functions;
  const uint32_t few[] = {cupti::kConcurrentKernel};
  const uint32_t many[] = {cupti::kDevice, cupti::kConcurrentKernel, cupti::kMemcpy,
                           cupti::kMemset, cupti::kSynchronization,  cupti::kOverhead};
  const uint32_t* kinds = Has("many") ? many : few;
  for (uint32_t i = 0; i < (Has("many") ? sizeof(many) / sizeof(*many) : 1); ++i)
    on != 0 ? f.ActivityEnable(kinds[i]) : f.ActivityDisable(kinds[i]);
  g_switches.fetch_add(1);
}

// An application thread that leaves a launch.
void OnCall(void*, uint32_t, uint32_t, const void* data) {
  if (static_cast<const cupti::CallbackData*>(data)->site != 1) return;
  const int wanted = g_wanted.load();
  int actual = 1 - wanted;
  if (g_actual.compare_exchange_strong(actual, wanted)) SwitchKinds(wanted);
}

void* Thread(void*) {
  const cupti::Functions& f = g_cupti.functions;
  for (int on = 1;; on = 1 - on) {
    usleep(kPauseUs);
    if (Has("callback")) {
      g_wanted.store(on);
      ForLaunches(true, 1);
      for (int i = 0; i < 50 && g_actual.load() != on; ++i) usleep(1000);
      ForLaunches(true, 0);
      continue;
    }
    if (Has("flush0")) f.ActivityFlushAll(0);
    if (Has("flush1")) f.ActivityFlushAll(1);
    if (Has("calls")) ForLaunches(false, on);
    if (Has("kernels") || Has("many")) SwitchKinds(on);
    g_switches.fetch_add(1);
  }
  return nullptr;
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) uint64_t ToggleCount() { return g_switches.load(); }

__attribute__((visibility("default"))) int InitializeInjection() {
  static bool once = false;
  if (once) return 1;
  once = true;
  if (const char* way = getenv("TOGGLE")) g_way = way;
  if (!LoadCupti(&g_cupti)) return 1;
  const cupti::Functions& f = g_cupti.functions;
  f.ActivityRegisterCallbacks(OnRequest, OnComplete);
  if (Has("period")) f.ActivityFlushPeriod(40);
  if (Has("callback") && f.Subscribe(&g_subscriber, OnCall, nullptr) != cupti::kSuccess) return 1;
  if (Has("always")) SwitchKinds(1);
  pthread_t thread;
  pthread_create(&thread, nullptr, Thread, nullptr);
  return 1;
}
}
