#include "agent/collector.h"

#include <stdio.h>

#include "agent/session.h"
#include "wire/clock.h"

namespace warpscope::agent {
namespace {

// CUPTI hands over what is complete; with the tick of the writer, 20 ms, a kill costs about 45 ms of records at most.
constexpr uint32_t kFlushPeriodMs = 25;
// Times of records are CUPTI's conversions of the device's clock, and a call may have begun before the window: records
// may lie this much before it. Times that CUPTI has mixed up are off by a day.
constexpr int64_t kSlackNs = 50'000'000;
// What was launched in a window may run long after it.
constexpr int64_t kLateNs = 60'000'000'000;
constexpr int64_t kStillUnderWayNs = 5'000'000'000;
// Records without a time, a second: CUPTI has run out of room on the device (parca-dev/parcagpu#23) and stays so until
// it is started anew. Some are normal where a graph is cut or a context dies.
constexpr uint64_t kBadTimesPerSecond = 1000;
constexpr int kMostRestarts = 5;

struct Told {
  uint64_t ring = 0, no_buffer = 0, bad_times = 0, outside = 0, no_room = 0, refused = 0;
  bool limit = false;
};
Told g_told;
std::atomic<uint64_t> g_refused_buffers{0};
int64_t g_bad_since_ns = 0;
uint64_t g_bad_before = 0;
int g_restarts = 0;
int64_t g_flush_at_ns = 0;
int64_t g_ended_ns = 0;  // the last window; 0: none so far

void OnBufferRequested(uint8_t** buffer, size_t* size, size_t* max_records) {
  Session& s = g_session;
  *max_records = 0;
  s.kinds.CudaRuns();
  const bool takes = s.takes_buffers.load(std::memory_order_relaxed);
  *buffer = takes ? s.pool.Take() : nullptr;
  *size = *buffer == nullptr ? 0 : BufferPool::kBufferBytes;
  if (takes && *buffer == nullptr) s.no_buffer.fetch_add(1, std::memory_order_relaxed);
}

void OnBufferCompleted(void* context, uint32_t stream, uint8_t* buffer, size_t, size_t valid) {
  if (buffer == nullptr) return;
  BufferPool& pool = g_session.pool;
  const bool ours = valid == 0 ? pool.TakeBackEmpty(buffer) : pool.Queue(buffer, valid, context, stream);
  if (!ours) g_refused_buffers.fetch_add(1, std::memory_order_relaxed);
}

void TellLost(wire::Loss what, uint64_t now, uint64_t* told) {
  if (now <= *told) return;
  g_session.encoder.Lost(what, now - *told);
  g_session.lost += now - *told;
  *told = now;
}

// Windows into the stream, before the records that they bound.
void TakeWindows() {
  Session& s = g_session;
  Windows::Event event{};
  while (s.windows.TakeEvent(&event)) {
    s.encoder.Window(event.began, event.reason, event.time_ns);
    if (event.began) {
      s.began_ns = event.time_ns;
      // What is still under way of a window just ended is no stranger.
      const bool close = g_ended_ns != 0 && event.time_ns - g_ended_ns < kStillUnderWayNs;
      s.encoder.SetBounds(close ? s.encoder.begin_ns() : event.time_ns - kSlackNs, 0);
    } else {
      g_ended_ns = event.time_ns;
      if (s.began_ns != 0) s.recorded_ns += event.time_ns - s.began_ns;
      s.encoder.SetBounds(s.encoder.begin_ns(), event.time_ns + kLateNs);
      s.encoder.EncodeNvtx(&s.ring, event.time_ns);  // ranges that are open at the end of the window
      g_flush_at_ns = event.time_ns + int64_t{kFlushPeriodMs} * 1'000'000;
    }
  }
}

bool g_cupti_counts = true;  // the records that it dropped

void CountDropped(const BufferPool::Filled& filled) {
  Session& s = g_session;
  g_cupti_counts = g_cupti_counts && s.cupti.functions.ActivityGetNumDroppedRecords != nullptr;
  if (s.cupti.functions.ActivityGetNumDroppedRecords == nullptr) return;
  size_t dropped = 0;
  const int result = s.cupti.functions.ActivityGetNumDroppedRecords(filled.context, filled.stream, &dropped);
  if (result != cupti::kSuccess) {
    g_cupti_counts = false;
    s.encoder.Lost(wire::kUnknownDropCount, 1);
  } else if (dropped > 0) {
    s.encoder.Lost(wire::kDroppedByCupti, dropped);
    s.lost += dropped;
  }
}

// Restarts the collection when records without a time pile up.
void WatchTimes(int64_t now_ns) {
  constexpr int64_t kSecondNs = 1'000'000'000;
  if (now_ns - g_bad_since_ns < kSecondNs) return;
  Session& s = g_session;
  const uint64_t bad = s.encoder.bad_times();
  if (bad - g_bad_before > kBadTimesPerSecond && g_restarts < kMostRestarts) {
    ++g_restarts;
    s.windows.Restart("records without a time");
    s.notes.Tell(&s.encoder, 2,
                 "the collection was started anew, because CUPTI gave records without a time; what ran meanwhile is "
                 "missing");
  }
  g_bad_before = bad;
  g_bad_since_ns = now_ns;
}

// A CUPTI without a flush period, and what was under way when a window ended.
void FlushAfterWindow(int64_t now_ns) {
  if (g_flush_at_ns == 0 || now_ns < g_flush_at_ns) return;
  g_flush_at_ns = 0;
  if (g_session.has_cupti) g_session.cupti.functions.ActivityFlushAll(0);
}

}  // namespace

bool StartCupti(const wire::Control& settings, const Plan& plan) {
  Session& s = g_session;
  const cupti::Functions& f = s.cupti.functions;
  if (f.SetThreadIdType != nullptr) f.SetThreadIdType(1);  // the system's thread ids
  const int result = f.ActivityRegisterCallbacks(OnBufferRequested, OnBufferCompleted);
  if (result != cupti::kSuccess) {
    char text[256];
    snprintf(text, sizeof(text),
             "no device work is recorded: CUPTI refused our buffers (%d); another profiler in this process holds it: "
             "switch that one off",
             result);
    s.notes.Tell(&s.encoder, 2, text);
    return false;
  }
  // No latency timestamps (queued, submitted): they cost 0.35 us a launch, records of the launch calls 0.07 us (H200,
  // CUPTI 13.0; docs/performance.md), and those also tell the thread.
  if (f.ActivityFlushPeriod != nullptr) f.ActivityFlushPeriod(kFlushPeriodMs);
  s.kinds.Init(&f, s.cupti.version);
  const bool profiler = settings.trigger == wire::kTriggerProfiler;
  const bool switches = profiler || settings.trigger == wire::kTriggerCommand || settings.delay_ns > 0 ||
                        settings.duration_ns > 0 || settings.max_overhead_permille > 0;
  const bool nodes = (settings.collect & wire::kCollectGraphNodes) != 0;
  const int answer = switches || plan.stalls ? s.subscriber.Init(&f, &s.windows, profiler, nodes) : 0;
  if (nodes) s.kinds.WatchGraphNodes();
  if (answer != 0 && profiler) {
    char text[200];
    snprintf(text, sizeof(text),
             "cudaProfilerStart is not seen: CUPTI refused a subscriber (%d); another profiler in this process is it",
             answer);
    s.notes.Tell(&s.encoder, 2, text);
  }
  return true;
}

void ReportLosses() {
  Session& s = g_session;
  TellLost(wire::kRingFull, s.ring.dropped(), &g_told.ring);
  // Every record that finds no buffer is one request, which CUPTI counts as a drop too.
  const uint64_t no_buffer = s.no_buffer.load();
  if (no_buffer > 0 && !g_told.limit)
    s.notes.Tell(&s.encoder, 1,
                 "the memory limit of the buffers was reached, so records were lost: raise --memory-limit, or record a "
                 "part (--duration, --range)");
  g_told.limit = no_buffer > 0;
  if (g_cupti_counts) g_told.no_buffer = no_buffer;
  else TellLost(wire::kNoBuffer, no_buffer, &g_told.no_buffer);
  TellLost(wire::kBadTime, s.encoder.bad_times(), &g_told.bad_times);
  TellLost(wire::kOutsideWindow, s.encoder.outside(), &g_told.outside);
  TellLost(wire::kNoRoom, s.file.lost_bytes(), &g_told.no_room);
  const uint64_t refused = g_refused_buffers.load();
  if (refused > 0 && g_told.refused == 0)
    s.notes.Tell(&s.encoder, 1, "CUPTI completed a buffer twice, or one that is not ours: it was not read again");
  g_told.refused = refused;
}

void Drain(int64_t open_age_ns) {
  Session& s = g_session;
  const int64_t now_ns = wire::NowNs();
  TakeWindows();
  BufferPool::Filled filled{};
  while (s.pool.Next(&filled)) {
    s.encoder.EncodeBuffer(filled.buffer, filled.valid_bytes);
    CountDropped(filled);
    s.heard_ns = now_ns;
    s.pool.GiveBack(filled.buffer);
    TakeWindows();
  }
  s.kinds.Report(&s.encoder);
  s.encoder.EncodeNvtx(&s.ring, open_age_ns == kNoRanges ? INT64_MIN : now_ns - open_age_ns);
  s.encoder.EncodeGraphNodes();
  WatchTimes(now_ns);
  FlushAfterWindow(now_ns);
  const uint64_t lost_before = s.file.lost_bytes();
  s.file.Flush();
  // What the disk did not take may have held definitions.
  if (s.file.lost_bytes() != lost_before) s.encoder.ForgetDefinitions();
  ReportLosses();
}

}  // namespace warpscope::agent
