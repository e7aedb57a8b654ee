// Causes from counters as rules about a step: they fire where the kernel holds a share of it, stay silent at a roof,
// and abstain where the report does not fit. Counters of a kernel take the place of a guess from its launch.
#include "rules/testing/counter_rule_test.h"

namespace warpscope::rules::testing {
namespace {

struct Planted {
  const char* id;
  MetricValues metrics;
};

std::vector<Planted> All() {
  MetricValues imbalance =
      With(With(SmallGridMetrics(), "launch__waves_per_multiprocessor", 12), "launch__grid_size", 9999);
  return {{"bank_conflict", BankConflictMetrics()}, {"block_imbalance", imbalance},
          {"divergence", DivergenceMetrics()},      {"occupancy_registers", FewRegistersLeftMetrics()},
          {"small_grid", SmallGridMetrics()},       {"uncoalesced", UncoalescedMetrics()}};
}

TEST(CounterRules, FireWithTheStepWithoutTheCause) {
  for (const Planted& planted : All()) {
    SCOPED_TRACE(planted.id);
    TraceBuilder b;
    BuildProfiled(b, planted.metrics);
    const Outcome outcome = Evaluate(planted.id, b);
    ExpectFires(outcome);
    ASSERT_EQ(outcome.findings.size(), 1U);
    EXPECT_NEAR(*outcome.findings[0].share_pct, 50, 5);
    ASSERT_TRUE(outcome.findings[0].kernel_speedup.has_value());
    EXPECT_GT(*outcome.findings[0].kernel_speedup, 1.2);
    ASSERT_TRUE(outcome.findings[0].predicted.has_value());
    EXPECT_GT(outcome.findings[0].predicted->gain_pct, 10);
    EXPECT_LT(outcome.findings[0].predicted->low_pct, outcome.findings[0].predicted->gain_pct);
    EXPECT_FALSE(outcome.findings[0].concept_text.empty() && FindRule(planted.id)->concept_text.empty());
  }
}

TEST(CounterRules, StaySilentWithoutTheirCause) {
  for (const Planted& planted : All()) {
    SCOPED_TRACE(planted.id);
    ExpectSilentWithoutItsCause(planted.id);
  }
}

TEST(CounterRules, AbstainWhereTheReportDoesNotFit) {
  for (const Planted& planted : All()) {
    SCOPED_TRACE(planted.id);
    {  // another program was profiled
      TraceBuilder b;
      BuildProfiled(b, planted.metrics, "another(int)");
      ExpectAbstains(Evaluate(planted.id, b));
    }
    {  // the metrics that tell are not there
      TraceBuilder b;
      BuildProfiled(b, {{"sm__inst_executed.sum", 1}});
      ExpectAbstains(Evaluate(planted.id, b));
    }
  }
}

TEST(CounterRules, ARoofIsSaidAndPromisesNothing) {
  TraceBuilder b;
  BuildProfiled(b, AtRoofMetrics());
  const Outcome outcome = Evaluate("compute_bound", b);
  ExpectFires(outcome);
  EXPECT_FALSE(outcome.findings[0].predicted.has_value());
  EXPECT_FALSE(outcome.findings[0].kernel_speedup.has_value());
}

// A kernel on 4 of 132 SMs, with counters that tell about its grid.
void BuildSmallGrid(TraceBuilder& b, const MetricValues& metrics) {
  const auto config = TraceBuilder::Config(4, 64, 32, 0);
  if (!metrics.empty()) AddProfile(b.trace(), "own<int>(float *)", config, 520'000, metrics);
  DeviceProgram().Add({.kernel = "void own<int>(float*)", .us = 500, .config = config}).Filler(500).Build(b);
}

TEST(CounterRules, CountersOfAKernelReplaceAGuessAboutIt) {
  TraceBuilder guessed, measured, denied;
  BuildSmallGrid(guessed, {});
  const Outcome guess = Evaluate("small_grid", guessed);
  ExpectFires(guess);
  EXPECT_FALSE(guess.findings[0].kernel_speedup.has_value());
  BuildSmallGrid(measured, SmallGridMetrics());
  const Outcome both = Evaluate("small_grid", measured);
  ASSERT_EQ(both.findings.size(), 1U);
  EXPECT_TRUE(both.findings[0].kernel_speedup.has_value());
  // Its few blocks keep the memory busy all the same.
  BuildSmallGrid(denied, With(With(SmallGridMetrics(), "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", 90),
                              "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", 90));
  ExpectSilent(Evaluate("small_grid", denied));
}

}  // namespace
}  // namespace warpscope::rules::testing
