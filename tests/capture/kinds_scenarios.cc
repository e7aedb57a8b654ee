// The rarer kinds of records: graphs, memory, modules, compilation, unified memory, events.
#include <dlfcn.h>
#include <time.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include "scenarios.h"

namespace {

void* g_fake = nullptr;

template <typename... Arguments>
void Order(const char* name, Arguments... arguments) {
  const auto function = reinterpret_cast<void (*)(Arguments...)>(dlsym(g_fake, name));
  if (function == nullptr) std::fprintf(stderr, "%s is missing\n", name);
  else function(arguments...);
}

void Launch(const char* name) { Order("fakeLaunch", name, uint32_t{1}, 0); }

// Three replays of a graph whose nodes were captured and cloned before.
int Graph(int count) {
  constexpr uint64_t kFirst = 0x500000001, kCaptured = 0x400000001;
  for (uint64_t i = 0; i < 4; ++i) Order("fakeCapture", kCaptured + i, kFirst + i);
  for (int i = 0; i < count; ++i) Order("fakeGraphLaunch", kFirst, 24, 7);
  return 3;
}

int Startup() {
  for (uint32_t i = 1; i <= 3; ++i) Order("fakeModule", i * 1000);
  Order("fakeJit");
  Launch("after_compilation");
  return 3;
}

int Memory() {
  Order("fakeMemory", 0, uint64_t{0x1000}, uint64_t{4096});
  Order("fakeMemory", 0, uint64_t{0x9000}, uint64_t{100});
  Order("fakeMemory", 1, uint64_t{0x1000}, uint64_t{0});
  Order("fakePool", uint64_t{1 << 20}, uint64_t{5000});
  return 3;
}

int Unified() {
  Order("fakeAwaitUnified");
  Order("fakeUnified", uint32_t{1}, uint64_t{65536});
  Order("fakeUnified", uint32_t{2}, uint64_t{4096});
  Order("fakeUnified", uint32_t{4}, uint64_t{17});
  Order("fakeUnified", uint32_t{3}, uint64_t{0x55ba0000aa61});
  return 4;
}

int Calls() {
  Order("fakeExternal", uint64_t{77});
  Order("fakeCall", uint32_t{3}, uint32_t{0});
  Order("fakeCall", uint32_t{3}, uint32_t{2});  // out of memory
  Order("fakeCall", uint32_t{5}, uint32_t{0});  // cudaGetDevice: not in the light set
  return 3;
}

int Events() {
  Launch("producer");
  Order("fakeEventWait", uint64_t{41});
  Order("fakeEventWait", uint64_t{42});
  Order("fakeLaunchOn8", "consumer");
  return 3;
}

// A module is unloaded, and another one's name comes to lie at the same address.
int ReusedName() {
  static char name[32];
  for (int i = 0; i < 3; ++i) {
    std::snprintf(name, sizeof(name), "kernel_of_module_%d", i);
    for (int k = 0; k < 5; ++k) Launch(name);
    Order("fakeHandOver");
    struct timespec pause = {0, 100000000};
    nanosleep(&pause, nullptr);
  }
  return 3;
}

void Sleep(long ms) {
  struct timespec pause = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&pause, nullptr);
}

// Threads that work and launch through the runtime; the agent sees them at work before they launch.
int BusyThreads(int count) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([count] {
      timespec used{};
      while (used.tv_nsec < 80000000 && used.tv_sec == 0) clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
      Sleep(400);
      for (int i = 0; i < count; ++i) Order("fakeRuntimeLaunch", "of_a_thread");
    });
  }
  for (std::thread& thread : threads) thread.join();
  return 3;
}

}  // namespace

int RunKinds(const std::string& scenario, void* fake, int count) {
  g_fake = fake;
  if (scenario == "graph") return Graph(count);
  if (scenario == "startup") return Startup();
  if (scenario == "memory") return Memory();
  if (scenario == "unified") return Unified();
  if (scenario == "returns") return Calls();
  if (scenario == "events") return Events();
  if (scenario == "busy_threads") return BusyThreads(count);
  if (scenario == "reused_name") return ReusedName();
  return -1;
}
