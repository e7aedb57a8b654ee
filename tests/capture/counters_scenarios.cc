// Programs whose launches are measured.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <thread>
#include <vector>

#include "scenarios.h"

namespace {

int (*g_measured)(const char*, uint32_t, uint32_t, uintptr_t, int);

constexpr uintptr_t kFirst = 0x1000, kSecond = 0x2000;  // contexts of two devices

void Launch(const char* name, uint32_t blocks = 10, uintptr_t context = kFirst) {
  g_measured(name, blocks, 128, context, 0);
}

int Threads(int count) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t, count] {
      const std::string name = "kernel_" + std::to_string(t);
      for (int i = 0; i < count; ++i) Launch(name.c_str(), static_cast<uint32_t>(10 + t));
    });
  }
  for (std::thread& thread : threads) thread.join();
  return 0;
}

int Fork(int count) {
  for (int i = 0; i < count; ++i) Launch("parent");
  const pid_t child = fork();
  if (child == 0) {
    Launch("child");
    _exit(5);
  }
  int state = 0;
  waitpid(child, &state, 0);
  Launch("parent", 11);
  return WIFEXITED(state) && WEXITSTATUS(state) == 5 ? 0 : 91;
}

}  // namespace

int RunCounters(const std::string& scenario, void* fake, int count) {
  g_measured = reinterpret_cast<decltype(g_measured)>(dlsym(fake, "fakeMeasuredLaunch"));
  if (scenario == "counters") {
    for (int i = 0; i < count; ++i) {
      Launch("_Z4evenPf", 10);
      Launch("_Z3oddPfi", static_cast<uint32_t>(20 + i));
    }
  } else if (scenario == "counters_threads") {
    return Threads(count);
  } else if (scenario == "counters_fork") {
    return Fork(count);
  } else if (scenario == "counters_contexts") {
    for (int i = 0; i < count; ++i) {
      Launch("here", 10, kFirst);
      Launch("there", 20, kSecond);
    }
  } else if (scenario == "counters_varying") {
    Launch("same");
    Launch("other", std::getenv("VARIES") != nullptr ? 11 : 10);
  } else if (scenario == "counters_graph") {
    const auto graph = reinterpret_cast<int (*)(uint32_t, uintptr_t)>(dlsym(fake, "fakeMeasuredGraph"));
    Launch("first");
    for (int i = 0; i < count; ++i)
      if (graph(6, kFirst) != 6) return 92;
  } else if (scenario == "counters_failing") {
    g_measured("failing", 10, 128, kFirst, 9);
    Launch("good");
  } else {
    return -1;
  }
  return 0;
}
