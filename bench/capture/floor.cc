// What CUPTI itself costs: an injected library that switches on what FLOOR names and throws every buffer away.
// FLOOR: sets with semicolons between. The set in force is number (wall clock in ms / FLOOR_SLOT_MS) % sets, so a
// program can compare them within one process, where nothing else differs. A set: words with commas between: a number
// (activity kind), latency, runtime=TEXT or driver=TEXT (calls whose name holds TEXT), agent-runtime or agent-driver
// (the calls that the agent records), call=TEXT (a callback on those runtime calls that does nothing), flush (CUPTI
// hands complete buffers over every 25 ms, as it does for the agent). [one thread]
#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "agent/call_names.h"
#include "agent/cupti_loader.h"

namespace {

using namespace warpscope::agent;

constexpr size_t kBufferBytes = size_t{512} << 10;
constexpr uint32_t kMostIds = 1200;

LoadedCupti g_cupti;
int (*g_enable_callback)(uint32_t, void*, uint32_t, uint32_t) = nullptr;
int (*g_latency)(uint8_t) = nullptr;
void* g_subscriber = nullptr;

void OnRequest(uint8_t** buffer, size_t* size, size_t* most) {
  *most = 0;
  *size = kBufferBytes;
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(64, kBufferBytes));
}
void OnComplete(void*, uint32_t, uint8_t* buffer, size_t, size_t) { std::free(buffer); }
void OnCall(void*, uint32_t, uint32_t, const void*) {}

bool Is(const char* word, size_t size, const char* start) {
  return size > strlen(start) && memcmp(word, start, strlen(start)) == 0;
}

// text: nullptr for the calls that the agent records.
void SwitchCalls(uint32_t domain, bool callback, const char* text, size_t size, uint8_t on) {
  const cupti::Functions& f = g_cupti.functions;
  for (uint32_t id = 1; id < kMostIds; ++id) {
    const char* name = nullptr;
    if (f.GetCallbackName(domain, id, &name) != cupti::kSuccess || name == nullptr) continue;
    const bool wanted =
        text == nullptr ? IsLightCall(name) || IsLaunchCall(name) : memmem(name, strlen(name), text, size) != nullptr;
    if (!wanted) continue;
    if (callback) g_enable_callback(on, g_subscriber, domain, id);
    else if (domain == 1) f.ActivityEnableDriverApi(id, on);
    else f.ActivityEnableRuntimeApi(id, on);
  }
}

void Switch(const char* word, size_t size, uint8_t on) {
  constexpr uint32_t kDriver = 1, kRuntime = 2;
  const cupti::Functions& f = g_cupti.functions;
  if (size == 7 && memcmp(word, "latency", 7) == 0) g_latency(on);
  else if (size == 5 && memcmp(word, "flush", 5) == 0) f.ActivityFlushPeriod(on != 0 ? 25 : 0);
  else if (size == 13 && memcmp(word, "agent-runtime", 13) == 0) SwitchCalls(kRuntime, false, nullptr, 0, on);
  else if (size == 12 && memcmp(word, "agent-driver", 12) == 0) SwitchCalls(kDriver, false, nullptr, 0, on);
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

}  // namespace

const char* g_sets = nullptr;
int g_current = 0;

extern "C" {

__attribute__((visibility("default"))) int InitializeInjection() {
  g_sets = getenv("FLOOR");
  if (g_sets == nullptr || *g_sets == '\0' || !LoadCupti(&g_cupti)) return 1;
  g_cupti.functions.ActivityRegisterCallbacks(OnRequest, OnComplete);
  if (strstr(g_sets, "call=") != nullptr) {
    const auto subscribe = reinterpret_cast<int (*)(void**, void*, void*)>(dlsym(g_cupti.handle, "cuptiSubscribe"));
    g_enable_callback = reinterpret_cast<decltype(g_enable_callback)>(dlsym(g_cupti.handle, "cuptiEnableCallback"));
    subscribe(&g_subscriber, reinterpret_cast<void*>(&OnCall), nullptr);
  }
  g_latency = reinterpret_cast<decltype(g_latency)>(dlsym(g_cupti.handle, "cuptiActivityEnableLatencyTimestamps"));
  SwitchSet(g_sets, 1);
  return 1;
}

// Puts set `number` in force; the device should be idle.
__attribute__((visibility("default"))) void FloorSet(int number) {
  if (number == g_current) return;
  SwitchSet(Set(g_sets, static_cast<unsigned>(g_current)), 0);
  SwitchSet(Set(g_sets, static_cast<unsigned>(number)), 1);
  g_current = number;
}
}
