#include "agent/counters/pm_schedule.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace warpscope::agent {
namespace {

constexpr int64_t kMs = 1'000'000, kSecond = 1000 * kMs;

struct Ran {
  uint32_t set;
  int64_t begin_ns, duration_ns;
};

// Windows until `until_ns`, each costing `cost_ns` a sample, and their CPU time.
std::vector<Ran> SampleFor(PmSchedule& schedule, int64_t until_ns, int64_t cost_ns, int64_t* cpu_ns) {
  std::vector<Ran> ran;
  while (schedule.next().begin_ns < until_ns) {
    const PmSchedule::Window window = schedule.next();
    ran.push_back({window.set, window.begin_ns, window.duration_ns});
    const auto samples = static_cast<uint32_t>(window.duration_ns / schedule.interval_ns());
    *cpu_ns += samples * cost_ns;
    schedule.Done(window.begin_ns + window.duration_ns + samples * cost_ns, samples * cost_ns, 0, samples);
  }
  return ran;
}

TEST(PmSchedule, TheFirstWindowIsAtOnceAndShortRunsHaveSeveral) {
  PmSchedule schedule;
  schedule.Init(0, 0, 0, 3, 1000);
  EXPECT_EQ(schedule.next().begin_ns, 1000);
  int64_t cpu_ns = 0;
  const auto ran = SampleFor(schedule, 2 * kSecond, 20'000, &cpu_ns);
  EXPECT_GE(ran.size(), 5U);
}

TEST(PmSchedule, EverySetHasItsTurnAndStaysForSomeWindows) {
  PmSchedule schedule;
  schedule.Init(0, 0, 100 * kMs, 3, 0);
  int64_t cpu_ns = 0;
  const auto ran = SampleFor(schedule, 2 * kSecond, 10'000, &cpu_ns);
  std::set<uint32_t> seen;
  int changes = 0;
  for (size_t i = 0; i < ran.size(); ++i) {
    seen.insert(ran[i].set);
    changes += i > 0 && ran[i].set != ran[i - 1].set ? 1 : 0;
  }
  EXPECT_EQ(seen, (std::set<uint32_t>{0, 1, 2}));
  EXPECT_LE(changes, static_cast<int>(ran.size()) / 2);
}

TEST(PmSchedule, LongRunsStayWithinTheShareOfACore) {
  for (const int64_t cost_ns : {5'000, 30'000, 100'000, 400'000}) {
    PmSchedule schedule;
    schedule.Init(0, 0, 0, 4, 0);
    int64_t cpu_ns = 0;
    SampleFor(schedule, 600 * kSecond, cost_ns, &cpu_ns);
    EXPECT_LE(cpu_ns, 600 * kSecond * PmSchedule::kSharePermille / 1000 * 11 / 10 + 2 * PmSchedule::kAllowanceNs)
        << cost_ns;
  }
}

TEST(PmSchedule, WindowsDoNotKeepStepWithTheProgram) {
  PmSchedule schedule;
  schedule.Init(0, 10 * kMs, 200 * kMs, 1, 0);
  int64_t cpu_ns = 0;
  const auto ran = SampleFor(schedule, 20 * kSecond, 1000, &cpu_ns);
  // Phases within a program's period of 100 ms, which divides that of the windows: every tenth of it is met.
  std::set<int64_t> tenths;
  for (const Ran& one : ran) tenths.insert(one.begin_ns / (10 * kMs) % 10);
  EXPECT_EQ(tenths.size(), 10U);
}

TEST(PmSchedule, AWindowThatWouldCostTooMuchIsShortened) {
  PmSchedule schedule;
  schedule.Init(0, 0, 0, 1, 0);
  schedule.Done(20 * kMs, 1000 * 400'000, 0, 1000);
  EXPECT_LE(schedule.next().duration_ns / schedule.interval_ns() * 400'000, PmSchedule::kMostWindowCpuNs);
  EXPECT_GT(schedule.next().duration_ns, 0);
}

TEST(PmSchedule, OwnNumbersHold) {
  PmSchedule schedule;
  schedule.Init(50'000, 30 * kMs, 30 * kMs, 1, 0);  // always
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(schedule.next().duration_ns, 30 * kMs);
    schedule.Done(schedule.next().begin_ns + 30 * kMs, 50 * kMs, 0, 600);
    EXPECT_EQ(schedule.period_ns(), 30 * kMs);
  }
}

}  // namespace
}  // namespace warpscope::agent
