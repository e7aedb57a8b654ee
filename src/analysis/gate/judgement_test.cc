// One word for a pair, whoever asks; a single hiccup does not widen what is known.
#include "analysis/gate/judgement.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace warpscope::analysis {
namespace {

RunSteps Noisy(unsigned seed, size_t count, double ms, double sd) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  RunSteps steps;
  for (size_t i = 0; i < count; ++i) steps.push_back(ms * std::exp(sd * normal(random)));
  return steps;
}

TEST(JudgeSteps, OneHiccupOfManySizesHardlyWidensTheInterval) {
  for (const size_t count : {6u, 8u, 12u, 24u}) {
    for (const double times : {3.0, 30.0, 1000.0}) {
      RunSteps disturbed = Noisy(1, count, 10, 0.01);
      const RunSteps base = Noisy(2, count, 10, 0.01);
      const auto quiet = JudgeSteps({base}, {disturbed});
      disturbed[count / 2] *= times;
      const auto noisy = JudgeSteps({base}, {disturbed});
      ASSERT_TRUE(quiet && noisy);
      EXPECT_LT(noisy->middle.noise_pct, 1.7 * quiet->middle.noise_pct) << count << " steps, " << times;
      EXPECT_NEAR(noisy->middle.diff_pct, quiet->middle.diff_pct, 1) << count << " steps, " << times;
      EXPECT_EQ(noisy->word, ChangeWord::kNoDifference) << count << " steps, " << times;
    }
  }
}

TEST(JudgeSteps, ALoaderThatStallsOnceIsFasterThanOneThatAlwaysDoes) {
  const RunSteps slow = {60.5, 62.1, 62.5, 62.4}, fast = {7.35, 4.46, 173, 4.58, 6.11, 4.47};
  const auto forth = JudgeSteps({slow}, {fast}), back = JudgeSteps({fast}, {slow});
  ASSERT_TRUE(forth && back);
  EXPECT_EQ(forth->word, ChangeWord::kFaster);
  EXPECT_EQ(back->word, ChangeWord::kSlower);
  EXPECT_FALSE(forth->few);
  EXPECT_LT(forth->middle.high_pct, -75);
}

TEST(JudgeSteps, EqualStepsWithOneHiccup) {
  const RunSteps even(10, 10.0);
  RunSteps hiccup = even;
  hiccup[4] = 170;
  const auto same = JudgeSteps({even}, {hiccup});
  ASSERT_TRUE(same);
  EXPECT_EQ(same->word, ChangeWord::kNoDifference);
  RunSteps longer(10, 10.5);
  longer[7] = 400;
  const auto slower = JudgeSteps({hiccup}, {longer});
  ASSERT_TRUE(slower);
  EXPECT_EQ(slower->word, ChangeWord::kSlower);
  EXPECT_NEAR(slower->middle.diff_pct, 5, 0.01);
}

TEST(JudgeSteps, NullsAreSeldomCalledChanges) {
  int changes = 0;
  constexpr int kPairs = 1000;
  for (int i = 0; i < kPairs; ++i) {
    const auto seed = static_cast<unsigned>(2 * i);
    const auto judged = JudgeSteps({Noisy(seed, 24, 10, 0.08)}, {Noisy(seed + 1, 24, 10, 0.08)});
    changes += judged->word != ChangeWord::kNoDifference ? 1 : 0;
  }
  EXPECT_LE(changes, kPairs * 2 / 100);  // two-sided
}

TEST(JudgeSteps, FewStepsTellLargeChangesAndSaySo) {
  const auto few = JudgeSteps({{10.0}}, {{20.0}});
  ASSERT_TRUE(few);
  EXPECT_TRUE(few->few);
  EXPECT_EQ(few->word, ChangeWord::kSlower);
  EXPECT_EQ(JudgeSteps({{0.19, 0.21}}, {{67.0, 66.0, 70.0}})->word, ChangeWord::kSlower);
  EXPECT_EQ(JudgeSteps({{10, 14}}, {{12, 20, 30}})->word, ChangeWord::kNoDifference);
  EXPECT_EQ(JudgeSteps({{10.0}}, {{10.3}})->word, ChangeWord::kNoDifference);
  EXPECT_FALSE(JudgeSteps({{}}, {{10.0}}));
  EXPECT_FALSE(JudgeSteps({}, {{10.0}}));
}

TEST(JudgeSteps, StallsThatTheMiddleHidesAreFoundByTheMean) {
  RunSteps even = Noisy(3, 40, 10, 0.01), stalls = Noisy(4, 40, 10, 0.01);
  for (size_t i = 3; i < stalls.size(); i += 4) stalls[i] += 5;
  const auto judged = JudgeSteps({even}, {stalls});
  ASSERT_TRUE(judged);
  EXPECT_EQ(judged->word, ChangeWord::kSlower);
  EXPECT_TRUE(judged->by_mean);
}

// What is told of the means is what throughput follows.
TEST(JudgeSteps, MeansAreArithmetic) {
  std::vector<RunSteps> even, stalls;
  for (uint64_t run = 0; run < 3; ++run) {
    even.push_back(Noisy(10 + run, 40, 1, 0.005)), stalls.push_back(Noisy(20 + run, 40, 1, 0.005));
    for (const size_t i : {9, 19, 29, 36}) stalls.back()[i] = 100;
  }
  const auto judged = JudgeSteps(even, stalls);
  ASSERT_TRUE(judged);
  EXPECT_TRUE(judged->by_mean);
  EXPECT_NEAR(judged->shift().base, 1, 0.01);
  EXPECT_NEAR(judged->shift().next, 10.9, 0.05);
  EXPECT_NEAR(judged->shift().diff_pct, 990, 10);
  EXPECT_GT(judged->shift().low_pct, 0);
  EXPECT_GT(judged->shift().high_pct, judged->shift().diff_pct);
}

