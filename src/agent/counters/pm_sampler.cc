#include "agent/counters/pm_sampler.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <atomic>
#include <new>

#include "agent/counters/pm_device.h"
#include "agent/counters/pm_schedule.h"
#include "agent/counters/refusal.h"
#include "agent/session.h"
#include "wire/clock.h"

namespace warpscope::agent {
namespace {

constexpr uint32_t kMostDevices = 16;
constexpr int64_t kIdleNs = 20'000'000;  // how often it looks for devices and for the recording
constexpr int64_t kSliceNs = 5'000'000;  // of a window: it ends when the recording does
constexpr int64_t kExitLimitNs = 2'000'000'000;
constexpr uint64_t kFirstWindows = 8;  // after which the library has made its statics
constexpr int kMostFailures = 3;       // of one device in a row
constexpr int64_t kSlackSamples = 16;  // how far the last one is from the end of sampling
// Samples of another clock would lie elsewhere in the run.
constexpr int64_t kClockSlackNs = 1'000'000'000;

struct Sampled {
  PmDevice pm;
  PmSchedule schedule;
  bool failed = false;
  int failures = 0, decode_answer = 0;
  int64_t open_cpu_ns = 0;  // what finding the sets took
  uint64_t windows = 0, samples = 0, overflows = 0, strangers = 0;
};

const Plan* g_plan = nullptr;
perf::ProfilerFunctions g_functions;
Sampled* g_devices[kMostDevices] = {};  // made at first use, never destroyed: the process may end beside us
PmDevice::Piece g_piece;
pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t g_changed;
std::atomic<bool> g_started{false};
bool g_stop = false, g_ended = false;

timespec In(int64_t ns) {
  timespec at{};
  clock_gettime(CLOCK_MONOTONIC, &at);
  at.tv_sec += ns / 1000000000;
  at.tv_nsec += ns % 1000000000;
  if (at.tv_nsec >= 1000000000) ++at.tv_sec, at.tv_nsec -= 1000000000;
  return at;
}

// True when it is time to end.
bool Sleep(int64_t ns) {
  const timespec until = In(ns > 0 ? ns : 0);
  pthread_mutex_lock(&g_lock);
  int result = 0;
  while (!g_stop && result == 0) result = pthread_cond_timedwait(&g_changed, &g_lock, &until);
  const bool stop = g_stop;
  pthread_mutex_unlock(&g_lock);
  return stop;
}

bool Stopping() {
  pthread_mutex_lock(&g_lock);
  const bool stop = g_stop;
  pthread_mutex_unlock(&g_lock);
  return stop;
}

void Tell(unsigned severity, const char* text) {
  Session& s = g_session;
  pthread_mutex_lock(&s.writing);
  if (s.file.is_open()) s.notes.Tell(&s.encoder, severity, text);
  pthread_mutex_unlock(&s.writing);
}

void GiveUp(Sampled* sampled, uint32_t device, const char* call, int answer) {
  char what[64], text[400];
  snprintf(what, sizeof(what), "no counters of device %u are sampled", device);
  ExplainRefusal(what, call, answer, text, sizeof(text));
  Tell(2, text);
  sampled->failed = true;
  sampled->pm.Close();
}

void TellSets(const PmDevice& pm) {
  const PmSets& sets = pm.sets();
  if (sets.left_out + sets.unknown == 0 || g_plan->metric_count == 0) return;
  char text[400];
  snprintf(
      text, sizeof(text),
      "%u of the metrics asked for are not sampled: %u are unknown to %s, %u do not fit one pass (such as %.120s); "
      "the exact mode has them: warpscope counters --metrics",
      sets.unknown + sets.left_out, sets.unknown, pm.chip(), sets.left_out, sets.example);
  Tell(1, text);
}

// CUPTI loads its host library when it is first asked, after Finish() was registered, and that library makes statics at
// first use; at the process's end those would be destroyed first, beside our thread (seen with 13.0.1: an abort). So
// the thread is stopped by handlers that are registered after every new thing that it does. False: it is to stop.
bool StopBeforeItsEnd() {
  constexpr uint32_t kMostHandlers = 200;
  static uint32_t handlers = 0;  // the thread's
  if (handlers < kMostHandlers) {
    ++handlers;
    atexit([] { StopPmSampler(kExitLimitNs); });
  }
  return !Stopping();
}

void OpenDevice(uint32_t device, int64_t now_ns) {
  void* const memory = malloc(sizeof(Sampled));
  if (memory == nullptr) return;
  g_devices[device] = new (memory) Sampled();
  Sampled& sampled = *g_devices[device];
  const char* call = "";
  const int64_t cpu_before_ns = wire::ThreadCpuNs();
  const int answer = sampled.pm.Open(&g_functions, device, *g_plan, StopBeforeItsEnd, &call);
  if (Stopping()) return;
  if (answer != perf::kOk) {
    GiveUp(&sampled, device, call, answer);
    return;
  }
  sampled.open_cpu_ns = wire::ThreadCpuNs() - cpu_before_ns;
  TellSets(sampled.pm);
  sampled.schedule.Init(int64_t{g_plan->interval_us} * 1000, int64_t{g_plan->window_ms} * 1'000'000,
                        int64_t{g_plan->period_ms} * 1'000'000, sampled.pm.sets().count, now_ns);
  StopBeforeItsEnd();
}

void LookForDevices(int64_t now_ns) {
  const uint64_t used = g_session.encoder.devices_used();
  for (uint32_t device = 0; device < kMostDevices; ++device) {
    if ((used >> device & 1) != 0 && g_devices[device] == nullptr) OpenDevice(device, now_ns);
  }
}

// The device whose window comes first; null: none.
Sampled* Earliest() {
  Sampled* earliest = nullptr;
  for (Sampled* const sampled : g_devices) {
    if (sampled == nullptr || !sampled->pm.is_open() || sampled->failed) continue;
    if (earliest == nullptr || sampled->schedule.next().begin_ns < earliest->schedule.next().begin_ns)
      earliest = sampled;
  }
  return earliest;
}

struct Written {
  uint32_t samples = 0;
  int64_t end_ns = 0;  // of the last one
};

// Samples that lie in the window, into the stream.
void WritePiece(Sampled* sampled, const PmSet& set, int64_t begin_ns, int64_t end_ns, Written* written) {
  const PmDevice::Piece& piece = g_piece;
  if (piece.count == 0) return;
  const int64_t first_ns = piece.times[0].start_ns;
  if (first_ns < begin_ns - kClockSlackNs || first_ns > end_ns + kClockSlackNs) {
    sampled->strangers += piece.count;
    return;
  }
  Session& s = g_session;
  pthread_mutex_lock(&s.writing);
  if (s.file.is_open()) {
    uint32_t metrics[PmSet::kMostMetrics];
    for (uint32_t i = 0; i < set.count; ++i) metrics[i] = s.encoder.MetricRef(set.names[i], set.units[i]);
    const uint32_t ref = s.encoder.MetricSetRef(metrics, set.count, 1);
    s.encoder.CounterSamples(sampled->pm.device(), ref, piece.times, piece.count, piece.values, set.count);
    written->samples += piece.count;
    written->end_ns = piece.times[piece.count - 1].start_ns + piece.times[piece.count - 1].duration_ns;
  }
  pthread_mutex_unlock(&s.writing);
}

void WriteWindow(const Sampled& sampled, const PmSet& set, int64_t begin_ns, int64_t end_ns, uint32_t samples,
                 uint32_t loss) {
  Session& s = g_session;
  pthread_mutex_lock(&s.writing);
  if (s.file.is_open()) {
    uint32_t metrics[PmSet::kMostMetrics];
    for (uint32_t i = 0; i < set.count; ++i) metrics[i] = s.encoder.MetricRef(set.names[i], set.units[i]);
    s.encoder.CounterWindow(sampled.pm.device(), s.encoder.MetricSetRef(metrics, set.count, 1),
                            sampled.schedule.interval_ns(), begin_ns, end_ns - begin_ns, samples, loss);
  }
  pthread_mutex_unlock(&s.writing);
}

// The samples of [begin_ns, end_ns), in which the device was sampled up to `stop_ns`.
uint32_t DecodeWindow(Sampled* sampled, const PmSet& set, int64_t begin_ns, int64_t stop_ns, int64_t end_ns,
                      uint32_t* loss) {
  bool overflow = false, full = false;
  const int answer = sampled->pm.Decode(&overflow, &full);
  if (overflow) *loss |= wire::kHardwareOverflow;
  sampled->failures = answer == perf::kOk ? 0 : sampled->failures + 1;
  if (answer != perf::kOk) sampled->decode_answer = answer;
  Written written;
  while (sampled->pm.Take(&g_piece)) WritePiece(sampled, set, begin_ns, end_ns, &written);
  // CUPTI also says so of images with room for twice the samples, none of which was missing (H200, 13.0.1).
  const int64_t off_ns = written.end_ns - stop_ns, slack_ns = kSlackSamples * sampled->schedule.interval_ns();
  if (full && (off_ns < -slack_ns || off_ns > slack_ns)) *loss |= wire::kDecodeBehind;
  return written.samples;
}

void SampleWindow(Sampled* sampled) {
  const PmSchedule::Window window = sampled->schedule.next();
  const PmSet& set = sampled->pm.sets().sets[window.set];
  const int64_t cpu_before_ns = wire::ThreadCpuNs(), interval_ns = sampled->schedule.interval_ns();
  const auto wanted = static_cast<uint32_t>(window.duration_ns / interval_ns) + 1;
  const char* call = "";
  uint32_t most_samples = wanted;
  const int answer = sampled->pm.Start(window.set, interval_ns, wanted, &most_samples, &call);
  const int64_t setup_ns = wire::ThreadCpuNs() - cpu_before_ns;
  if (answer != perf::kOk) {
    if (++sampled->failures >= kMostFailures || sampled->windows == 0 || !sampled->pm.is_open())
      GiveUp(sampled, sampled->pm.device(), call, answer);
    else sampled->schedule.Done(wire::NowNs(), setup_ns, setup_ns, 0);
    return;
  }
  const int64_t begin_ns = wire::NowNs(), due_ns = begin_ns + most_samples * interval_ns;
  int64_t now_ns = begin_ns;
  for (bool stop = false; !stop && now_ns < due_ns; now_ns = wire::NowNs()) {
    const int64_t left_ns = due_ns - now_ns;
    stop = Sleep(left_ns < kSliceNs ? left_ns : kSliceNs) || !g_session.windows.recording();
  }
  const int64_t stop_ns = now_ns;
  const int stopped = sampled->pm.Stop();
  const int64_t end_ns = wire::NowNs();
  uint32_t loss = 0;
  const uint32_t samples = DecodeWindow(sampled, set, begin_ns, stop_ns, end_ns, &loss);
  WriteWindow(*sampled, set, begin_ns, end_ns, samples, loss);
  if (sampled->windows < kFirstWindows) StopBeforeItsEnd();
  ++sampled->windows;
  sampled->samples += samples;
  sampled->overflows += (loss & wire::kHardwareOverflow) != 0 ? 1 : 0;
  sampled->schedule.Done(wire::NowNs(), wire::ThreadCpuNs() - cpu_before_ns, setup_ns, samples);
  if (stopped != perf::kOk) ++sampled->failures;
  if (sampled->failures >= kMostFailures)
    GiveUp(sampled, sampled->pm.device(), "cuptiPmSamplingDecodeData", sampled->decode_answer);
}

void TellEnd(const Sampled& sampled, uint32_t device) {
  if (sampled.failed) return;
  const PmDevice::Costs& c = sampled.pm.costs();
  const auto us = [](int64_t ns) { return static_cast<long long>(ns / 1000); };
  char text[400];
  snprintf(
      text, sizeof(text),
      "counters of device %u: %llu samples in %llu windows, %lld ms of CPU time, of it %lld to find what can be "
      "sampled; longest calls in us: configure %lld, start %lld, stop %lld, decode %lld, evaluate %lld; image %llu "
      "KiB, hardware buffer %llu MiB",
      device, static_cast<unsigned long long>(sampled.samples), static_cast<unsigned long long>(sampled.windows),
      static_cast<long long>(wire::ThreadCpuNs() / 1000000), static_cast<long long>(sampled.open_cpu_ns / 1000000),
      us(c.config_ns), us(c.start_ns), us(c.stop_ns), us(c.decode_ns), us(c.evaluate_ns),
      static_cast<unsigned long long>(c.image_bytes >> 10), static_cast<unsigned long long>(c.buffer_bytes >> 20));
  Tell(0, text);
  if (c.not_evaluated > 0) {
    snprintf(text, sizeof(text), "%llu counter samples of device %u have no values: CUPTI did not evaluate them (%d)",
             static_cast<unsigned long long>(c.not_evaluated), device, c.evaluate_answer);
    Tell(2, text);
  }
  if (sampled.strangers == 0) return;
  snprintf(text, sizeof(text),
           "%llu counter samples of device %u are left out: their times are not on the clock of the recording",
           static_cast<unsigned long long>(sampled.strangers), device);
  Tell(2, text);
}

// False: this CUPTI or driver has no sampling at all.
bool Prepare() {
  Session& s = g_session;
  const char* problem = nullptr;
  if (s.cupti.handle == nullptr) problem = "there is no CUPTI";
  else if (!perf::FindProfilerFunctions(s.cupti.handle, &g_functions) || g_functions.PmEnable == nullptr)
    problem = "this CUPTI is older than 12.6: install a newer one, or name one with WARPSCOPE_CUPTI";
  char text[300];
  if (problem != nullptr) {
    snprintf(text, sizeof(text), "no counters are sampled: %s", problem);
    Tell(2, text);
    return false;
  }
  auto initialize = perf::Sized<perf::Params>();
  const int answer = g_functions.Initialize(&initialize);
  StopBeforeItsEnd();
  if (answer == perf::kOk) return true;
  ExplainRefusal("no counters are sampled", "cuptiProfilerInitialize", answer, text, sizeof(text));
  Tell(2, text);
  return false;
}

void Run() {
  // CUPTI's profiling is initialised when a context exists: the program's start is none of our business.
  while (g_session.encoder.devices_used() == 0) {
    if (Sleep(kIdleNs)) return;
  }
  if (!Prepare()) return;
  for (;;) {
    const int64_t now_ns = wire::NowNs();
    LookForDevices(now_ns);
    if (Stopping()) break;
    Sampled* const next = Earliest();
    const int64_t wait_ns = next == nullptr ? kIdleNs : next->schedule.next().begin_ns - wire::NowNs();
    if (wait_ns > 0 || !g_session.windows.recording()) {
      if (Sleep(wait_ns > 0 && wait_ns < kIdleNs ? wait_ns : kIdleNs)) break;
      continue;
    }
    SampleWindow(next);
    if (Stopping()) break;
  }
  for (uint32_t device = 0; device < kMostDevices; ++device) {
    if (g_devices[device] == nullptr) continue;
    TellEnd(*g_devices[device], device);
    g_devices[device]->pm.Close();
  }
}

void* Thread(void*) {
  pthread_setname_np(pthread_self(), "warpscope-pm");
  Run();
  pthread_mutex_lock(&g_lock);
  g_ended = true;
  pthread_cond_broadcast(&g_changed);
  pthread_mutex_unlock(&g_lock);
  return nullptr;
}

}  // namespace

void StartPmSampler(const Plan& plan) {
  g_plan = &plan;
  pthread_condattr_t steady;
  pthread_condattr_init(&steady);
  pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
  pthread_cond_init(&g_changed, &steady);
  pthread_condattr_destroy(&steady);
  sigset_t all, before;
  sigfillset(&all);
  pthread_t thread;
  pthread_sigmask(SIG_SETMASK, &all, &before);
  g_started = pthread_create(&thread, nullptr, Thread, nullptr) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (g_started) pthread_detach(thread);
}

void StopPmSampler(int64_t limit_ns) {
  if (!g_started) return;
  const timespec limit = In(limit_ns);
  pthread_mutex_lock(&g_lock);
  g_stop = true;
  pthread_cond_broadcast(&g_changed);
  int result = 0;
  while (!g_ended && result == 0) result = pthread_cond_timedwait(&g_changed, &g_lock, &limit);
  g_started = false;  // once is enough: whoever comes later waits no more
  pthread_mutex_unlock(&g_lock);
}

void ForgetPmSamplerAfterFork() {
  g_started = false;
  g_lock = PTHREAD_MUTEX_INITIALIZER;
}

}  // namespace warpscope::agent
