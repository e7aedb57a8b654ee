#include "rules/testing/device_program.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules::testing {
namespace {

constexpr const char* kId = "occupancy_shared";
constexpr const char* kOwn = "gather(float const*, int const*, float*, int, int)";

TEST(OccupancyShared, Fires) {
  TraceBuilder b;
  DeviceProgram()
      .Add({.kernel = kOwn, .us = 500, .config = TraceBuilder::Config(131072, 128, 32, 200 << 10)})
      .Filler(500)
      .Build(b);
  const Outcome outcome = Evaluate(kId, b);
  ExpectFires(outcome);
  EXPECT_EQ(outcome.findings[0].confidence, Confidence::kLow);
}

TEST(OccupancyShared, StaysSilent) {
  {  // little shared memory
    TraceBuilder b;
    DeviceProgram()
        .Add({.kernel = kOwn, .us = 500, .config = TraceBuilder::Config(131072, 128, 32, 512)})
        .Filler(500)
        .Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
  {  // one wave is not even filled: the grid is what limits
    TraceBuilder b;
    DeviceProgram()
        .Add({.kernel = kOwn, .us = 500, .config = TraceBuilder::Config(100, 128, 32, 200 << 10)})
        .Filler(500)
        .Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
}

TEST(OccupancyShared, Abstains) {
  TraceBuilder b;
  DeviceProgram()
      .Add({.kernel = kOwn, .us = 500, .config = TraceBuilder::Config(131072, 128, 32, 200 << 10)})
      .BuildDeviceOnly(b);
  ExpectAbstains(Evaluate(kId, b));
}

}  // namespace
}  // namespace warpscope::rules::testing
