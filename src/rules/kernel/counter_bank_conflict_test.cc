#include "rules/testing/device_program.h"
#include "rules/testing/profiles.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules::testing {
namespace {

constexpr const char* kId = "counter_bank_conflict";

// Half of the step is the kernel that was profiled.
void Build(TraceBuilder& b, const MetricValues& metrics, std::string_view profiled = "own<int>(float *)") {
  AddProfile(b.trace(), profiled, TraceBuilder::Config(300, 256, 32, 0), 520'000, metrics);
  DeviceProgram()
      .Add({.kernel = "void own<int>(float*)", .us = 500, .config = TraceBuilder::Config(300, 256, 32, 0)})
      .Filler(500)
      .Build(b);
}

TEST(CounterBankConflict, Fires) {
  TraceBuilder b;
  Build(b, BankConflictMetrics());
  const Outcome outcome = Evaluate(kId, b);
  ExpectFires(outcome);
  EXPECT_NEAR(*outcome.findings[0].share_pct, 50, 5);
  ASSERT_TRUE(outcome.findings[0].predicted.has_value());
  EXPECT_GT(outcome.findings[0].predicted->gain_pct, 30);
  EXPECT_LT(outcome.findings[0].predicted->low_pct, outcome.findings[0].predicted->gain_pct);
}

TEST(CounterBankConflict, StaysSilent) {
  {  // the kernel is at its roof
    TraceBuilder b;
    Build(b, AtRoofMetrics());
    ExpectSilent(Evaluate(kId, b));
  }
  {  // no counter report
    TraceBuilder b;
    DeviceProgram().Filler(500).Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
}

TEST(CounterBankConflict, Abstains) {
  {  // another program was profiled
    TraceBuilder b;
    Build(b, BankConflictMetrics(), "another(int)");
    ExpectAbstains(Evaluate(kId, b));
  }
  {  // the metrics that tell are not there
    TraceBuilder b;
    Build(b,
          Without(Without(BankConflictMetrics(), "memory_l1_wavefronts_shared"), "memory_l1_wavefronts_shared_ideal"));
    ExpectAbstains(Evaluate(kId, b));
  }
}

}  // namespace
}  // namespace warpscope::rules::testing
