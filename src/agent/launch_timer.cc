#include "agent/launch_timer.h"

#include <stdlib.h>
#include <time.h>

namespace warpscope::agent {
namespace {

struct Running {
  int64_t start_ns;  // 0: none
  uint32_t phase;
};
thread_local Running t_running = {};

int64_t SteadyNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<int64_t>(now.tv_sec) * 1000000000 + now.tv_nsec;
}

int Compare(const void* a, const void* b) {
  const uint32_t x = *static_cast<const uint32_t*>(a), y = *static_cast<const uint32_t*>(b);
  return x < y ? -1 : x > y ? 1 : 0;
}

}  // namespace

void LaunchTimer::Enter() {
  if (!on()) return;
  t_running.phase = phase_.load(std::memory_order_acquire);
  t_running.start_ns = SteadyNs();
}

void LaunchTimer::Exit() {
  const int64_t start_ns = t_running.start_ns;
  t_running.start_ns = 0;
  if (start_ns == 0 || !on() || t_running.phase != phase_.load(std::memory_order_acquire)) return;
  const int64_t time_ns = SteadyNs() - start_ns;
  if (time_ns < 0 || time_ns > INT32_MAX) return;
  const uint32_t with = t_running.phase & 1;
  const uint32_t at = count_[with].fetch_add(1, std::memory_order_relaxed);
  if (at < kMostTimes) times_ns_[with][at] = static_cast<uint32_t>(time_ns);
  else count_[with].fetch_sub(1, std::memory_order_relaxed);
}

void LaunchTimer::Begin(bool with_records) {
  const uint32_t phase = phase_.load() + 2;
  phase_.store((phase & ~uint32_t{1}) | (with_records ? 1 : 0), std::memory_order_release);
  on_.store(true, std::memory_order_release);
}

uint32_t LaunchTimer::Count(bool with_records) const {
  const uint32_t count = count_[with_records ? 1 : 0].load();
  return count < kMostTimes ? count : kMostTimes;
}

int64_t LaunchTimer::MedianNs(bool with_records) {
  const uint32_t count = Count(with_records);
  if (count == 0) return -1;
  uint32_t* times = times_ns_[with_records ? 1 : 0];
  qsort(times, count, sizeof(uint32_t), Compare);
  return times[count / 2];
}

}  // namespace warpscope::agent
