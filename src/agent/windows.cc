#include "agent/windows.h"

#include <string.h>

#include "agent/nvtx_ranges.h"
#include "agent/subscriber.h"
#include "wire/clock.h"

namespace warpscope::agent {
namespace {

// How long a wish waits for an application thread to leave a launch. A program that launches nothing for so long
// loads nothing either, most likely.
constexpr int64_t kWaitForLaunchNs = 250'000'000;

class Locked {
 public:
  explicit Locked(pthread_mutex_t* lock) : lock_(lock) { pthread_mutex_lock(lock_); }
  ~Locked() { pthread_mutex_unlock(lock_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  pthread_mutex_t* lock_;
};

}  // namespace

void Windows::Init(const wire::Control& settings, Kinds* kinds, NvtxRing* ring, Subscriber* subscriber, int64_t now_ns,
                   uint64_t last_command) {
  trigger_ = static_cast<wire::Trigger>(settings.trigger);
  collect_ = settings.collect;
  range_skip_ = settings.range_skip;
  range_count_ = settings.range_count == 0 ? 1 : settings.range_count;
  due_ns_ = now_ns + settings.delay_ns;
  duration_ns_ = settings.duration_ns;
  memcpy(range_, settings.range, sizeof(range_));
  kinds_ = kinds;
  ring_ = ring;
  subscriber_ = subscriber;
  seen_command_ = last_command;
  // What was asked of the run before this process began holds for it as well.
  const wire::Command last = wire::CommandOf(last_command);
  if (last == wire::kCommandStop || last == wire::kCommandFreeze) started_ = true;
  if (last == wire::kCommandStart) {
    started_ = begins_at_once_ = true;
  } else if (!started_ && trigger_ == wire::kTriggerStart && settings.delay_ns <= 0) {
    started_ = begins_at_once_ = true;
  }
  if (begins_at_once_) Want(true, "start");
}

void Windows::Want(bool on, const char* reason) {
  paused_.store(false);
  reason_.store(reason);
  wanted_since_ns_.store(wire::NowNs());
  wanted_.store(on);
}

void Windows::Obey(wire::Command command) {
  started_ = true;
  if (command == wire::kCommandStart) {
    over_.store(false);
    froze_.store(false);
    if (!wanted_.load()) Want(true, "started by command");
  } else if (command == wire::kCommandStop) {
    if (wanted_.load()) Want(false, "stopped by command");
  } else if (command == wire::kCommandFreeze) {
    froze_.store(true);
    if (wanted_.load()) Want(false, "ring frozen");
  }
}

void Windows::WatchClock(int64_t now_ns) {
  if (trigger_ == wire::kTriggerStart && !started_ && now_ns >= due_ns_) {
    started_ = true;
    Want(true, "delay passed");
  }
  const bool running = (recording() && wanted_.load()) || paused_.load();
  if (duration_ns_ > 0 && running && now_ns >= began_ns_.load() + duration_ns_) {
    over_.store(true);
    Want(false, "duration passed");
  }
}

void Windows::Tick(int64_t now_ns, uint64_t command) {
  if (command != seen_command_) {
    seen_command_ = command;
    Obey(wire::CommandOf(command));
  }
  WatchClock(now_ns);
  const bool done = wanted_.load() == recording() && !restart_.load() && !recollect_.load();
  if (subscriber_ == nullptr || !subscriber_->can_wait()) {
    if (!done) Apply();
    return;
  }
  subscriber_->WaitForLaunch(!done);
  if (!done && now_ns - wanted_since_ns_.load() > kWaitForLaunchNs) Apply();
}

void Windows::Restart(const char* reason) {
  if (!recording()) return;
  reason_.store(reason);
  wanted_since_ns_.store(wire::NowNs());
  restart_.store(true);
}

void Windows::SetCollect(uint32_t collect) {
  if (collect_.exchange(collect) == collect) return;
  wanted_since_ns_.store(wire::NowNs());
  if (recording()) recollect_.store(true);
}

void Windows::Pause(bool on, const char* reason) {
  if (paused_.load() == on || (on && !wanted_.load())) return;
  resumes_.store(true);
  Want(!on, reason);
  paused_.store(on);
}

void Windows::RangeBegan(const char* text, uint64_t key) {
  if (trigger_ != wire::kTriggerRange || text == nullptr || over_.load() || strcmp(text, range_) != 0 ||
      wire::NowNs() < due_ns_)
    return;
  {
    const Locked hold(&wish_lock_);
    if (open_key_ != 0) return;  // one inside another of the same name
    open_key_ = key;
    ++ranges_seen_;
    if (ranges_seen_ <= range_skip_ || wanted_.load()) return;
    Want(true, "range began");
  }
  Apply();
}

void Windows::RangeEnded(uint64_t key) {
  if (trigger_ != wire::kTriggerRange) return;
  {
    const Locked hold(&wish_lock_);
    if (open_key_ != key) return;
    open_key_ = 0;
    if (uint64_t{ranges_seen_} < uint64_t{range_skip_} + range_count_) return;
    over_.store(true);
    Want(false, "range ended");
  }
  Apply();
}

void Windows::ProfilerCalled(bool start) {
  if (trigger_ != wire::kTriggerProfiler || over_.load() || (start && wire::NowNs() < due_ns_)) return;
  if (wanted_.load() == start) return;
  Want(start, start ? "cudaProfilerStart" : "cudaProfilerStop");
  Apply();
}

void Windows::Put(bool began, const char* reason) {
  const Locked hold(&wish_lock_);
  if (event_count_ == kMostEvents) return;  // the writer hangs; the window's records still come
  events_[(event_head_ + event_count_++) % kMostEvents] = {began, wire::NowNs(), reason};
}

bool Windows::TakeEvent(Event* event) {
  const Locked hold(&wish_lock_);
  if (event_count_ == 0) return false;
  *event = events_[event_head_];
  event_head_ = (event_head_ + 1) % kMostEvents;
  --event_count_;
  return true;
}

void Windows::Switch(bool on, const char* reason) {
  if (on) {
    Put(true, reason);
    if (!resumes_.exchange(false)) began_ns_.store(wire::NowNs());
    SetNvtxRing(ring_);
    if (kinds_ != nullptr) kinds_->Enable(collect_.load());
    windows_.fetch_add(1);
  } else {
    if (kinds_ != nullptr) kinds_->Disable();
    SetNvtxRing(nullptr);
    Put(false, reason);
  }
  recording_.store(on);
}

void Windows::Apply() {
  if (pthread_mutex_trylock(&switch_lock_) != 0) return;  // somebody is at it, and looks again
  for (;;) {
    const bool on = wanted_.load();
    const char* reason = reason_.load();
    if (on != recording_.load()) {
      Switch(on, reason);
    } else if (restart_.exchange(false) && on) {
      resumes_.store(true);
      Switch(false, reason);
      Switch(true, reason);
    } else if (recollect_.exchange(false) && on) {
      if (kinds_ != nullptr) kinds_->Enable(collect_.load());
    } else {
      break;
    }
  }
  pthread_mutex_unlock(&switch_lock_);
}

// Kinds stay as they are: the process is on its way out, and whoever switches them may never come back.
void Windows::Finish() {
  over_.store(true);
  wanted_.store(false);
  SetNvtxRing(nullptr);
  if (recording_.exchange(false)) Put(false, "the process ended");
}

void Windows::ResetLocksAfterFork() {
  wish_lock_ = PTHREAD_MUTEX_INITIALIZER;
  switch_lock_ = PTHREAD_MUTEX_INITIALIZER;
}

}  // namespace warpscope::agent
