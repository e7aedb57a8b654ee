#include "rules/testing/counter_rule_test.h"

namespace warpscope::rules::testing {
namespace {

constexpr const char* kId = "counter_imbalance";

TEST(CounterImbalance, Fires) {
  TraceBuilder b;
  BuildProfiled(b, SmallGridMetrics());
  const Outcome outcome = Evaluate(kId, b);
  ExpectFires(outcome);
  EXPECT_NEAR(*outcome.findings[0].share_pct, 50, 5);
  EXPECT_FALSE(outcome.findings[0].predicted.has_value());  // nothing bounds the gain
}

TEST(CounterImbalance, StaysSilent) { ExpectSilentWithoutItsCause(kId); }

TEST(CounterImbalance, Abstains) {
  {  // another program was profiled
    TraceBuilder b;
    BuildProfiled(b, SmallGridMetrics(), "another(int)");
    ExpectAbstains(Evaluate(kId, b));
  }
  {  // the metrics that tell are not there
    TraceBuilder b;
    BuildProfiled(b, {{"sm__inst_executed.sum", 1}});
    ExpectAbstains(Evaluate(kId, b));
  }
}

}  // namespace
}  // namespace warpscope::rules::testing
