#include "analysis/gate/turns.h"

#include <gtest/gtest.h>

namespace warpscope::analysis {
namespace {

std::vector<RunCenter> Runs(const std::vector<double>& times) {
  std::vector<RunCenter> runs;
  for (const double time : times) runs.push_back(*CenterOf({time}));
  return runs;
}

TEST(JudgeTurns, TellsWhatStandsOutOfTheNoise) {
  const auto a = Runs({10, 10.1, 9.9, 10.05, 9.95});
  EXPECT_EQ(JudgeTurns(a, Runs({10.5, 10.6, 10.4, 10.55, 10.45}), 1).outcome, ChangeWord::kSlower);
  EXPECT_EQ(JudgeTurns(a, Runs({9.5, 9.6, 9.4, 9.55, 9.45}), 1).outcome, ChangeWord::kFaster);
  EXPECT_EQ(JudgeTurns(a, Runs({10.05, 9.9, 10.1, 10, 9.95}), 1).outcome, ChangeWord::kNoDifference);
  EXPECT_EQ(JudgeTurns(a, Runs({10, 11, 9, 10.5, 9.5}), 1).outcome, ChangeWord::kNoDifference);
}

TEST(JudgeTurns, OneRunThatWasDisturbedDecidesNothing) {
  const auto a = Runs({10, 10.1, 9.9, 10.05, 9.95, 10.02});
  const Turns turns = JudgeTurns(a, Runs({10.5, 10.6, 10.4, 10.55, 30, 10.45}), 1);
  EXPECT_TRUE(turns.by_ranks);
  EXPECT_EQ(turns.outcome, ChangeWord::kSlower);
  EXPECT_LT(turns.shift.diff_pct, 8);
}

TEST(JudgeTurns, TwoRunsASideNeedALargeChange) {
  const auto a = Runs({10, 10.1});
  EXPECT_EQ(JudgeTurns(a, Runs({10.3, 10.2}), 1).outcome, ChangeWord::kNoDifference);
  EXPECT_EQ(JudgeTurns(a, Runs({20, 20.1}), 1).outcome, ChangeWord::kSlower);
  EXPECT_FALSE(JudgeTurns(a, a, 1).by_ranks);
}

TEST(JudgeTurns, ASmallChangeCountsOnlyWhereItIsAskedFor) {
  const auto a = Runs({10, 10.001, 9.999, 10.0005}), b = Runs({10.05, 10.051, 10.049, 10.0505});
  EXPECT_EQ(JudgeTurns(a, b, 1).outcome, ChangeWord::kNoDifference);
  EXPECT_EQ(JudgeTurns(a, b, 0.2).outcome, ChangeWord::kSlower);
}

}  // namespace
}  // namespace warpscope::analysis