TEST(Recentred, KeepsTheNoise) {
  RunShift shift;
  shift.base = 10, shift.next = 5, shift.noise_pct = 10;
  const RunShift moved = Recentred(shift, 8, 4.4);
  EXPECT_NEAR(moved.diff_pct, -45, 1e-9);
  EXPECT_NEAR(moved.low_pct, -50, 1e-9);
  EXPECT_NEAR(moved.high_pct, -39.5, 1e-9);
}

RecordedRun Slowed(RunSteps true_ms, double ratio) {
  for (double& ms : true_ms) ms *= ratio;
  RecorderCost cost;
  cost.known = true;
  cost.left_ratio = 1 / ratio;
  cost.less_ratio = (1 + cost.left_ratio) / 2, cost.more_ratio = std::max(0.01, 1.5 * cost.left_ratio - 0.5);
  cost.cost_ms = true_ms.front() * (1 - cost.left_ratio);
  return {std::move(true_ms), cost};
}

TEST(JudgeRecorded, TellsWhatTheProgramsTakeAndHowSureThatIs) {
  // 25 ms under a recorder that doubles them, against 7 ms that it leaves alone.
  const auto judged = JudgeRecorded({Slowed(Noisy(1, 12, 25, 0.01), 2)}, {Slowed(Noisy(2, 12, 7, 0.01), 1)});
  ASSERT_TRUE(judged);
  EXPECT_EQ(judged->times, StepTimes::kWithoutRecorder);
  EXPECT_NEAR(judged->steps.middle.base, 25, 0.5);
  EXPECT_NEAR(judged->recorded.middle.base, 50, 1);
  EXPECT_EQ(judged->steps.word, ChangeWord::kFaster);
  // The recorder may have cost half as much, or one and a half times as much: 37 or 12 ms.
  EXPECT_LT(judged->steps.middle.low_pct, 100 * (7 / 36.0 - 1));
  EXPECT_GT(judged->steps.middle.high_pct, 100 * (7 / 14.0 - 1));
}

TEST(JudgeRecorded, OneProgramUnderOneRecorderLosesNothing) {
  const auto judged = JudgeRecorded({Slowed(Noisy(1, 24, 10, 0.01), 2)}, {Slowed(Noisy(2, 24, 10.4, 0.01), 1.96)});
  ASSERT_TRUE(judged);
  EXPECT_EQ(judged->steps.word, ChangeWord::kSlower);
  EXPECT_LT(judged->steps.middle.noise_pct, 5);
}

TEST(JudgeRecorded, AChangeWithinTheDoubtIsNone) {
  const auto judged = JudgeRecorded({Slowed(Noisy(1, 24, 10, 0.01), 3)}, {Slowed(Noisy(2, 24, 11, 0.01), 1.1)});
  ASSERT_TRUE(judged);
  EXPECT_EQ(judged->steps.word, ChangeWord::kNoDifference);
  EXPECT_EQ(judged->recorded.word, ChangeWord::kFaster);
}

TEST(JudgeRecorded, AHostThatWasSlowerInTheSameCallIsNoChangeOfTheProgram) {
  auto base = Slowed(Noisy(1, 24, 10, 0.01), 2), next = Slowed(Noisy(2, 24, 12, 0.01), 1.9);
  base.recorder->at_most_pct = next.recorder->at_most_pct = 90;
  base.recorder->launch_call_ns = next.recorder->launch_call_ns = 4700;
  EXPECT_EQ(JudgeRecorded({base}, {next})->steps.word, ChangeWord::kSlower);
  next.recorder->launch_call_ns = 6300;
  EXPECT_EQ(JudgeRecorded({base}, {next})->steps.word, ChangeWord::kNoDifference);
  // A quicker host explains no slower program.
  next.recorder->launch_call_ns = 4000;
  EXPECT_EQ(JudgeRecorded({base}, {next})->steps.word, ChangeWord::kSlower);
}

TEST(JudgeRecorded, AnUnknownCostThatCanBeAsLargeLeavesBothAsRecorded) {
  RecordedRun unknown{Noisy(2, 12, 50, 0.01), RecorderCost{}};
  unknown.recorder->at_most_pct = 80;
  const auto judged = JudgeRecorded({Slowed(Noisy(1, 12, 25, 0.01), 2)}, {unknown});
  ASSERT_TRUE(judged);
  EXPECT_EQ(judged->times, StepTimes::kRecorded);
  EXPECT_EQ(judged->steps.word, ChangeWord::kNoDifference);
  EXPECT_EQ(judged->unknown_at_most_pct, 80);
  // The device leaves no room for it: what is taken out of the other side is told, with that doubt.
  unknown.recorder->at_most_pct = 10;
  const auto busy = JudgeRecorded({Slowed(Noisy(1, 12, 25, 0.01), 2)}, {unknown});
  ASSERT_TRUE(busy);
  EXPECT_EQ(busy->times, StepTimes::kWithoutRecorder);
  EXPECT_EQ(busy->steps.word, ChangeWord::kSlower);
}

}  // namespace
}  // namespace warpscope::analysis
