// NVTX calls as a program makes them: tables of functions that the agent fills in, as the NVTX headers lay them out
// (nvtxDetail/nvtxTypes.h, nvtxExtTypes.h, nvToolsExtPayload.h).
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <thread>

#include "scenarios.h"

namespace {

using Function = void (*)();
constexpr uint32_t kSlots = 16;
Function g_core[kSlots], g_core2[kSlots];
Function* g_core_table[kSlots];
Function* g_core2_table[kSlots];
intptr_t g_payload_slots[63];

int GetTable(uint32_t module, Function*** table, uint32_t* size) {
  if (module != 1 && module != 5) return 0;
  *table = module == 1 ? g_core_table : g_core2_table;
  *size = kSlots;
  return 1;
}

struct Callbacks {
  size_t size;
  int (*get_table)(uint32_t, Function***, uint32_t*);
};
const void* GetExportTable(uint32_t id) {
  static const Callbacks callbacks = {sizeof(Callbacks), GetTable};
  return id == 1 ? &callbacks : nullptr;
}

bool Install(void* agent) {
  for (uint32_t i = 0; i < kSlots; ++i) g_core_table[i] = &g_core[i], g_core2_table[i] = &g_core2[i];
  const auto install = reinterpret_cast<int (*)(const void* (*)(uint32_t))>(dlsym(agent, "InitializeInjectionNvtx2"));
  const auto extend = reinterpret_cast<int (*)(void*)>(dlsym(agent, "InitializeInjectionNvtxExtension"));
  if (install == nullptr || extend == nullptr || install(GetExportTable) != 1) return false;
  struct Segment {
    size_t id, count;
    intptr_t* slots;
  } segment = {0, 63, g_payload_slots};
  struct Module {
    uint16_t version, size, module, compatibility;
    size_t segments;
    Segment* segment;
    void* get;
    const void* info;
  } module = {3, sizeof(Module), 2, 1, 1, &segment, nullptr, nullptr};
  return extend(&module) == 1;
}

struct Attributes {
  uint16_t version = 3, size = sizeof(Attributes);
  uint32_t category = 0;
  int32_t color_type = 0;
  uint32_t color = 0;
  int32_t payload_type = 0, payload_count = 0;
  uint64_t payload = 0;
  int32_t message_type = 1;
  const void* message = nullptr;
};
Attributes Text(const char* text) {
  Attributes attributes;
  attributes.message = text;
  return attributes;
}

template <typename R, typename... A>
R Call(Function function, A... arguments) {
  return reinterpret_cast<R (*)(A...)>(function)(arguments...);
}
void Push(const char* text) { Call<int>(g_core[9], text); }
void Pop() { Call<int>(g_core[11]); }
void* Domain(const char* name) { return Call<void*>(g_core2[12], name); }
void PushIn(void* domain, const Attributes& attributes) { Call<int>(g_core2[4], domain, &attributes); }
void PopIn(void* domain) { Call<int>(g_core2[5], domain); }

struct SchemaEntry {
  uint64_t flags, type;
  const char* name;
  const char* description;
  uint64_t detail, offset;
  const void* semantics;
  const void* reserved;
};
struct Schema {
  uint64_t mask;
  const char* name;
  uint64_t type, flags;
  const SchemaEntry* entries;
  size_t count, size, align;
  uint64_t id;
  void* extension;
};
struct Data {
  uint64_t schema;
  size_t size;
  const void* payload;
};

// As NCCL does.
void Collective() {
  void* nccl = Domain("NCCL");
  const SchemaEntry entries[] = {{0, 18, "NCCL communicator ID", nullptr, 0, 0, nullptr, nullptr},
                                 {0, 22, "Message size [bytes]", nullptr, 0, 8, nullptr, nullptr}};
  const Schema schema = {1 << 2 | 1 << 4 | 1 << 5 | 1 << 6, nullptr, 1, 0, entries, 2, 16, 0, 0, nullptr};
  const uint64_t id = Call<uint64_t>(reinterpret_cast<Function>(g_payload_slots[0]), nccl, &schema);
  const uint64_t payload[2] = {123456789, 4096};
  const Data data = {id, sizeof(payload), payload};
  Attributes attributes = Text("ncclAllReduce");
  attributes.payload_type = static_cast<int32_t>(0xDFBD0009);
  attributes.payload_count = 1;
  attributes.payload = reinterpret_cast<uint64_t>(&data);
  PushIn(nccl, attributes);
  PopIn(nccl);
}

int All() {
  void* math = Domain("math");
  Call<void>(g_core2[8], math, uint32_t{3}, "solver");
  Attributes solve;
  solve.category = 3;
  solve.color_type = 1;
  solve.color = 0xFF00FF00;
  solve.payload_type = 5;
  solve.payload = static_cast<uint32_t>(-42);
  solve.message_type = 3;
  solve.message = Call<const void*>(g_core2[10], math, "solve");
  PushIn(math, solve);
  PopIn(math);

  Push("outer");
  Push("inner");
  Pop();
  Pop();

  // Ranges of two domains may cross.
  Push("left");
  PushIn(math, Text("right"));
  Pop();
  PopIn(math);

  Call<void>(g_core[2], "here");
  Call<void>(g_core[14], static_cast<uint32_t>(syscall(SYS_gettid)), "the worker");

  const uint64_t span = Call<uint64_t>(g_core[5], "elsewhere");
  std::thread([span] { Call<void>(g_core[7], span); }).join();
  Push("aten::add, seq = 12, op_id = 34, sizes = [[2, 3], [2, 3]]");
  Pop();
  Collective();
  Push("never closed");
  return 3;
}

int Killed() {
  Push("training");
  usleep(500000);
  kill(getpid(), SIGKILL);
  return 92;
}

// Stacks of threads that ended serve others.
int ManyThreads() {
  for (int i = 0; i < 5000; ++i) {
    std::thread([] {
      Push("short");
      Pop();
    }).join();
  }
  return 3;
}

}  // namespace

bool InstallNvtxTables(void* agent) { return Install(agent); }
void PushNvtx(const char* text) { Push(text); }
void PopNvtx() { Pop(); }

int RunNvtx(const std::string& scenario, void* agent) {
  if (scenario.substr(0, 4) != "nvtx") return -1;
  if (!Install(agent)) return 98;
  if (scenario == "nvtx") return All();
  if (scenario == "nvtx_killed") return Killed();
  if (scenario == "nvtx_threads") return ManyThreads();
  return -1;
}
