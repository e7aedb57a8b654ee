// The injected library: CUDA loads it in every process with CUDA_INJECTION64_PATH, NVTX with NVTX_INJECTION64_PATH. It
// records what CUPTI tells into the run folder that WARPSCOPE_RUN names, and leaves the application alone whatever
// happens. [MT] Entry points may be called by any thread, several times; the first one starts the recording. Rules of
// this folder: no exceptions, no RTTI, no static constructors, nothing on standard output, fixed memory, errno kept.
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

#include "agent/buffer_pool.h"
#include "agent/cupti_loader.h"
#include "agent/encoder.h"
#include "agent/kinds.h"
#include "agent/nvtx.h"
#include "agent/nvtx_ranges.h"
#include "agent/nvtx_ring.h"
#include "wire/clock.h"
#include "wire/control.h"
#include "wire/stream_file.h"

namespace warpscope::agent {
namespace {

constexpr int64_t kTickNs = 20'000'000;  // how often the writer looks
constexpr uint32_t kFlushPeriodMs = 40;  // CUPTI hands over what is complete; with the tick: at most 60 ms to the file
constexpr int kThreadCheckTicks = 5;
constexpr int64_t kOpenRangeNs = 100'000'000;  // a killed process leaves ranges that were open for longer

BufferPool g_pool;
NvtxRing g_ring;
wire::StreamFile g_file;
Encoder g_encoder;
Kinds g_kinds;
LoadedCupti g_cupti;
pthread_t g_writer;
std::atomic<int> g_state{0};  // 0 fresh, 1 starting, 2 recording, 3 over
std::atomic<bool> g_stop{false};
std::atomic<uint64_t> g_no_buffer{0};
pthread_mutex_t g_end_lock = PTHREAD_MUTEX_INITIALIZER;
pid_t g_pid = 0;
int64_t g_writer_cpu_ns = 0;
uint64_t g_ring_dropped = 0, g_bad_times = 0, g_no_buffer_told = 0;

void OnBufferRequested(uint8_t** buffer, size_t* size, size_t* max_records) {
  *max_records = 0;
  *buffer = g_pool.Take();
  *size = *buffer == nullptr ? 0 : BufferPool::kBufferBytes;
  if (*buffer == nullptr) g_no_buffer.fetch_add(1, std::memory_order_relaxed);
}

void OnBufferCompleted(void* context, uint32_t stream, uint8_t* buffer, size_t, size_t valid) {
  if (buffer == nullptr) return;
  if (valid == 0) g_pool.GiveBack(buffer);
  else g_pool.Queue(buffer, valid, context, stream);
}

void Tell(unsigned severity, const char* format, const char* a, int b) {
  char text[512];
  snprintf(text, sizeof(text), format, a, b);
  g_encoder.Note(severity, text);
}

// `open_age_ns`: NVTX ranges that are open for so long are written as they stand.
void Drain(int64_t open_age_ns) {
  BufferPool::Filled filled{};
  while (g_pool.Next(&filled)) {
    g_encoder.EncodeBuffer(filled.buffer, filled.valid_bytes);
    if (g_cupti.functions.ActivityGetNumDroppedRecords != nullptr) {
      size_t dropped = 0;
      const int result = g_cupti.functions.ActivityGetNumDroppedRecords(filled.context, filled.stream, &dropped);
      if (result == cupti::kSuccess) g_encoder.Lost(wire::kDroppedByCupti, dropped);
      else g_encoder.Lost(wire::kUnknownDropCount, 1);
    }
    g_pool.GiveBack(filled.buffer);
  }
  g_kinds.Report(&g_encoder);
  g_encoder.EncodeNvtx(&g_ring, wire::NowNs() - open_age_ns);
  g_encoder.EncodeGraphNodes();
  const uint64_t ring = g_ring.dropped(), none = g_no_buffer.load(), bad = g_encoder.bad_times();
  g_encoder.Lost(wire::kRingFull, ring - g_ring_dropped);
  g_encoder.Lost(wire::kNoBuffer, none - g_no_buffer_told);
  g_encoder.Lost(wire::kBadTime, bad - g_bad_times);
  g_ring_dropped = ring, g_no_buffer_told = none, g_bad_times = bad;
  g_file.Flush();
}

void* Writer(void*) {
  pthread_setname_np(pthread_self(), "warpscope");
  int tick = 0;
  while (!g_stop.load(std::memory_order_acquire)) {
    timespec pause{0, kTickNs};
    nanosleep(&pause, nullptr);
    Drain(kOpenRangeNs);
    if (++tick % kThreadCheckTicks == 0) g_kinds.WatchThreads();
  }
  g_writer_cpu_ns = wire::ThreadCpuNs();
  return nullptr;
}

// The writer takes no signal of the application.
bool StartWriter() {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int error = pthread_create(&g_writer, nullptr, Writer, nullptr);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return error == 0;
}

void Finish() {
  pthread_mutex_lock(&g_end_lock);
  if (g_state.load() == 2 && getpid() == g_pid) {
    g_state.store(3);
    SetNvtxRing(nullptr);
    if (g_cupti.version != 0) g_cupti.functions.ActivityFlushAll(1);
    g_stop.store(true, std::memory_order_release);
    pthread_join(g_writer, nullptr);
    Drain(0);
    g_encoder.Lost(wire::kNoRoom, g_file.lost_bytes());
    g_encoder.End(g_writer_cpu_ns);
    g_file.Close();
  }
  pthread_mutex_unlock(&g_end_lock);
}

// A forked child has no writer thread and CUDA does not work in it: it is switched off. A child that execs starts anew.
void AfterForkInChild() {
  if (g_state.load() != 2) return;
  g_state.store(3);
  SetNvtxRing(nullptr);
  g_file.Abandon();
  g_pool.ResetLockAfterFork();
  g_end_lock = PTHREAD_MUTEX_INITIALIZER;
}

void StartCupti() {
  const cupti::Functions& f = g_cupti.functions;
  if (f.SetThreadIdType != nullptr) f.SetThreadIdType(1);  // the system's thread ids
  const int result = f.ActivityRegisterCallbacks(OnBufferRequested, OnBufferCompleted);
  if (result != cupti::kSuccess) {
    Tell(2,
         "no device work is recorded: CUPTI%s refused our buffers (%d); another profiler in this process may hold it",
         "", result);
    return;
  }
  if (f.ActivityEnableLatencyTimestamps != nullptr) f.ActivityEnableLatencyTimestamps(1);
  if (f.ActivityFlushPeriod != nullptr) f.ActivityFlushPeriod(kFlushPeriodMs);
  g_kinds.Init(&f, g_cupti.version);
  g_kinds.Enable(wire::kCollectDefault);
  g_kinds.WatchThreads();
}

// Once a process, whoever comes first.
void Start() {
  int fresh = 0;
  if (!g_state.compare_exchange_strong(fresh, 1)) return;
  const int saved_errno = errno;
  const char* run = getenv("WARPSCOPE_RUN");
  bool recording = run != nullptr && *run != '\0' && g_pool.Init(BufferPool::kMostBuffers) && g_ring.Init();
  const bool has_cupti = recording && LoadCupti(&g_cupti);
  recording = recording && g_file.Open(run, nullptr, g_cupti.version) &&
              g_encoder.Init(&g_cupti.functions, g_cupti.version, &g_file);
  if (recording) {
    g_pid = getpid();
    if (!has_cupti) Tell(2, "no device work is recorded: %s%.0d", g_cupti.problem, 0);
    else StartCupti();
    pthread_atfork(nullptr, nullptr, AfterForkInChild);
    atexit(Finish);
    recording = StartWriter();
  }
  g_state.store(recording ? 2 : 3);
  if (recording) SetNvtxRing(&g_ring);
  errno = saved_errno;
}

}  // namespace
}  // namespace warpscope::agent

extern "C" {

__attribute__((visibility("default"))) int InitializeInjection() {
  warpscope::agent::Start();
  return 1;
}

// NVTX calls this at its first use, in a process that may never touch CUDA: the recording starts with CUDA, so until
// then ranges are only installed.
__attribute__((visibility("default"))) int InitializeInjectionNvtx2(const void* (*get_export_table)(uint32_t)) {
  return get_export_table != nullptr && warpscope::agent::InstallNvtx(get_export_table) ? 1 : 0;
}

// The same for an extension of NVTX, at its first use.
__attribute__((visibility("default"))) int InitializeInjectionNvtxExtension(void* module) {
  return warpscope::agent::InstallNvtxExtension(module) ? 1 : 0;
}
}
