#include "rules/testing/counter_rule_test.h"

namespace warpscope::rules::testing {
namespace {

constexpr const char* kId = "counter_bank_conflict";

TEST(CounterBankConflict, Fires) {
  TraceBuilder b;
  BuildProfiled(b, BankConflictMetrics());
  const Outcome outcome = Evaluate(kId, b);
  ExpectFires(outcome);
  EXPECT_NEAR(*outcome.findings[0].share_pct, 50, 5);
  ASSERT_TRUE(outcome.findings[0].predicted.has_value());
  EXPECT_GT(outcome.findings[0].predicted->gain_pct, 30);
  EXPECT_LT(outcome.findings[0].predicted->low_pct, outcome.findings[0].predicted->gain_pct);
}

TEST(CounterBankConflict, StaysSilent) { ExpectSilentWithoutItsCause(kId); }

TEST(CounterBankConflict, Abstains) {
  {  // another program was profiled
    TraceBuilder b;
    BuildProfiled(b, BankConflictMetrics(), "another(int)");
    ExpectAbstains(Evaluate(kId, b));
  }
  {  // the metrics that tell are not there
    TraceBuilder b;
    BuildProfiled(
        b, Without(Without(BankConflictMetrics(), "memory_l1_wavefronts_shared"), "memory_l1_wavefronts_shared_ideal"));
    ExpectAbstains(Evaluate(kId, b));
  }
}

}  // namespace
}  // namespace warpscope::rules::testing
