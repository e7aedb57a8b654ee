// LaunchTimer: how long launch calls take, with kernel records and without, from the enter and exit callbacks of the
// same call. [MT] Enter and Exit run in application threads and lock nothing; the rest is the writer's.
#pragma once

#include <atomic>
#include <cstdint>

namespace warpscope::agent {

class LaunchTimer {
 public:
  static constexpr uint32_t kMostTimes = 2048;

  void Enter();
  void Exit();
  // From now on times count for "with records" or "without". Times that began before are left out.
  void Begin(bool with_records);
  void Stop() { on_.store(false, std::memory_order_release); }
  bool on() const { return on_.load(std::memory_order_acquire); }
  uint32_t Count(bool with_records) const;
  // Of the times so far; -1: there are none. After Stop().
  int64_t MedianNs(bool with_records);

 private:
  std::atomic<bool> on_{false};
  std::atomic<uint32_t> phase_{0};  // the lowest bit: with records
  std::atomic<uint32_t> count_[2] = {};
  uint32_t times_ns_[2][kMostTimes] = {};
};

}  // namespace warpscope::agent
