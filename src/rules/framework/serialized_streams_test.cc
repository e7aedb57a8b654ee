#include "rules/testing/device_program.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules::testing {
namespace {

constexpr const char* kId = "serialized_streams";
constexpr const char* kSmall = "ampere_sgemm_32x128_nn";
constexpr const char* kTanh =
    "void at::native::vectorized_elementwise_kernel<4, "
    "at::native::tanh_kernel_cuda(at::TensorIteratorBase&)::{lambda(float)#1}, std::array<char*, 2ul> >";

TEST(SerializedStreams, Fires) {
  TraceBuilder b;
  DeviceProgram()
      .Add(1, {.op = "aten::stack", .kernel = kTanh, .us = 1})
      .Add(16, {.op = "aten::mm", .kernel = kSmall, .us = 40, .config = TraceBuilder::Config(32, 256, 64, 0)})
      .Build(b);
  const Outcome outcome = Evaluate(kId, b);
  ExpectFires(outcome);
  EXPECT_EQ(outcome.findings[0].confidence, Confidence::kLow);
  EXPECT_LE(outcome.findings[0].predicted->low_pct, 1);
  EXPECT_NEAR(outcome.findings[0].predicted->gain_pct, 47, 6);
  EXPECT_NEAR(outcome.findings[0].predicted->high_pct, 72, 8);
}

TEST(SerializedStreams, StaysSilent) {
  {  // a chain: nothing says that the work has parts
    TraceBuilder b;
    DeviceProgram()
        .Add(16, {.op = "aten::mm", .kernel = kSmall, .us = 40, .config = TraceBuilder::Config(32, 256, 64, 0)})
        .Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
  {  // large grids
    TraceBuilder b;
    DeviceProgram().Add(16, {.op = "aten::mm", .kernel = kSmall, .us = 40}).Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
  {  // short ones: launching is the limit
    TraceBuilder b;
    DeviceProgram()
        .Add(40, {.op = "aten::tanh", .kernel = kTanh, .us = 3, .config = TraceBuilder::Config(32, 256, 32, 0)})
        .Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
  {  // streams are in use already
    TraceBuilder b;
    DeviceProgram()
        .Add(8, {.op = "aten::mm", .kernel = kSmall, .us = 40, .config = TraceBuilder::Config(32, 256, 64, 0)})
        .Add(
            8,
            {.op = "aten::mm", .kernel = kSmall, .us = 40, .config = TraceBuilder::Config(32, 256, 64, 0), .stream = 9})
        .Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
}

TEST(SerializedStreams, Abstains) {
  TraceBuilder b;
  DeviceProgram program;
  for (const char* kernel : {"a", "b", "c", "d", "e", "f", "g", "h"})
    program.Add({.kernel = kernel, .us = 40, .config = TraceBuilder::Config(32, 256, 64, 0)});
  program.BuildDeviceOnly(b);
  ExpectAbstains(Evaluate(kId, b));
}

}  // namespace
}  // namespace warpscope::rules::testing
