#include "rules/testing/device_program.h"
#include "rules/testing/profiles.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules::testing {
namespace {

constexpr const char* kId = "counter_latency";

// Half of the step is the kernel that was profiled.
void Build(TraceBuilder& b, const MetricValues& metrics, std::string_view profiled = "own<int>(float *)") {
  AddProfile(b.trace(), profiled, TraceBuilder::Config(300, 256, 32, 0), 520'000, metrics);
  DeviceProgram()
      .Add({.kernel = "void own<int>(float*)", .us = 500, .config = TraceBuilder::Config(300, 256, 32, 0)})
      .Filler(500)
      .Build(b);
}

TEST(CounterLatency, Fires) {
  TraceBuilder b;
  Build(b, WaitingMetrics());
  const Outcome outcome = Evaluate(kId, b);
  ExpectFires(outcome);
  EXPECT_NEAR(*outcome.findings[0].share_pct, 50, 5);
  EXPECT_FALSE(outcome.findings[0].predicted.has_value());  // nothing bounds the gain
}

TEST(CounterLatency, StaysSilent) {
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

TEST(CounterLatency, Abstains) {
  {  // another program was profiled
    TraceBuilder b;
    Build(b, WaitingMetrics(), "another(int)");
    ExpectAbstains(Evaluate(kId, b));
  }
  {  // the metrics that tell are not there
    TraceBuilder b;
    Build(b, {{"sm__inst_executed.sum", 1}});
    ExpectAbstains(Evaluate(kId, b));
  }
}

}  // namespace
}  // namespace warpscope::rules::testing
