#include "rules/testing/device_program.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules::testing {
namespace {

constexpr const char* kId = "small_grid";
constexpr const char* kOwn = "row_norm(float const*, float*, int)";
const model::LaunchConfig kFew = TraceBuilder::Config(16, 256, 32, 0);

TEST(SmallGrid, Fires) {
  TraceBuilder b;
  DeviceProgram().Add({.kernel = kOwn, .us = 500, .config = kFew}).Filler(500).Build(b);
  const Outcome outcome = Evaluate(kId, b);
  ExpectFires(outcome);
  EXPECT_NEAR(outcome.findings[0].predicted->gain_pct, 46, 3);  // 500 us / (half of what lies between 8 and 66)
}

TEST(SmallGrid, StaysSilent) {
  {  // fills the device
    TraceBuilder b;
    DeviceProgram().Add({.kernel = kOwn, .us = 500}).Filler(500).Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
  {  // short
    TraceBuilder b;
    DeviceProgram().Add(50, {.kernel = kOwn, .us = 3, .config = kFew}).Filler(100).Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
  {  // communication and vendor products choose their grid
    TraceBuilder b;
    DeviceProgram()
        .Add({.kernel = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
              .us = 500,
              .config = kFew})
        .Add({.op = "aten::mm", .kernel = "ampere_sgemm_32x128_nn", .us = 500, .config = kFew})
        .Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
}

TEST(SmallGrid, Abstains) {
  TraceBuilder b;
  DeviceProgram().Add({.kernel = kOwn, .us = 500, .config = kFew}).Build(b);
  b.device() = {};
  ExpectAbstains(Evaluate(kId, b));
}

TEST(SmallGrid, BytesAreAFloor) {
  // 1.2 GB at 3.84 TB/s are 313 us: more blocks cannot beat that.
  TraceBuilder b;
  DeviceProgram()
      .Add({.op = "aten::sum",
            .kernel = kOwn,
            .us = 500,
            .config = kFew,
            .dims = "[[300000000]]",
            .types = R"(["float"])"})
      .Build(b);
  const Outcome outcome = Evaluate(kId, b);
  ASSERT_FALSE(outcome.findings.empty());
  EXPECT_NEAR(outcome.findings[0].predicted->gain_pct, 37, 3);
}

}  // namespace
}  // namespace warpscope::rules::testing
