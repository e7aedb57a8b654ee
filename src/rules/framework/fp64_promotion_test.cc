#include "rules/testing/device_program.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules::testing {
namespace {

constexpr const char* kId = "fp64_promotion";
constexpr const char* kMul =
    "void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<double, double, double, "
    "at::native::binary_internal::MulFunctor<double> >, std::array<char*, 3ul> >(int, ...)";

TEST(Fp64Promotion, Fires) {
  TraceBuilder b;
  DeviceProgram program;
  program.Add(4, {.op = "aten::mul", .kernel = kMul, .us = 200}).Filler(200).Build(b);
  const Outcome outcome = Evaluate(kId, b);
  ExpectFires(outcome);
  EXPECT_NEAR(outcome.findings[0].predicted->gain_pct, 40, 4);
}

TEST(Fp64Promotion, StaysSilent) {
  {  // float work
    TraceBuilder b;
    DeviceProgram()
        .Add(4, {.op = "aten::mul",
                 .kernel = "void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<float, float, "
                           "float, MulFunctor<float> >, std::array<char*, 3ul> >",
                 .us = 200})
        .Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
  {  // the operands are recorded, and none is double
    TraceBuilder b;
    DeviceProgram()
        .Add(4, {.op = "aten::mul",
                 .kernel = kMul,
                 .us = 200,
                 .dims = "[[1024], [1024]]",
                 .types = R"(["float", "float"])"})
        .Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
}

TEST(Fp64Promotion, Abstains) {
  TraceBuilder b;
  DeviceProgram().Add(4, {.kernel = kMul, .us = 200}).BuildDeviceOnly(b);
  ExpectAbstains(Evaluate(kId, b));
}

}  // namespace
}  // namespace warpscope::rules::testing
