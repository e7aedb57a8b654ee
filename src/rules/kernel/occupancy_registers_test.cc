#include "rules/testing/device_program.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules::testing {
namespace {

constexpr const char* kId = "occupancy_registers";
constexpr const char* kOwn = "window(float const*, float*, int, int)";

TEST(OccupancyRegisters, Fires) {
  TraceBuilder b;
  DeviceProgram()
      .Add({.kernel = kOwn, .us = 500, .config = TraceBuilder::Config(4096, 256, 254, 0)})
      .Filler(500)
      .Build(b);
  const Outcome outcome = Evaluate(kId, b);
  ExpectFires(outcome);
  EXPECT_EQ(outcome.findings[0].confidence, Confidence::kLow);
  EXPECT_LE(outcome.findings[0].predicted->low_pct, 1);
  EXPECT_NEAR(outcome.findings[0].predicted->gain_pct, 25, 3);
}

TEST(OccupancyRegisters, StaysSilent) {
  {  // few registers
    TraceBuilder b;
    DeviceProgram()
        .Add({.kernel = kOwn, .us = 500, .config = TraceBuilder::Config(4096, 256, 32, 0)})
        .Filler(500)
        .Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
  {  // a vendor's product keeps its tiles in registers by design
    TraceBuilder b;
    DeviceProgram()
        .Add({.op = "aten::mm",
              .kernel = "ampere_bf16_s16816gemm_bf16_256x128_ldg8_f2f_stages_64x3_nn",
              .us = 500,
              .config = TraceBuilder::Config(4096, 256, 254, 0)})
        .Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
}

TEST(OccupancyRegisters, Abstains) {
  TraceBuilder b;
  DeviceProgram()
      .Add({.kernel = kOwn, .us = 500, .config = TraceBuilder::Config(4096, 256, 254, 0)})
      .BuildDeviceOnly(b);
  ExpectAbstains(Evaluate(kId, b));
}

}  // namespace
}  // namespace warpscope::rules::testing
