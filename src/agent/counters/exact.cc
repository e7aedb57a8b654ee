#include "agent/counters/exact.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <atomic>

#include "agent/counters/cuda_driver.h"
#include "agent/counters/kernel_choice.h"
#include "agent/counters/measured_contexts.h"
#include "agent/counters/refusal.h"
#include "agent/counters/replay_images.h"
#include "agent/counters/unmeasured.h"
#include "agent/session.h"

namespace warpscope::agent {
namespace {

constexpr uint32_t kMostIds = 1200;     // CUDA 13.0 has 523 runtime and 807 driver calls
constexpr int kPatienceS = 10;          // that a launch waits for those under way
constexpr uint32_t kMostFailures = 16;  // launches in a row that could not be measured: then it is given up

// Of one thread's launch, from the entry of the outermost call to its exit. A launch may be a call of the runtime
// around one of the driver.
struct UnderWay {
  uint32_t depth;
  bool shares, measures;  // holds the lock
  MeasuredContext* measured;
  LaunchCall call;
  const char* name;
  uint64_t ordinal;
  uint64_t turn;  // its number among those asked for
};
thread_local UnderWay t_launch;

const Plan* g_plan = nullptr;
cupti::Subscriber g_subscriber = nullptr;
perf::ProfilerFunctions g_functions;
const char* g_call_names[2][kMostIds] = {};  // driver, runtime; null: not watched
CudaDriver g_driver;
constinit KernelChoice g_choice;
constinit Unmeasured g_unmeasured;
constinit ReplayImages g_images;  // of an application replay
uint8_t* g_saved = nullptr;       // room for one image of them
size_t g_saved_bytes = 0;
constinit MeasuredContexts g_contexts;
uint64_t g_devices_told = 0;  // bits
bool g_set_told = false;
uint32_t g_failures = 0;
bool g_watching = false;  // launches call us back; the writer's after StartExact()
std::atomic<uint64_t> g_launches{0};
std::atomic<bool> g_over{true};
pthread_mutex_t g_choosing = PTHREAD_MUTEX_INITIALIZER;  // g_choice
// Shared by launches that run as they are, held alone by one that is measured.
pthread_rwlock_t g_running = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

void Tell(unsigned severity, const char* text) {
  Session& s = g_session;
  pthread_mutex_lock(&s.writing);
  if (s.file.is_open()) s.notes.Tell(&s.encoder, severity, text);
  pthread_mutex_unlock(&s.writing);
}

// From now on the program runs untouched; TickExact() switches the callbacks off. REQUIRES: g_running is held alone.
void GiveUp() {
  if (g_over.exchange(true)) return;
  g_contexts.Close();
}

// REQUIRES: g_running is held alone.
void TellChoice(const MeasuredContext& measured) {
  if (g_set_told) return;
  g_set_told = true;
  const MetricChoice& choice = measured.profiler.choice();
  char names[280], text[400];
  if (choice.unknown_count > 0) {
    ListNames(choice.unknown, choice.unknown_count, names, sizeof(names));
    snprintf(text, sizeof(text), "%zu metrics are left out, since %s does not have them: %s", choice.unknown_count,
             measured.chip, names);
    Tell(0, text);
  }
  if (choice.refused_count > 0) {
    ListNames(choice.refused, choice.refused_count, names, sizeof(names));
    snprintf(text, sizeof(text),
             "%zu metrics are left out, since CUPTI does not measure them beside the others (ask for them alone: "
             "--metrics): %s",
             choice.refused_count, names);
    Tell(0, text);
  }
}

void Refuse(const char* name, const LaunchCall& call, const char* reason) {
  pthread_mutex_lock(&g_choosing);
  g_choice.GiveBack(name, call);
  g_unmeasured.Add(name, reason);
  pthread_mutex_unlock(&g_choosing);
}

void Failed(UnderWay* launch, const char* what, const char* call, int answer) {
  char reason[400];
  ExplainRefusal(what, call, answer, reason, sizeof(reason));
  Refuse(launch->name, launch->call, reason);
  if (++g_failures < kMostFailures) return;
  Tell(2, reason);
  GiveUp();
}

// With several passes only the first launch of a process gets values of them all: of the second one its image held none
// afterwards, and a profiler object of its own for each launch crashed the program (H200, CUPTI 13.0.1). So each launch
// has its turn, in runs of the program of its own.
bool IsOthersTurn(const UnderWay& launch) {
  return g_plan->application_replay && launch.measured->profiler.passes() > 1 && launch.turn != g_plan->turn;
}

bool IsGraph(const UnderWay& launch) { return launch.call.kind == LaunchKind::kGraph; }

// The image that the run before left of this launch; null for the first pass.
bool BringImage(UnderWay* launch, const uint8_t** saved) {
  const RangeProfiler& profiler = launch->measured->profiler;
  *saved = nullptr;
  if (g_plan->pass == 0) return true;
  if (g_saved_bytes < profiler.image_bytes()) {
    free(g_saved);
    g_saved = static_cast<uint8_t*>(malloc(profiler.image_bytes()));
    g_saved_bytes = g_saved == nullptr ? 0 : profiler.image_bytes();
  }
  char reason[300] = "no memory for a counter image";
  if (g_saved == nullptr || !g_images.Load(launch->ordinal, launch->name, launch->call, g_saved, profiler.image_bytes(),
                                           reason, sizeof(reason))) {
    Refuse(launch->name, launch->call, reason);
    return false;
  }
  *saved = g_saved;
  return true;
}

// Holds the lock alone if it returns true.
bool BeginMeasuring(UnderWay* launch, void* context) {
  timespec until{};
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += kPatienceS;
  if (pthread_rwlock_timedwrlock(&g_running, &until) != 0) {
    Refuse(launch->name, launch->call, "another launch did not end in time");
    return false;
  }
  char reason[400];
  launch->measured = g_over ? nullptr : g_contexts.Of(context, reason, sizeof(reason));
  if (launch->measured == nullptr) {
    if (!g_over) {
      Refuse(launch->name, launch->call, reason);
      // What holds for the first context holds for all; a later one may be another device.
      if (g_contexts.empty() || ++g_failures == kMostFailures) {
        Tell(2, reason);
        GiveUp();
      }
    }
    pthread_rwlock_unlock(&g_running);
    return false;
  }
  TellChoice(*launch->measured);
  RangeProfiler& profiler = launch->measured->profiler;
  const uint8_t* saved = nullptr;
  if (IsOthersTurn(*launch) || (g_plan->application_replay && !BringImage(launch, &saved))) {
    pthread_rwlock_unlock(&g_running);
    return false;
  }
  const perf::ProfilerRange range = IsGraph(*launch) ? perf::kUserRange : perf::kAutoRange;
  if (IsGraph(*launch)) g_driver.Synchronize();  // all that runs in the range counts
  const int answer = g_plan->application_replay ? profiler.BeginPass(g_plan->pass, saved, range) : profiler.Begin();
  if (answer != perf::kOk) {
    Failed(launch, "the launch was not measured", profiler.failed_call(), answer);
    pthread_rwlock_unlock(&g_running);
    return false;
  }
  return true;
}

cupti::Kernel Describe(const UnderWay& launch, const cupti::CallbackData& data) {
  cupti::Kernel kernel{};
  kernel.name = launch.name;
  kernel.device_id = launch.measured->device;
  kernel.context_id = data.context_id;
  const cupti::Functions& f = g_session.cupti.functions;
  if (f.GetStreamIdEx != nullptr)
    f.GetStreamIdEx(data.context, launch.call.stream, launch.call.per_thread_stream ? 1 : 0, &kernel.stream_id);
  const CudaDriver::Resources resources = g_driver.ResourcesOf(launch.call.function);
  for (int i = 0; i < 3; ++i) {
    kernel.grid[i] = static_cast<int32_t>(launch.call.grid[i]);
    kernel.block[i] = static_cast<int32_t>(launch.call.block[i]);
    kernel.cluster[i] = launch.call.cluster[i];
  }
  kernel.registers_per_thread = static_cast<uint16_t>(resources.registers);
  kernel.static_shared = static_cast<int32_t>(resources.static_shared);
  kernel.dynamic_shared = static_cast<int32_t>(launch.call.dynamic_shared);
  return kernel;
}

void Write(const UnderWay& launch, const cupti::CallbackData& data) {
  Session& s = g_session;
  const MeasuredContext& measured = *launch.measured;
  const MetricChoice& choice = measured.profiler.choice();
  const cupti::Kernel kernel = Describe(launch, data);
  static uint32_t metrics[MetricChoice::kMost];
  pthread_mutex_lock(&s.writing);
  if (s.file.is_open()) {
    if (measured.device < 64 && (g_devices_told >> measured.device & 1) == 0) {
      g_devices_told |= uint64_t{1} << measured.device;
      s.encoder.DescribeDevice(g_driver.Describe(measured.device));
    }
    for (size_t i = 0; i < choice.count; ++i) metrics[i] = s.encoder.MetricRef(choice.names[i], "");
    const auto count = static_cast<uint32_t>(choice.count);
    const uint32_t set = s.encoder.MetricSetRef(metrics, count, measured.profiler.passes());
    const wire::CounterReplay replay = g_plan->application_replay ? wire::kReplayedApplication : wire::kReplayedKernel;
    s.encoder.KernelCounters(kernel, launch.ordinal, replay, set, measured.profiler.values(), count);
  }
  pthread_mutex_unlock(&s.writing);
}

// What was measured of the launch goes into the stream, or waits for the next run of the program.
void Keep(UnderWay* launch, const cupti::CallbackData& data) {
  RangeProfiler& profiler = launch->measured->profiler;
  if (g_plan->application_replay) {
    g_images.TellPasses(profiler.passes());
    if (!g_images.Save(launch->ordinal, launch->name, launch->call, profiler.image(), profiler.image_bytes()))
      return Refuse(launch->name, launch->call, "its counter image cannot be written into the run folder");
    g_images.TellKept();
    if (g_plan->pass + 1 < profiler.passes()) return;
  }
  if (const int answer = profiler.Evaluate(); answer != perf::kOk)
    return Failed(launch, "the launch was not measured", profiler.failed_call(), answer);
  g_failures = 0;
  Write(*launch, data);
}

void EndMeasuring(UnderWay* launch, const cupti::CallbackData& data) {
  RangeProfiler& profiler = launch->measured->profiler;
  if (IsGraph(*launch)) g_driver.Synchronize();
  const int answer = profiler.End();
  const int launched = data.return_value == nullptr ? 0 : *static_cast<const int*>(data.return_value);
  if (launched != 0) Refuse(launch->name, launch->call, "the program's launch failed");
  else if (answer != perf::kOk) Failed(launch, "the launch was not measured", profiler.failed_call(), answer);
  else Keep(launch, data);
  pthread_mutex_lock(&g_choosing);
  const bool done = g_choice.done();
  pthread_mutex_unlock(&g_choosing);
  if (done) GiveUp();
  pthread_rwlock_unlock(&g_running);
}

const char* NameOf(const LaunchCall& call, const cupti::CallbackData& data) {
  if (call.kind == LaunchKind::kGraph) return "(CUDA graph)";
  return data.symbol == nullptr || *data.symbol == '\0' ? "(kernel without a name)" : data.symbol;
}

// Why launches of this kind are not measured; null: they are. CUPTI 13.0 leaves a graph out that is launched while it
// replays (H200: what the graph was to write was not written), so none may ever be inside. Where the program itself is
// run again for each pass, a launch of a graph is measured as one range.
const char* NotReplayed(LaunchKind kind) {
  if (kind == LaunchKind::kGraph && !g_plan->application_replay)
    return "CUPTI does not replay CUDA graphs; measure a graph as one with --replay application, its kernels without "
           "the graph, or both in one run: warpscope record --counters";
  if (kind == LaunchKind::kManyDevices) return "a cooperative launch over several devices cannot be replayed";
  return nullptr;
}

bool Takes(UnderWay* launch, const cupti::CallbackData& data) {
  const LaunchCall& call = launch->call;
  if (call.kind == LaunchKind::kNone || data.context == nullptr) return false;
  if (g_driver.IsCapturing(call.stream, call.per_thread_stream)) return false;
  launch->name = NameOf(call, data);
  launch->ordinal = g_launches.fetch_add(1, std::memory_order_relaxed);
  pthread_mutex_lock(&g_choosing);
  bool takes = g_choice.Takes(launch->name, call);
  launch->turn = g_choice.taken() - 1;
  if (const char* const reason = NotReplayed(call.kind); takes && reason != nullptr) {
    takes = false;
    g_choice.GiveBack(launch->name, call);
    g_unmeasured.Add(launch->name, reason);
  }
  pthread_mutex_unlock(&g_choosing);
  return takes;
}

void Entered(UnderWay* launch, uint32_t domain, const char* call_name, const cupti::CallbackData& data) {
  if (launch->depth++ > 0) {
    // The driver's call inside the runtime's knows the function.
    if (!launch->measures || launch->call.function != nullptr || domain != cupti::kDriverDomain) return;
    launch->call.function = ReadLaunch(domain, call_name, data).function;
    return;
  }
  launch->shares = launch->measures = false;
  if (g_over.load(std::memory_order_relaxed)) return;
  launch->call = ReadLaunch(domain, call_name, data);
  if (Takes(launch, data) && BeginMeasuring(launch, data.context)) {
    launch->measures = true;
  } else if (!g_over.load(std::memory_order_relaxed)) {
    launch->shares = pthread_rwlock_rdlock(&g_running) == 0;
  }
}

void Left(UnderWay* launch, const cupti::CallbackData& data) {
  if (launch->depth == 0 || --launch->depth > 0) return;
  if (launch->measures) EndMeasuring(launch, data);
  else if (launch->shares) pthread_rwlock_unlock(&g_running);
  launch->shares = launch->measures = false;
}

void Called(void*, uint32_t domain, uint32_t id, const void* data) {
  if ((domain != cupti::kDriverDomain && domain != cupti::kRuntimeDomain) || id >= kMostIds || data == nullptr) return;
  const char* const call_name = g_call_names[domain - cupti::kDriverDomain][id];
  if (call_name == nullptr) return;
  const int saved_errno = errno;
  constexpr uint32_t kEnter = 0;
  const auto& call = *static_cast<const cupti::CallbackData*>(data);
  if (call.site == kEnter) Entered(&t_launch, domain, call_name, call);
  else Left(&t_launch, call);
  errno = saved_errno;
}

void WatchLaunches(uint32_t domain) {
  const cupti::Functions& f = g_session.cupti.functions;
  for (uint32_t id = 1; id < kMostIds; ++id) {
    const char* name = nullptr;
    if (f.GetCallbackName(domain, id, &name) != cupti::kSuccess || name == nullptr) continue;
    if (LaunchKindOf(name) == LaunchKind::kNone) continue;
    g_call_names[domain - cupti::kDriverDomain][id] = name;
    f.EnableCallback(1, g_subscriber, domain, id);
  }
}

}  // namespace

void StartExact(const Plan& plan, const char* run_folder) {
  Session& s = g_session;
  const cupti::Functions& f = s.cupti.functions;
  char text[400];
  g_plan = &plan;
  if (!g_choice.Init(&plan)) return Tell(2, g_choice.problem());
  if (f.Subscribe == nullptr || f.EnableCallback == nullptr || f.GetCallbackName == nullptr ||
      !perf::FindProfilerFunctions(s.cupti.handle, &g_functions) || g_functions.RangeEnable == nullptr) {
    snprintf(text, sizeof(text),
             "no counters are measured: %.200s has no range profiler; CUDA 12.6 or later has it (WARPSCOPE_CUPTI names "
             "another library)",
             s.cupti.path);
    return Tell(2, text);
  }
  if (const int answer = f.Subscribe(&g_subscriber, Called, nullptr); answer != cupti::kSuccess) {
    snprintf(
        text, sizeof(text),
        "no counters are measured: CUPTI refused a subscriber (%d); another profiler in this process is it: switch "
        "that one off",
        answer);
    return Tell(2, text);
  }
  if (plan.application_replay && !g_images.Init(run_folder, plan.turn, plan.pass))
    return Tell(2, "no counters are measured: counter images cannot be kept in the run folder");
  g_contexts.Init(&g_functions, &f, &plan);
  g_driver.Init();
  g_over.store(false);
  WatchLaunches(cupti::kDriverDomain);
  WatchLaunches(cupti::kRuntimeDomain);
  g_watching = true;
}

void TickExact() {
  if (!g_watching || !g_over.load()) return;
  g_watching = false;
  const cupti::Functions& f = g_session.cupti.functions;
  for (uint32_t domain = 0; domain < 2; ++domain) {
    for (uint32_t id = 1; id < kMostIds; ++id) {
      if (g_call_names[domain][id] != nullptr) f.EnableCallback(0, g_subscriber, domain + cupti::kDriverDomain, id);
    }
  }
}

void FinishExact() {
  g_over.store(true);
  Session& s = g_session;
  if (g_plan == nullptr) return;
  g_unmeasured.Write(&s.encoder);
  if (g_plan->application_replay && g_choice.taken() > 0) g_images.TellLaunches(g_choice.taken());
  char text[200];
  snprintf(text, sizeof(text), "%llu launches, %llu asked for, %llu measured",
           static_cast<unsigned long long>(g_launches.load()), static_cast<unsigned long long>(g_choice.matched()),
           static_cast<unsigned long long>(g_choice.taken()));
  s.notes.Tell(&s.encoder, 0, text);
}

void ForgetExactAfterFork() {
  g_over.store(true);
  t_launch = {};
  g_choosing = PTHREAD_MUTEX_INITIALIZER;
  g_running = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
}

}  // namespace warpscope::agent
