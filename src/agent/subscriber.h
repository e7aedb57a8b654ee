// Subscriber: CUPTI's callbacks on API calls, as few as possible: cudaProfilerStart and Stop where they are the
// trigger, and, while a switch of kinds waits, launches, in whose exit an application thread is inside no driver lock.
// [MT] Callbacks run in application threads. A process has one subscriber: where another tool is it, can_wait() is
// false and the switch happens in the writer.
#pragma once

#include <atomic>
#include <cstdint>

#include "agent/cupti_abi.h"
#include "agent/launch_timer.h"

namespace warpscope::agent {

class Windows;

class Subscriber {
 public:
  // 0, or CUPTI's answer why it could not be.
  int Init(const cupti::Functions* functions, Windows* windows, bool profiler_calls, bool graph_nodes);
  // From now on `called` hears of contexts and modules, in the thread that makes or ends them. False: no subscription.
  using ResourceCallback = void (*)(uint32_t id, const cupti::ResourceData& resource);
  bool WatchResources(ResourceCallback called);
  bool can_wait() const { return launch_count_ > 0; }
  // The writer's: from now on an application thread that leaves a launch applies what is wanted (or not any more).
  void WaitForLaunch(bool on);
  // While the timer is on, launches are timed. The writer's, after Begin() and Stop().
  LaunchTimer* timer() { return can_wait() ? &timer_ : nullptr; }
  void FollowTimer() { EnableLaunches(); }

 private:
  static constexpr uint32_t kMostLaunches = 48;

  void FindLaunches(uint32_t domain, const char* graph_launch);
  void EnableLaunches();
  bool IsWatchedLaunch(uint32_t domain, uint32_t id) const;
  void LaunchCalled(bool leaves);
  static void Called(void* self, uint32_t domain, uint32_t id, const void* data);
  void EnableProfilerCalls(uint32_t domain, const char* start, const char* stop, uint32_t* ids);

  const cupti::Functions* functions_ = nullptr;
  Windows* windows_ = nullptr;
  cupti::Subscriber handle_ = nullptr;
  std::atomic<bool> waiting_{false};
  bool launches_on_ = false;
  std::atomic<uint32_t> times_on_{0};  // how often launches were switched on: calls of before do not count
  std::atomic<ResourceCallback> resource_{nullptr};
  bool graph_nodes_ = false;  // their callbacks come through us, on the same calls
  LaunchTimer timer_;
  // Numbers of the launch calls of runtime and driver: CUPTI 13 tells of a launch through the runtime as that alone.
  uint32_t launches_[kMostLaunches] = {};
  uint32_t domains_[kMostLaunches] = {};
  uint32_t launch_count_ = 0;
  uint32_t runtime_profiler_[2] = {}, driver_profiler_[2] = {};  // start, stop
};

}  // namespace warpscope::agent
