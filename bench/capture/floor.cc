// What CUPTI itself costs: an injected library that switches on what FLOOR names and throws every buffer away.
// FLOOR: sets with semicolons between. The set in force is number (wall clock in ms / FLOOR_SLOT_MS) % sets, so a program can
// compare them within one process, where nothing else differs. A set: words with commas between: a number
// (activity kind), latency, runtime=TEXT or driver=TEXT (calls whose name holds TEXT), call=TEXT (a callback on those runtime calls
// that does nothing), flush (hands complete buffers over every 40 ms). [MT]
#include <dlfcn.h>
#include <pthread.h>
#include <time.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "agent/cupti_loader.h"

namespace {

using namespace warpscope::agent;

constexpr size_t kBufferBytes = size_t{512} << 10;
constexpr uint32_t kMostIds = 1200;

LoadedCupti g_cupti;
int (*g_enable_callback)(uint32_t, void*, uint32_t, uint32_t) = nullptr;
void* g_subscriber = nullptr;
bool g_flush = false;

void OnRequest(uint8_t** buffer, size_t* size, size_t* most) {
  *most = 0;
  *size = kBufferBytes;
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(64, kBufferBytes));
}
void OnComplete(void*, uint32_t, uint8_t* buffer, size_t, size_t) { std::free(buffer); }
void OnCall(void*, uint32_t, uint32_t, const void*) {}

bool Is(const char* word, size_t size, const char* start) { return size > strlen(start) && memcmp(word, start, strlen(start)) == 0; }

void SwitchCalls(uint32_t domain, bool callback, const char* text, size_t size, uint8_t on) {
  const cupti::Functions& f = g_cupti.functions;
  for (uint32_t id = 1; id < kMostIds; ++id) {
    const char* name = nullptr;
    if (f.GetCallbackName(domain, id, &name) != cupti::kSuccess || name == nullptr) continue;
    if (memmem(name, strlen(name), text, size) == nullptr) continue;
    if (callback) g_enable_callback(on, g_subscriber, domain, id);
    else if (domain == 1) f.ActivityEnableDriverApi(id, on);
    else f.ActivityEnableRuntimeApi(id, on);
  }
}

void Switch(const char* word, size_t size, uint8_t on) {
  constexpr uint32_t kDriver = 1, kRuntime = 2;
  const cupti::Functions& f = g_cupti.functions;
  if (size == 7 && memcmp(word, "latency", 7) == 0) f.ActivityEnableLatencyTimestamps(on);
  else if (size == 5 && memcmp(word, "flush", 5) == 0) g_flush = on != 0;
  else if (Is(word, size, "runtime=")) SwitchCalls(kRuntime, false, word + 8, size - 8, on);
  else if (Is(word, size, "driver=")) SwitchCalls(kDriver, false, word + 7, size - 7, on);
  else if (Is(word, size, "call=")) SwitchCalls(kRuntime, true, word + 5, size - 5, on);
  else if (const unsigned long kind = strtoul(word, nullptr, 10); kind != 0)
    on ? f.ActivityEnable(static_cast<uint32_t>(kind)) : f.ActivityDisable(static_cast<uint32_t>(kind));
}

void SwitchSet(const char* set, uint8_t on) {
  while (*set != '\0' && *set != ';') {
    const size_t size = strcspn(set, ",;");
    Switch(set, size, on);
    set += size + (set[size] == ',' ? 1 : 0);
  }
}

const char* Set(const char* sets, unsigned number) {
  for (; number > 0; --number) sets = strchr(sets, ';') + 1;
  return sets;
}

void* Switcher(void* argument) {
  const char* sets = static_cast<const char*>(argument);
  unsigned count = 1;
  for (const char* at = sets; *at != '\0'; ++at) count += *at == ';' ? 1 : 0;
  const char* slot_text = getenv("FLOOR_SLOT_MS");
  const unsigned long slot_ms = slot_text == nullptr ? 1000 : strtoul(slot_text, nullptr, 10);
  const char* current = sets;
  int64_t flushed_ms = 0;
  // Switching while the driver is starting locks it up (CUPTI 13.0.1).
  const char* start_text = getenv("FLOOR_START_MS");
  const unsigned long start_ms = start_text == nullptr ? 1000 : strtoul(start_text, nullptr, 10);
  const timespec start{static_cast<time_t>(start_ms / 1000), static_cast<long>(start_ms % 1000 * 1000000)};
  nanosleep(&start, nullptr);
  for (;;) {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    const int64_t ms = int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1000000;
    const char* wanted = Set(sets, static_cast<unsigned>(static_cast<uint64_t>(ms) / slot_ms % count));
    if (wanted != current) {
      SwitchSet(current, 0);
      SwitchSet(current = wanted, 1);
    }
    if (g_flush && ms - flushed_ms >= 40) {
      g_cupti.functions.ActivityFlushAll(0);
      flushed_ms = ms;
    }
    const timespec pause{0, 2'000'000};
    nanosleep(&pause, nullptr);
  }
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  static pthread_t thread;
  const char* sets = getenv("FLOOR");
  if (sets == nullptr || *sets == '\0' || !LoadCupti(&g_cupti)) return 1;
  g_cupti.functions.ActivityRegisterCallbacks(OnRequest, OnComplete);
  if (strstr(sets, "call=") != nullptr) {
    auto* const library = dlopen(g_cupti.path, RTLD_NOLOAD | RTLD_NOW);
    const auto subscribe = reinterpret_cast<int (*)(void**, void*, void*)>(dlsym(library, "cuptiSubscribe"));
    g_enable_callback = reinterpret_cast<decltype(g_enable_callback)>(dlsym(library, "cuptiEnableCallback"));
    subscribe(&g_subscriber, reinterpret_cast<void*>(&OnCall), nullptr);
  }
  SwitchSet(sets, 1);
  pthread_create(&thread, nullptr, Switcher, const_cast<char*>(sets));
  return 1;
}
