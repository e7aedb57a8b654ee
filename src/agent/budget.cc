#include "agent/budget.h"

#include <stdio.h>

#include "agent/windows.h"
#include "wire/control.h"

namespace warpscope::agent {
namespace {

constexpr int64_t kDefaultAddedNs = 1000, kOtherRecordNs = 300;
constexpr uint32_t kFewestTimes = 30;              // of each state; below them the default counts
constexpr int64_t kLongestWaitNs = 1'000'000'000;  // of a phase without records for its share of them
constexpr int64_t kLeastDutyPermille = 20;         // something is always recorded
constexpr uint32_t kBeyondLight = wire::kCollectAllCalls | wire::kCollectMemory | wire::kCollectUnifiedMemory |
                                  wire::kCollectExternal | wire::kCollectGraphNodes;

}  // namespace

void Budget::Init(uint32_t permille, Windows* windows, LaunchTimer* timer) {
  permille_ = permille;
  windows_ = windows;
  timer_ = timer;
  if (timer == nullptr) phase_ = kPhases;
}

const char* Budget::TakeNews() {
  if (!has_news_) return nullptr;
  has_news_ = false;
  return news_;
}

// Phases with records and without, in turn, so that a program that changes its ways changes both alike.
void Budget::Measure(int64_t now_ns) {
  const bool with = phase_ % 2 == 0;
  if (phase_end_ns_ == 0) {
    if (windows_->recording() != with) return;  // the first window has not begun, or the switch still waits
    timer_->Begin(with);
    phase_end_ns_ = now_ns + kPhaseNs;
    return;
  }
  if (now_ns < phase_end_ns_) return;
  // A program that launches little, at its start above all, has longer phases. With records nothing is lost by that.
  const bool few = timer_->Count(with) < kFewestTimes * (static_cast<uint32_t>(phase_) / 2 + 1) / (kPhases / 2);
  if (few && (with || now_ns < phase_end_ns_ + kLongestWaitNs)) return;
  timer_->Stop();
  phase_end_ns_ = 0;
  ++phase_;
  windows_->Pause(with && phase_ < kPhases, "what recording costs is measured");
  if (phase_ < kPhases) return;
  timed_with_ = timer_->Count(true);
  timed_without_ = timer_->Count(false);
  if (timed_with_ < kFewestTimes || timed_without_ < kFewestTimes) return;
  const int64_t with_ns = timer_->MedianNs(true), without_ns = timer_->MedianNs(false);
  added_ns_ = with_ns > without_ns ? with_ns - without_ns : 0;
}

void Budget::StepDown(int64_t share_permille) {
  const uint32_t collect = windows_->collect();
  if ((collect & kBeyondLight) != 0) {
    windows_->SetCollect(collect & ~kBeyondLight);
    snprintf(news_, sizeof(news_), "to stay within %u.%u %% only waiting, copying and allocating calls are recorded",
             permille_ / 10, permille_ % 10);
  } else {
    const int64_t duty = duty_permille_ * permille_ / share_permille;
    duty_permille_ = duty < kLeastDutyPermille ? kLeastDutyPermille : duty;
    snprintf(news_, sizeof(news_), "to stay within %u.%u %% only %lld.%lld %% of the time is recorded, in pieces",
             permille_ / 10, permille_ % 10, static_cast<long long>(duty_permille_ / 10),
             static_cast<long long>(duty_permille_ % 10));
  }
  has_news_ = true;
  ++level_;
}

void Budget::Weigh(int64_t now_ns, uint64_t launches, uint64_t rows) {
  const int64_t period_ns = now_ns - period_start_ns_;
  if (period_ns < kPeriodNs) return;
  const auto new_launches = static_cast<int64_t>(launches - launches_before_);
  const auto others = static_cast<int64_t>(rows - rows_before_) - new_launches;
  const int64_t cost_ns =
      new_launches * (added_ns_ >= 0 ? added_ns_ : kDefaultAddedNs) + (others > 0 ? others : 0) * kOtherRecordNs;
  const int64_t share_permille = cost_ns * 1000 / period_ns;
  period_start_ns_ = now_ns;
  launches_before_ = launches;
  rows_before_ = rows;
  // A margin of a tenth, so that a duty cycle settles.
  if (share_permille * 10 > int64_t{permille_} * 11) StepDown(share_permille);
}

void Budget::Cycle(int64_t now_ns) {
  if (duty_permille_ >= 1000) return;
  // Cycles begin at multiples of their length, so that the processes of a run record the same moments.
  const int64_t cycle_ns = now_ns - now_ns % kDutyNs;
  if (cycle_ns != cycle_start_ns_) {
    cycle_start_ns_ = cycle_ns;
    windows_->Pause(false, "budget");
  } else if (now_ns - cycle_start_ns_ >= kDutyNs * duty_permille_ / 1000) {
    windows_->Pause(true, "budget");
  }
}

void Budget::Tick(int64_t now_ns, uint64_t launches, uint64_t rows) {
  if (permille_ == 0) return;
  if (phase_ < kPhases) {
    Measure(now_ns);
    period_start_ns_ = 0;
    return;
  }
  if (period_start_ns_ == 0) {
    period_start_ns_ = now_ns;
    launches_before_ = launches;
    rows_before_ = rows;
    return;
  }
  // With a duty cycle a period is a whole cycle.
  if (duty_permille_ >= 1000 || now_ns - period_start_ns_ >= kDutyNs) Weigh(now_ns, launches, rows);
  Cycle(now_ns);
}

}  // namespace warpscope::agent
