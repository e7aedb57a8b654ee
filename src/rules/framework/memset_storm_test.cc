#include "rules/testing/device_program.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules::testing {
namespace {

constexpr const char* kId = "memset_storm";
constexpr const char* kFill =
    "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<c10::BFloat16>, std::array<char*, 1ul> "
    ">(int, ...)";

TEST(MemsetStorm, Fires) {
  TraceBuilder b;
  DeviceProgram program;
  program.Add(10, {.op = "aten::zeros/aten::zero_/aten::fill_", .kernel = kFill, .us = 40}).Filler(1000).Build(b);
  const Outcome outcome = Evaluate(kId, b);
  ExpectFires(outcome);
  EXPECT_NEAR(outcome.findings[0].predicted->gain_pct, 28, 3);
}

TEST(MemsetStorm, StaysSilent) {
  {  // a few small ones
    TraceBuilder b;
    DeviceProgram().Add(3, {.op = "aten::zeros/aten::zero_", .kernel = "memset", .us = 2}).Filler(2000).Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
  {  // the zeros are added to: an index's backward needs them
    TraceBuilder b;
    DeviceProgram()
        .Add(4, {.op = "IndexBackward0/aten::_index_put_impl_/aten::zeros", .kernel = kFill, .us = 40})
        .Filler(500)
        .Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
}

TEST(MemsetStorm, Abstains) {
  TraceBuilder b;
  DeviceProgram().Add(10, {.kernel = "memset", .us = 100}).Add({.kernel = "k", .us = 100}).BuildDeviceOnly(b);
  ExpectAbstains(Evaluate(kId, b));
}

}  // namespace
}  // namespace warpscope::rules::testing
