// PmSchedule: when a device is sampled, with which set and for how long. Windows lie at an irregular place of each
// period (a low-discrepancy sequence: the fractional parts of multiples of the golden ratio), so that they do not keep
// step with the program. A change of sets costs as much CPU time as a window (80 ms against 40 to 100 on an H200), so
// each stays for some windows: the first one, then one of the others, and again. The first periods are short, so that
// short runs are met; from then on a period is long enough for what decoding costs: kShare of one core. [one thread]
// Pure: all times are given.
#pragma once

#include <cstdint>

namespace warpscope::agent {

class PmSchedule {
 public:
  static constexpr int64_t kDefaultIntervalNs = 20'000, kDefaultWindowNs = 20'000'000, kDefaultPeriodNs = 1'000'000'000;
  static constexpr int64_t kFirstPeriodNs = 120'000'000;
  // Of one core. Windows without a pause, whose decoding took most of one, slowed a program by 0.1 % (H200, character).
  static constexpr int64_t kSharePermille = 50;
  static constexpr int64_t kAllowanceNs = 1'000'000'000;   // CPU time before the share counts
  static constexpr int64_t kMostWindowCpuNs = 80'000'000;  // a window of a wide set is shortened to it
  static constexpr uint32_t kMostSamples = 4096;           // of one window

  struct Window {
    uint32_t set = 0;
    int64_t begin_ns = 0, duration_ns = 0;
  };

  // 0: the default. `sets` > 0.
  void Init(int64_t interval_ns, int64_t window_ns, int64_t period_ns, uint32_t sets, int64_t now_ns) {
    interval_ns_ = interval_ns > 0 ? interval_ns : kDefaultIntervalNs;
    fixed_period_ = period_ns > 0;
    fixed_window_ = window_ns > 0;
    period_ns_ = fixed_period_ ? period_ns : kFirstPeriodNs;
    window_ns_ = window_ns > 0 ? window_ns : kDefaultWindowNs;
    const int64_t most = interval_ns_ * kMostSamples;
    if (window_ns_ > most) window_ns_ = most;
    if (fixed_period_ && window_ns_ > period_ns_) window_ns_ = period_ns_;
    sets_ = sets;
    next_ = {0, now_ns, window_ns_};
    period_begin_ns_ = now_ns;
  }
  int64_t interval_ns() const { return interval_ns_; }
  int64_t period_ns() const { return period_ns_; }
  const Window& next() const { return next_; }

  // The window is over: it cost `cpu_ns`, of it `setup_ns` however long it is, for `samples`. What comes next.
  void Done(int64_t now_ns, int64_t cpu_ns, int64_t setup_ns, uint32_t samples) {
    spent_ns_ += cpu_ns;
    if (samples > 0) cost_ns_[next_.set] = (cpu_ns - setup_ns) / samples;
    average_ns_ = average_ns_ == 0 ? cpu_ns : (average_ns_ * 3 + cpu_ns) / 4;
    if (!fixed_period_) {
      period_ns_ = period_ns_ * 3 / 2;
      if (period_ns_ > kDefaultPeriodNs) period_ns_ = kDefaultPeriodNs;
      const int64_t affordable_ns = average_ns_ * 1000 / kSharePermille;
      if (spent_ns_ > kAllowanceNs && affordable_ns > period_ns_) period_ns_ = affordable_ns;
    }
    ++windows_;
    next_.set = SetOf(windows_);
    next_.duration_ns = WindowOf(next_.set);
    period_begin_ns_ += period_ns_;
    if (period_begin_ns_ < now_ns) period_begin_ns_ = now_ns;
    const int64_t room_ns = period_ns_ - next_.duration_ns;
    next_.begin_ns = period_begin_ns_ + (room_ns > 0 ? room_ns * Fraction() / 1000 : 0);
  }
  // Nothing can be sampled now: look again so much later.
  void Postpone(int64_t until_ns) {
    next_.begin_ns = until_ns;
    period_begin_ns_ = until_ns;
  }

 private:
  int64_t WindowOf(uint32_t set) const {
    const int64_t cost_ns = cost_ns_[set];
    if (fixed_window_ || cost_ns == 0) return window_ns_;
    const int64_t most_ns = kMostWindowCpuNs / cost_ns * interval_ns_;
    const int64_t least_ns = 32 * interval_ns_;
    return most_ns >= window_ns_ ? window_ns_ : most_ns < least_ns ? least_ns : most_ns;
  }
  uint32_t SetOf(uint32_t window) const {
    constexpr uint32_t kFirst = 4, kOther = 2, kRound = kFirst + kOther;
    if (sets_ == 1 || window % kRound < kFirst) return 0;
    return 1 + window / kRound % (sets_ - 1);
  }
  // Thousandths.
  int64_t Fraction() const { return static_cast<int64_t>(uint64_t{windows_} * 618034 % 1000000) / 1000; }

  static constexpr uint32_t kMostSets = 8;
  int64_t interval_ns_ = kDefaultIntervalNs, window_ns_ = kDefaultWindowNs, period_ns_ = kDefaultPeriodNs;
  bool fixed_period_ = false, fixed_window_ = false;
  uint32_t sets_ = 1, windows_ = 0;
  int64_t period_begin_ns_ = 0, spent_ns_ = 0, average_ns_ = 0;
  int64_t cost_ns_[kMostSets] = {};  // of a sample
  Window next_;
};

}  // namespace warpscope::agent
