#include "rules/testing/device_program.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules::testing {
namespace {

constexpr const char* kId = "exposed_communication";
constexpr const char* kAllReduce = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)";

TEST(ExposedCommunication, Fires) {
  TraceBuilder b;
  DeviceProgram().Filler(500).Add(2, {.op = "c10d::allreduce_", .kernel = kAllReduce, .us = 200}).Build(b);
  const Outcome outcome = Evaluate(kId, b);
  ExpectFires(outcome);
  EXPECT_NEAR(outcome.findings[0].predicted->gain_pct, 22, 3);  // half of the transfer
  EXPECT_LE(outcome.findings[0].predicted->low_pct, 1);         // one rank: the others may be late
  EXPECT_EQ(outcome.findings[0].confidence, Confidence::kLow);
}

TEST(ExposedCommunication, StaysSilent) {
  {  // none
    TraceBuilder b;
    DeviceProgram().Filler(500).Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
  {  // hardly any
    TraceBuilder b;
    DeviceProgram().Filler(5000).Add({.op = "c10d::allreduce_", .kernel = kAllReduce, .us = 20}).Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
}

TEST(ExposedCommunication, Abstains) {
  TraceBuilder b;
  DeviceProgram().Filler(500).Add({.kernel = kAllReduce, .us = 200}).BuildDeviceOnly(b);
  ExpectAbstains(Evaluate(kId, b));
}

}  // namespace
}  // namespace warpscope::rules::testing
