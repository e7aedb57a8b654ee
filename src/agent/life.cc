#include "agent/life.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#include "agent/collector.h"
#include "agent/counters/exact.h"
#include "agent/counters/pc_sampler.h"
#include "agent/counters/plan.h"
#include "agent/counters/pm_sampler.h"
#include "agent/fork.h"
#include "agent/nvtx_ranges.h"
#include "agent/segments.h"
#include "agent/session.h"
#include "wire/clock.h"

namespace warpscope::agent {

constinit Encoder g_encoder;
constinit Session g_session;

namespace {

constexpr int64_t kTickNs = 20'000'000;             // how often the writer looks
constexpr int64_t kCounterLimitNs = 1'000'000'000;  // that Finish() waits for the counters' last window
constexpr int64_t kOpenRangeNs = 100'000'000;       // a killed process leaves ranges that were open for longer

// The writer sleeps on it; Finish() wakes it and waits for its end.
pthread_mutex_t g_life_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t g_life_changed;
bool g_stop = false, g_written = false;
wire::Control g_settings;

timespec In(int64_t ns, clockid_t clock = CLOCK_MONOTONIC) {
  timespec at{};
  clock_gettime(clock, &at);
  at.tv_sec += ns / 1000000000;
  at.tv_nsec += ns % 1000000000;
  if (at.tv_nsec >= 1000000000) ++at.tv_sec, at.tv_nsec -= 1000000000;
  return at;
}

// A clock that nobody sets: the writer must not sleep through a correction of the time.
void UseSteadyClock() {
  pthread_condattr_t steady;
  pthread_condattr_init(&steady);
  pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
  pthread_cond_init(&g_life_changed, &steady);
  pthread_condattr_destroy(&steady);
}

// True when it is time to end.
bool SleepOneTick() {
  const timespec until = In(kTickNs);
  pthread_mutex_lock(&g_life_lock);
  int result = 0;
  while (!g_stop && result == 0) result = pthread_cond_timedwait(&g_life_changed, &g_life_lock, &until);
  const bool stop = g_stop;
  pthread_mutex_unlock(&g_life_lock);
  return stop;
}

uint32_t State() {
  const Session& s = g_session;
  if (s.windows.recording() || s.exact) return wire::kStateRecording;
  if (!s.has_cupti) return wire::kStateFailed;
  return s.windows.ever_recorded() ? wire::kStatePaused : wire::kStateWaiting;
}

void Report(uint32_t state) {
  Session& s = g_session;
  s.control.Report(state, s.encoder.rows(), s.lost, s.file.written_bytes());
}

void Tick(int64_t now_ns) {
  Session& s = g_session;
  if (s.exact) TickExact();
  else s.windows.Tick(now_ns, s.control.command());
  PollPcSamples(now_ns, s.windows.recording());
  pthread_mutex_lock(&s.writing);
  Drain(s.windows.recording() ? kOpenRangeNs : kNoRanges);
  WritePcSamples(now_ns, false);
  TurnSegments(now_ns);
  s.budget.Tick(now_ns, s.encoder.launches(), s.encoder.rows());
  if (const char* news = s.budget.TakeNews(); news != nullptr) s.notes.Tell(&s.encoder, 1, news);
  s.writer_cpu_ns = wire::ThreadCpuNs();
  pthread_mutex_unlock(&s.writing);
  if (s.budget.active()) s.subscriber.FollowTimer();
  Report(State());
}

// Another profiler that registers its own buffers takes CUPTI over without our being told; torch.profiler does, and
// switches kinds off when it ends. All that can be seen is silence.
void SuspectSilence(int64_t now_ns) {
  constexpr int64_t kLongNs = 1'000'000'000;
  Session& s = g_session;
  const int64_t silent_ns = now_ns - (s.heard_ns > s.began_ns ? s.heard_ns : s.began_ns);
  if (!s.has_cupti || silent_ns < kLongNs || silent_ns < (now_ns - s.began_ns) / 2) return;
  char text[300];
  snprintf(text, sizeof(text),
           "CUPTI handed nothing over in the last %lld.%lld s: either the program gave the device nothing to do, or "
           "another profiler in this process (torch.profiler?) took CUPTI over, and of that time it may have nothing "
           "either: switch that one off",
           static_cast<long long>(silent_ns / 1000000000), static_cast<long long>(silent_ns / 100000000 % 10));
  s.notes.Tell(&s.encoder, 1, text);
}

// The last words of the stream. REQUIRES: `writing` is held.
void WriteEnd() {
  Session& s = g_session;
  const bool recording = s.windows.recording();
  const int64_t now_ns = wire::NowNs();
  s.windows.Finish();
  WritePcSamples(now_ns, true);
  Drain(kNoRanges);  // those open are told with the end of the window
  if (s.exact) {
    FinishExact();
  } else if (!s.windows.ever_recorded()) {
    s.notes.Tell(&s.encoder, 1, "nothing was recorded: what was to begin the recording did not come");
  } else if (s.has_cupti && s.encoder.rows() == 0) {
    s.notes.Tell(&s.encoder, 1,
                 "CUPTI handed over no record: either the program gave the device nothing to do, or another profiler "
                 "in this process (torch.profiler?) took CUPTI over, and may have nothing either: switch that one off");
  } else if (recording) {
    SuspectSilence(now_ns);
  }
  s.encoder.OverheadCost(s.budget.added_ns(), s.budget.timed_with(), s.budget.timed_without(), s.writer_cpu_ns,
                         s.recorded_ns);
  s.encoder.End(s.writer_cpu_ns);
  s.file.Close();
  Report(wire::kStateEnded);
}

void* Writer(void*) {
  pthread_setname_np(pthread_self(), "warpscope");
  Session& s = g_session;
  while (!SleepOneTick()) {
    Tick(wire::NowNs());
    s.kinds.RetryUnifiedMemory();
  }
  StopPcSampler(s.windows.recording());
  if (s.has_cupti) s.cupti.functions.ActivityFlushAll(1);
  s.takes_buffers.store(false);
  pthread_mutex_lock(&s.writing);
  if (s.file.is_open()) {  // else Finish() did not want to wait any longer
    s.writer_cpu_ns = wire::ThreadCpuNs();
    WriteEnd();
  }
  pthread_mutex_unlock(&s.writing);
  pthread_mutex_lock(&g_life_lock);
  g_written = true;
  pthread_cond_broadcast(&g_life_changed);
  pthread_mutex_unlock(&g_life_lock);
  return nullptr;
}

// The writer takes no signal of the application; one that its own writing causes (SIGXFSZ) stays pending.
bool StartWriter() {
  sigset_t all, before;
  sigfillset(&all);
  pthread_t writer;
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int error = pthread_create(&writer, nullptr, Writer, nullptr);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error == 0) pthread_detach(writer);
  return error == 0;
}

// In place of a writer that CUPTI holds up. Our writing must not end the program: a signal for too large a file is
// taken back.
void WriteEndHere() {
  Session& s = g_session;
  const timespec soon = In(kTickNs * 5, CLOCK_REALTIME);
  if (pthread_mutex_timedlock(&s.writing, &soon) != 0) return;  // the disk holds it up: nothing can be done
  sigset_t size, before;
  sigemptyset(&size);
  sigaddset(&size, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &size, &before);
  if (s.file.is_open()) {
    s.notes.Tell(&s.encoder, 2, "CUPTI did not hand over its last records in time: those of the end are missing");
    WriteEnd();
  }
  const timespec now{};
  if (sigismember(&before, SIGXFSZ) == 0) {
    while (sigtimedwait(&size, nullptr, &now) > 0) {
    }
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_mutex_unlock(&s.writing);
}

// Secure execution (setuid and the like): its environment is somebody else's word on where to write.
bool MayRecord(const char* run) { return run != nullptr && *run != '\0' && getauxval(AT_SECURE) == 0; }

bool OpenStream(const char* run) {
  Session& s = g_session;
  s.control.Open(run);
  s.control.ReadSettings(&g_settings);
  const uint64_t most = g_settings.memory_limit_bytes / BufferPool::kBufferBytes;
  // CUPTI fills one while another is read: fewer than two would lose all.
  const uint64_t buffers = g_settings.memory_limit_bytes == 0 ? BufferPool::kMostBuffers : most < 2 ? 2 : most;
  s.pool.Init(static_cast<uint32_t>(buffers < BufferPool::kMostBuffers ? buffers : BufferPool::kMostBuffers));
  return s.ring.Init() && s.file.Open(run, nullptr, s.cupti.version) &&
         s.encoder.Init(&s.cupti.functions, s.cupti.version, &s.file);
}

void Begin(const Plan& plan, const char* run) {
  Session& s = g_session;
  s.pid = getpid();
  s.exact = plan.exact;
  const int64_t now_ns = wire::NowNs();
  InitSegments(g_settings.ring_ms, now_ns);
  if (s.cupti.problem[0] == '\0') {
    if (s.exact) StartExact(plan, run);  // CUPTI does not trace while it replays
    else s.has_cupti = StartCupti(g_settings, plan);
    if (s.has_cupti && plan.stalls) StartPcSampler(plan);
  } else {
    char text[300];
    snprintf(text, sizeof(text), "no device work is recorded: %.250s", s.cupti.problem);
    s.notes.Tell(&s.encoder, 2, text);
  }
  s.windows.Init(g_settings, s.has_cupti ? &s.kinds : nullptr, &s.ring, &s.subscriber, now_ns, s.control.command());
  if (g_settings.trigger == wire::kTriggerRange) {
    SetRangeWatcher([](const char* range, uint64_t key) {
      if (range != nullptr) g_session.windows.RangeBegan(range, key);
      else g_session.windows.RangeEnded(key);
    });
  }
  s.budget.Init(g_settings.max_overhead_permille, &s.windows, s.subscriber.timer());
  if (s.windows.begins_at_once() && !s.exact) s.windows.Apply();
}

}  // namespace

void Start() {
  Session& s = g_session;
  int fresh = kFresh;
  if (!s.stage.compare_exchange_strong(fresh, kStarting)) return;
  const int saved_errno = errno;
  const char* run = getenv("WARPSCOPE_RUN");
  bool running = MayRecord(run);
  if (running) LoadCupti(&s.cupti);
  running = running && OpenStream(run);
  if (running) {
    UseSteadyClock();
    WatchForks();
    const Plan& plan = ReadPlan(run);
    Begin(plan, run);
    atexit(Finish);
    at_quick_exit(Finish);
    running = StartWriter();
    if (!running && s.has_cupti) s.kinds.Disable();
    if (running && plan.sampled && !plan.exact) StartPmSampler(plan);
  }
  if (!running) {
    SetNvtxRing(nullptr);
    s.file.Close();
  }
  s.takes_buffers.store(running);
  s.stage.store(running ? kRunning : kOver);
  errno = saved_errno;
}

void Finish() {
  Session& s = g_session;
  int running = kRunning;
  if (getpid() != s.pid || !s.stage.compare_exchange_strong(running, kOver)) return;
  SetNvtxRing(nullptr);
  StopPmSampler(kCounterLimitNs);
  const timespec limit = In(kFinishLimitNs);
  pthread_mutex_lock(&g_life_lock);
  g_stop = true;
  pthread_cond_broadcast(&g_life_changed);
  int result = 0;
  while (!g_written && result == 0) result = pthread_cond_timedwait(&g_life_changed, &g_life_lock, &limit);
  const bool written = g_written;
  pthread_mutex_unlock(&g_life_lock);
  s.takes_buffers.store(false);
  if (!written) WriteEndHere();
}

}  // namespace warpscope::agent
