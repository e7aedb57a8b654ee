// Windows: when the process is recorded. What asks for it (time, NVTX ranges, cudaProfilerStart, commands) only says
// what is wanted; Apply() then switches CUPTI's kinds, one thread at a time. [MT] but for Tick() and TakeEvent(), which
// are the writer's. Where kinds are switched matters: CUPTI instruments modules while it enables kernel records, and
// the driver calls CUPTI while it loads modules, so a switch beside a thread that launches can wait for that thread and
// be waited for. Ranges and the profiler's calls therefore switch in the application's own thread, between its CUDA
// calls; times and commands wait for an application thread to leave a launch (Subscriber), and only when none launches
// does the writer switch. Invariant: the began event of a window is queued before its kinds are on, the ended event
// after they are off.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "agent/kinds.h"
#include "agent/nvtx_ring.h"
#include "wire/control.h"

namespace warpscope::agent {

class Subscriber;

class Windows {
 public:
  struct Event {
    bool began;
    int64_t time_ns;
    const char* reason;  // lives as long as the process
  };

  // `kinds` null: no CUPTI; NVTX alone is recorded.
  void Init(const wire::Control& settings, Kinds* kinds, NvtxRing* ring, Subscriber* subscriber, int64_t now_ns,
            uint64_t last_command);
  // Whether the first window begins at once, so that it can begin before CUDA has loaded a module.
  bool begins_at_once() const { return begins_at_once_; }

  void Tick(int64_t now_ns, uint64_t command);
  // The collection starts anew within the window, with `reason`.
  void Restart(const char* reason);
  void SetCollect(uint32_t collect);  // from the next switch on; if a window is open, at once
  // A pause within the window and its end, for the budget.
  void Pause(bool on, const char* reason);

  // NVTX, in the application's thread. `key` is the range's own until it ends.
  void RangeBegan(const char* text, uint64_t key);
  void RangeEnded(uint64_t key);
  // cudaProfilerStart/Stop, in the application's thread.
  void ProfilerCalled(bool start);

  // Brings about what is wanted. Any thread that is inside no CUDA call.
  void Apply();
  // The process ends: no switch any more.
  void Finish();

  // Oldest first. False: none.
  bool TakeEvent(Event* event);

  bool recording() const { return recording_.load(std::memory_order_relaxed); }
  bool over() const { return over_.load(std::memory_order_relaxed); }
  bool ever_recorded() const { return windows_.load(std::memory_order_relaxed) > 0; }
  bool froze() const { return froze_.load(std::memory_order_relaxed); }
  uint32_t collect() const { return collect_; }

  void ResetLocksAfterFork();

 private:
  static constexpr uint32_t kMostEvents = 64;

  void Want(bool on, const char* reason);
  void Obey(wire::Command command);
  void WatchClock(int64_t now_ns);
  void Switch(bool on, const char* reason);
  void Put(bool began, const char* reason);

  wire::Trigger trigger_ = wire::kTriggerStart;
  uint32_t range_skip_ = 0, range_count_ = 1;
  int64_t due_ns_ = 0;       // triggers count from then on
  int64_t duration_ns_ = 0;  // 0: no end
  char range_[128] = {};
  bool begins_at_once_ = false;
  Kinds* kinds_ = nullptr;
  NvtxRing* ring_ = nullptr;
  Subscriber* subscriber_ = nullptr;
  std::atomic<uint32_t> collect_{wire::kCollectDefault};

  pthread_mutex_t wish_lock_ = PTHREAD_MUTEX_INITIALIZER;  // of the next lines; held for a few instructions
  uint32_t ranges_seen_ = 0;                               // of that name, while none was open
  uint64_t open_key_ = 0;                                  // of the range that is counted; 0: none
  Event events_[kMostEvents] = {};
  uint32_t event_head_ = 0, event_count_ = 0;

  pthread_mutex_t switch_lock_ = PTHREAD_MUTEX_INITIALIZER;  // held while kinds are switched
  std::atomic<bool> wanted_{false}, recording_{false}, over_{false}, restart_{false}, paused_{false}, froze_{false},
      recollect_{false}, resumes_{false};
  std::atomic<const char*> reason_{""};
  std::atomic<int64_t> wanted_since_ns_{0}, began_ns_{0};
  std::atomic<uint32_t> windows_{0};
  uint64_t seen_command_ = 0;
  bool started_ = false;
};

}  // namespace warpscope::agent
