// PC sampling: contexts, modules and samples that the fake CUPTI tells.
#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "scenarios.h"

namespace {

void* g_fake = nullptr;

template <typename... Arguments>
void Order(const char* name, Arguments... arguments) {
  const auto function = reinterpret_cast<void (*)(Arguments...)>(dlsym(g_fake, name));
  if (function == nullptr) std::fprintf(stderr, "%s is missing\n", name);
  else function(arguments...);
}

char g_chase[] = "_Z5chasePKiPi";
char g_sum[] = "sum_kernel";

void Sample(uint64_t code, uint32_t function, char* name, uint64_t offset, uint32_t reason, uint32_t samples) {
  Order("fakePcSample", code, function, name, offset, reason, samples);
}

struct Cubin {
  std::string bytes;
  uint64_t checksum = 1469598103934665603u;

  explicit Cubin(std::string text) : bytes(std::move(text)) {
    for (const char c : bytes) checksum = (checksum ^ static_cast<uint8_t>(c)) * 1099511628211u;
    checksum &= 0xffffffff;
  }
  void Load(uint32_t id, bool loaded) const {
    Order("fakeModuleCode", id, static_cast<const void*>(bytes.data()), bytes.size(), loaded ? 1 : 0);
  }
};

// Half of the samples come before a time to write, half after it.
int Stalls(int count) {
  static const Cubin code("machine code of two kernels"), other("code that nobody runs");
  Order("fakeContext", 1);
  code.Load(1, true);
  other.Load(2, true);
  for (int half = 0; half < 2; ++half) {
    for (int i = 0; i < count; ++i) {
      Order("fakeLaunch", static_cast<const char*>(g_sum), uint32_t{16}, 0);
      Sample(code.checksum, 1, g_chase, 0x40, 0, 5);
      Sample(code.checksum, 1, g_chase, 0x40, 2, 1);
      Sample(code.checksum, 1, g_chase, 0x80, 1, 2);
      Sample(code.checksum, 2, g_sum, 0x10, 0, 3);
    }
    if (half == 0) usleep(1'400'000);
  }
  Order("fakePcLoss", uint64_t{11}, uint64_t{4});
  return 3;
}

// The code goes while its samples are still on their way; the context goes before the process does.
int Unload(int count) {
  static const Cubin code("short-lived code");
  Order("fakeContext", 1);
  code.Load(1, true);
  Sample(code.checksum, 1, g_chase, 0x40, 0, static_cast<uint32_t>(count));
  code.Load(1, false);
  Order("fakeContext", 0);
  usleep(300'000);
  return 3;
}

int Many(int count) {
  Order("fakeContext", 1);
  for (int i = 0; i < count; ++i) Sample(77, 1, g_chase, static_cast<uint64_t>(i) * 16, 0, 1);
  return 3;
}

int Killed() {
  Order("fakeContext", 1);
  Sample(77, 1, g_chase, 0x40, 0, 5);
  usleep(1'500'000);
  kill(getpid(), SIGKILL);
  return 92;
}

}  // namespace

int RunPc(const std::string& scenario, void* fake, int count) {
  g_fake = fake;
  if (scenario == "pc_stalls") return Stalls(count);
  if (scenario == "pc_unload") return Unload(count);
  if (scenario == "pc_many") return Many(count);
  if (scenario == "pc_killed") return Killed();
  return -1;
}
