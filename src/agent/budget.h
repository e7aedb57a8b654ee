// Budget: keeps what recording adds to the program within the share that --max-overhead names, by collecting less.
// [one thread] the writer's, but for the launch times, which application threads put in (LaunchTimer).
// What is measured: the time that launch calls take, with kernel records on and off in turn (kPhases phases of
// kPhaseNs), both timed by the same callback, medians of each. Kernel records do their work inside the launch call, so
// the difference is what they add to it; the medians leave out launches that waited for a full queue. Added time =
// launches a second x that difference
// + other records x kOtherRecordNs, which counts as if one thread paid it all: the worst case.
// Steps down: light calls, no launch records, a duty cycle of windows. Steps are never taken back within a run: what is
// collected must not flicker.
// kOtherRecordNs and the default of the difference: medians of one H200, driver 580, CUPTI 13.0.1 (bench/capture).
#pragma once

#include <cstdint>

#include "agent/launch_timer.h"

namespace warpscope::agent {

class Windows;

class Budget {
 public:
  static constexpr int64_t kPhaseNs = 60'000'000;
  static constexpr int kPhases = 6;
  static constexpr int64_t kPeriodNs = 500'000'000;
  static constexpr int64_t kDutyNs = 2'000'000'000;

  // permille 0: nothing is limited. `timer` null: launches cannot be timed; the default counts.
  void Init(uint32_t permille, Windows* windows, LaunchTimer* timer);
  bool active() const { return permille_ > 0; }

  // `launches`, `rows`: so far.
  void Tick(int64_t now_ns, uint64_t launches, uint64_t rows);

  // A sentence for the user about the last step taken; null: none since the last call.
  const char* TakeNews();

  // Of the launches timed; -1: not measured.
  int64_t added_ns() const { return added_ns_; }
  uint32_t timed_with() const { return timed_with_; }
  uint32_t timed_without() const { return timed_without_; }

 private:
  void Measure(int64_t now_ns);
  void Weigh(int64_t now_ns, uint64_t launches, uint64_t rows);
  void StepDown(int64_t share_permille);
  void Cycle(int64_t now_ns);

  uint32_t permille_ = 0;
  Windows* windows_ = nullptr;
  LaunchTimer* timer_ = nullptr;
  int phase_ = 0;  // kPhases: measured
  int64_t phase_end_ns_ = 0;
  int64_t added_ns_ = -1;
  uint32_t timed_with_ = 0, timed_without_ = 0;
  int64_t period_start_ns_ = 0;
  uint64_t launches_before_ = 0, rows_before_ = 0;
  int level_ = 0;
  int64_t duty_permille_ = 1000;  // share of the time that is recorded
  int64_t cycle_start_ns_ = 0;
  char news_[200] = {};
  bool has_news_ = false;
};

}  // namespace warpscope::agent
