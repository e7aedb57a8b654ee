#include "rules/testing/device_program.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules::testing {
namespace {

constexpr const char* kId = "tail_wave";
constexpr const char* kOwn = "iterate(float*, int, int)";

TEST(TailWave, Fires) {
  TraceBuilder b;
  // 160 KiB of shared memory: one block a multiprocessor, so block 133 runs alone.
  DeviceProgram()
      .Add({.kernel = kOwn, .us = 500, .config = TraceBuilder::Config(133, 512, 32, 160 << 10)})
      .Filler(500)
      .Build(b);
  const Outcome outcome = Evaluate(kId, b);
  ExpectFires(outcome);
  EXPECT_NEAR(outcome.findings[0].predicted->gain_pct, 25, 3);
}

TEST(TailWave, StaysSilent) {
  {  // whole waves
    TraceBuilder b;
    DeviceProgram()
        .Add({.kernel = kOwn, .us = 500, .config = TraceBuilder::Config(264, 512, 32, 160 << 10)})
        .Filler(500)
        .Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
  {  // many waves
    TraceBuilder b;
    DeviceProgram()
        .Add({.kernel = kOwn, .us = 500, .config = TraceBuilder::Config(1321, 512, 32, 160 << 10)})
        .Filler(500)
        .Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
  {  // a small part of the step
    TraceBuilder b;
    DeviceProgram()
        .Add({.kernel = kOwn, .us = 50, .config = TraceBuilder::Config(133, 512, 32, 160 << 10)})
        .Filler(5000)
        .Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
}

TEST(TailWave, Abstains) {
  TraceBuilder b;
  DeviceProgram()
      .Add({.kernel = kOwn, .us = 500, .config = TraceBuilder::Config(133, 512, 32, 160 << 10)})
      .BuildDeviceOnly(b);
  ExpectAbstains(Evaluate(kId, b));
}

}  // namespace
}  // namespace warpscope::rules::testing
