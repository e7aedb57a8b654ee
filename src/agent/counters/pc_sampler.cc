#include "agent/counters/pc_sampler.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <atomic>

#include "agent/counters/code_modules.h"
#include "agent/counters/pc_context.h"
#include "agent/counters/pc_table.h"
#include "agent/counters/refusal.h"
#include "agent/session.h"
#include "wire/clock.h"

namespace warpscope::agent {
namespace {

constexpr uint32_t kMostContexts = 16, kMostFunctions = 1 << 14, kReadRows = 4096, kReasonRoom = 256;
constexpr int kMostReads = 64;  // of one context in one go
constexpr int64_t kReadNs = 100'000'000, kWriteNs = 1'000'000'000;
constexpr int kWaitTries = 300;  // of a millisecond each: a context that ends while the writer reads it

enum State : uint8_t { kFree, kSampling, kBusy, kEnding };
struct Context {
  PcContext sampling;
  State state;
  int64_t since_ns;
  Encoder::PcWindowCounts counts;
};
struct Function {
  uint64_t code;  // CUPTI's checksum
  uint32_t index, known;
  const char* name;
};

constinit CodeModules g_modules;
constinit PcTable g_table;
PcRows g_rows;
perf::ProfilerFunctions g_functions;
pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;  // of the contexts' states, g_refused and g_problem
Context g_contexts[kMostContexts];
Function g_known[kMostFunctions];
uint32_t g_known_count = 0;
char g_reasons[kReasonRoom][perf::kStallNameBytes];
uint32_t g_reason_count = 0;
uint64_t g_unnamed = 0;  // samples without room for their function or reason
char g_problem[500] = {};
bool g_problem_told = false, g_active = false, g_recording = false, g_code_told = false;
std::atomic<bool> g_listening{false};
// Of g_table and what is numbered in it: the end of the process may write while the writer hangs in CUPTI.
pthread_mutex_t g_table_lock = PTHREAD_MUTEX_INITIALIZER;
uint32_t g_period = 0;
int64_t g_read_ns = 0, g_written_ns = 0;

class Locked {
 public:
  Locked() { pthread_mutex_lock(&g_lock); }
  ~Locked() { pthread_mutex_unlock(&g_lock); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
};

void Problem(const char* step, int answer) {
  if (g_problem[0] == '\0') ExplainRefusal("no stall reasons are sampled", step, answer, g_problem, sizeof(g_problem));
}

// ---- Application threads.

void ContextCreated(void* handle) {
  Context* slot = nullptr;
  {
    const Locked hold;
    for (Context& context : g_contexts) {
      if (context.state != kFree) continue;
      slot = &context;
      break;
    }
    if (slot == nullptr) return Problem("one context too many", 0);
    slot->state = kBusy;
  }
  const char* step = "";
  const int answer = slot->sampling.Begin(&g_functions, g_session.cupti.functions, handle, g_period, &step);
  const Locked hold;
  slot->counts = {};
  slot->since_ns = wire::NowNs();
  if (answer != perf::kOk) {
    Problem(step, answer);
    slot->sampling.Free();
    slot->state = kFree;
    return;
  }
  slot->state = kSampling;
}

// What is left of its samples stays in its rest() for the writer.
void ContextEnds(void* handle) {
  for (int i = 0; i < kWaitTries; ++i) {
    Context* found = nullptr;
    bool busy = false;
    {
      const Locked hold;
      for (Context& context : g_contexts) {
        if (context.sampling.handle() != handle) continue;
        busy = context.state == kBusy;
        if (context.state == kSampling) found = &context;
      }
      if (found != nullptr) found->state = kBusy;
    }
    if (found != nullptr) {
      found->sampling.End();
      const Locked hold;
      found->state = kEnding;
      return;
    }
    if (!busy) return;
    usleep(1000);
  }
}

void ResourceCalled(uint32_t id, const cupti::ResourceData& resource) {
  if (!g_listening.load()) return;
  if (id == cupti::kContextCreated) return ContextCreated(resource.context);
  if (id == cupti::kContextDestroyStarting) return ContextEnds(resource.context);
  if (resource.descriptor == nullptr) return;
  const auto& module = *static_cast<const cupti::ModuleResource*>(resource.descriptor);
  if (id == cupti::kModuleLoaded) g_modules.Loaded(module);
  else if (id == cupti::kModuleUnloadStarting) g_modules.Unloading(module);
}

// ---- The writer.

// Number of the function in g_known; kMostFunctions: no room.
uint32_t FunctionOf(const perf::PcRow& row) {
  uint64_t hash = (row.cubin_crc ^ uint64_t{row.function_index} << 20) * 0x9e3779b97f4a7c15ULL;
  uint32_t at = static_cast<uint32_t>(hash >> 40) % kMostFunctions;
  for (; g_known[at].known != 0; at = (at + 1) % kMostFunctions) {
    if (g_known[at].code == row.cubin_crc && g_known[at].index == row.function_index) return at;
  }
  if (g_known_count >= kMostFunctions / 2) return kMostFunctions;
  ++g_known_count;
  g_known[at] = {row.cubin_crc, row.function_index, 1, row.function};
  return at;
}

uint32_t ReasonOf(const PcContext& context, uint32_t index) {
  const char* const name = context.ReasonName(index);
  if (name == nullptr) return kReasonRoom;
  for (uint32_t i = 0; i < g_reason_count; ++i) {
    if (strcmp(g_reasons[i], name) == 0) return i;
  }
  if (g_reason_count == kReasonRoom) return kReasonRoom;
  snprintf(g_reasons[g_reason_count], sizeof(g_reasons[0]), "%s", name);
  return g_reason_count++;
}

void WriteTable() {
  Encoder& encoder = g_session.encoder;
  g_table.TakeAll([&encoder](uint32_t number, uint64_t offset, Encoder::StallCount* counts, uint32_t count) {
    const Function& function = g_known[number];
    const CodeModules::Code code = g_modules.Find(function.code);
    const uint32_t ref = encoder.CodeFunctionRef(encoder.CodeRef(function.code, code.bytes, code.file), function.name);
    for (uint32_t i = 0; i < count; ++i) counts[i].reason = encoder.StallReasonRef(g_reasons[counts[i].reason]);
    encoder.PcSamples(ref, offset, counts, count);
  });
}

void AddRow(const PcContext& context, const perf::PcRow& row) {
  if (row.stalls == nullptr) return;
  const uint32_t function = FunctionOf(row);
  for (size_t i = 0; i < row.stall_count && i < context.reasons(); ++i) {
    const perf::PcStall& stall = row.stalls[i];
    if (stall.samples == 0) continue;
    const uint32_t reason = function == kMostFunctions ? kReasonRoom : ReasonOf(context, stall.reason);
    if (reason == kReasonRoom) {
      g_unnamed += stall.samples;
      continue;
    }
    if (g_table.Add(function, row.offset, reason, stall.samples)) continue;
    pthread_mutex_lock(&g_session.writing);
    if (g_session.file.is_open()) WriteTable();
    pthread_mutex_unlock(&g_session.writing);
    if (!g_table.Add(function, row.offset, reason, stall.samples)) g_unnamed += stall.samples;
  }
}

// A row is taken once: `data` has none any more.
void TakeRows(Context* context, perf::PcData* given, bool recording) {
  perf::PcData& data = *given;
  const size_t rows = data.rows < data.most_rows ? data.rows : data.most_rows;
  data.rows = 0;
  if (data.hardware_buffer_full != 0) context->counts.buffer_full = true;
  if (!recording) return;
  context->counts.samples += data.samples;
  context->counts.dropped += data.dropped;
  context->counts.other += data.other_samples;
  pthread_mutex_lock(&g_table_lock);
  for (size_t i = 0; i < rows; ++i) AddRow(context->sampling, data.data[i]);
  pthread_mutex_unlock(&g_table_lock);
}

void ReadAll(Context* context, bool recording) {
  for (int i = 0; i < kMostReads; ++i) {
    const int answer = context->sampling.Read(&g_rows);
    if (answer != perf::kOk && answer != perf::kOutOfMemory) {
      const Locked hold;
      return Problem("cuptiPCSamplingGetData", answer);
    }
    const bool more = g_rows.data.remaining_rows > 0 || context->sampling.rest().data.rows > 0;
    TakeRows(context, &g_rows.data, recording);
    if (!more || answer != perf::kOk) return;
  }
}

// The state that it was in, with the context kept from everybody else until Release().
State Hold(Context* context) {
  const Locked hold;
  const State state = context->state;
  if (state == kSampling || state == kEnding) context->state = kBusy;
  return state;
}
void Release(Context* context, State state) {
  const Locked hold;
  context->state = state;
}

void WriteWindow(Context* context, int64_t now_ns) {
  const PcContext& sampling = context->sampling;
  if (g_recording && sampling.handle() != nullptr)
    g_session.encoder.PcWindow(sampling.device(), sampling.period(), context->since_ns, now_ns - context->since_ns,
                               context->counts);
  context->counts = {};
  context->since_ns = now_ns;
}

void TellProblems() {
  Session& s = g_session;
  char text[sizeof(g_problem)];
  {
    const Locked hold;
    memcpy(text, g_problem, sizeof(text));
  }
  if (text[0] != '\0' && !g_problem_told) s.notes.Tell(&s.encoder, 2, text);
  g_problem_told |= text[0] != '\0';
  if (g_modules.not_kept() == 0 || g_code_told) return;
  g_code_told = true;
  s.notes.Tell(&s.encoder, 1,
               "the machine code of some modules was not kept (beyond 256 MiB, or the disk refused it): their samples "
               "have no source lines");
}

}  // namespace

void StartPcSampler(const Plan& plan) {
  Session& s = g_session;
  perf::FindProfilerFunctions(s.cupti.handle, &g_functions);
  const bool whole = g_functions.PcEnable != nullptr && g_functions.PcDisable != nullptr &&
                     g_functions.PcGetData != nullptr && g_functions.PcConfigure != nullptr &&
                     g_functions.PcStallCount != nullptr && g_functions.PcStallNames != nullptr;
  const char* problem = nullptr;
  if (!whole) problem = "no stall reasons are sampled: this CUPTI has no PC sampling (11.3 and later have it)";
  else if (!g_table.Init() || !g_rows.Init(kReadRows, PcRows::kMostReasons))
    problem = "no stall reasons are sampled: there is no memory for them";
  else if (!s.subscriber.WatchResources(ResourceCalled))
    problem = "no stall reasons are sampled: CUPTI refused a subscriber; another profiler in this process is it";
  if (problem != nullptr) {
    g_table.Free();
    return s.notes.Tell(&s.encoder, 2, problem);
  }
  g_modules.Init(&g_functions, getenv("WARPSCOPE_RUN"), plan.keep_code);
  g_period = plan.pc_period;
  g_active = true;
  g_listening.store(true);
}

void PollPcSamples(int64_t now_ns, bool recording) {
  if (!g_active || now_ns - g_read_ns < kReadNs) return;
  g_read_ns = now_ns;
  for (Context& context : g_contexts) {
    const State state = Hold(&context);
    if (state == kSampling) {
      ReadAll(&context, recording);
    } else if (state == kEnding) {
      TakeRows(&context, &context.sampling.rest().data, recording);
    } else {
      continue;
    }
    if (recording && !g_recording) context.since_ns = now_ns;
    Release(&context, state);
  }
  g_recording = recording;
}

void WritePcSamples(int64_t now_ns, bool all) {
  if (!g_active) return;
  if (!all && now_ns - g_written_ns < kWriteNs && g_table.size() < PcTable::kMostPcs / 2) return;
  g_written_ns = now_ns;
  if (pthread_mutex_trylock(&g_table_lock) == 0) {
    WriteTable();
    pthread_mutex_unlock(&g_table_lock);
  }
  for (Context& context : g_contexts) {
    const State state = Hold(&context);
    if (state != kSampling && state != kEnding) continue;
    WriteWindow(&context, now_ns);
    if (state == kEnding) context.sampling.Free();
    Release(&context, state == kEnding ? kFree : state);
  }
  if (g_unnamed > 0) g_session.encoder.Lost(wire::kNoBuffer, g_unnamed);
  g_unnamed = 0;
  TellProblems();
}

void StopPcSampler(bool recording) {
  if (!g_active) return;
  g_listening.store(false);
  for (Context& context : g_contexts) {
    const State state = Hold(&context);
    if (state == kSampling) {
      ReadAll(&context, recording);
      context.sampling.End();
    }
    if (state == kSampling || state == kEnding) {
      TakeRows(&context, &context.sampling.rest().data, recording);
      Release(&context, kEnding);
    }
  }
  g_recording = recording;
}

void ForgetPcSamplerAfterFork() {
  g_active = false;
  g_listening.store(false);
  g_lock = g_table_lock = PTHREAD_MUTEX_INITIALIZER;
  g_modules.ResetLockAfterFork();
}

}  // namespace warpscope::agent
