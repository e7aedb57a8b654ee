#include "rules/testing/device_program.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules::testing {
namespace {

constexpr const char* kId = "unfused_elementwise";
constexpr const char* kMul =
    "void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<float, float, float, "
    "MulFunctor<float> >, std::array<char*, 3ul> >(int, ...)";
constexpr const char* kExp =
    "void at::native::vectorized_elementwise_kernel<4, "
    "at::native::exp_kernel_cuda(at::TensorIteratorBase&)::{lambda(float)#1}, std::array<char*, 2ul> >(int, ...)";

TEST(UnfusedElementwise, Fires) {
  TraceBuilder b;
  DeviceProgram program;
  program.Filler(400)
      .Add({.op = "aten::mul", .kernel = kMul, .us = 100})
      .Add({.op = "aten::exp", .kernel = kExp, .us = 70});
  program.Add({.op = "aten::mul", .kernel = kMul, .us = 100})
      .Add({.op = "aten::exp", .kernel = kExp, .us = 70})
      .Build(b);
  const Outcome outcome = Evaluate(kId, b);
  ExpectFires(outcome);
  EXPECT_NEAR(outcome.findings[0].predicted->gain_pct, 33, 3);  // 340 us become 100
}

TEST(UnfusedElementwise, StaysSilent) {
  {  // short kernels: launching is the cost, not memory
    TraceBuilder b;
    DeviceProgram().Filler(400).Add(20, {.op = "aten::mul", .kernel = kMul, .us = 2}).Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
  {  // two in a row are no chain
    TraceBuilder b;
    DeviceProgram().Filler(100).Add(2, {.op = "aten::mul", .kernel = kMul, .us = 100}).Filler(100).Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
  {  // one operation on several tensors
    TraceBuilder b;
    DeviceProgram().Filler(100).Add(6, {.op = "aten::mul", .kernel = kMul, .us = 100}).Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
  {  // the optimizer's loop belongs to another rule
    TraceBuilder b;
    DeviceProgram()
        .Filler(100)
        .Add(6, {.op = "Optimizer.step#SGD.step/aten::mul_", .kernel = kMul, .us = 100})
        .Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
  {  // fused by a compiler
    TraceBuilder b;
    DeviceProgram()
        .Filler(100)
        .Add(4, {.op = "triton_poi_fused_mul_exp_0", .kernel = "triton_poi_fused_mul_exp_0", .us = 100})
        .Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
}

TEST(UnfusedElementwise, Abstains) {
  TraceBuilder b;
  DeviceProgram()
      .Filler(100)
      .Add({.kernel = kMul, .us = 100})
      .Add({.kernel = kExp, .us = 100})
      .Add({.kernel = kMul, .us = 100})
      .BuildDeviceOnly(b);
  ExpectAbstains(Evaluate(kId, b));
}

}  // namespace
}  // namespace warpscope::rules::testing
