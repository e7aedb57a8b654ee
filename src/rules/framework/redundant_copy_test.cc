#include "rules/testing/device_program.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules::testing {
namespace {

constexpr const char* kId = "redundant_copy";
constexpr const char* kCast =
    "void "
    "at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}"
    "::operator()() const::{lambda(float)#1}, std::array<char*, 2ul>, 4>";
constexpr const char* kStrided =
    "void at::native::elementwise_kernel<128, 4, "
    "at::native::gpu_kernel_impl_nocast<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda(float)#1}"
    "> >";
constexpr const char* kCat =
    "void at::native::(anonymous namespace)::CatArrayBatchedCopy<at::native::(anonymous namespace)::OpaqueType<2u>, "
    "unsigned int, 2, 64, 64>";

TEST(RedundantCopy, Fires) {
  TraceBuilder b;
  DeviceProgram()
      .Filler(300)
      .Add({.op = "aten::to/aten::copy_", .kernel = kCast, .us = 60})
      .Add({.op = "aten::contiguous/aten::copy_", .kernel = kStrided, .us = 80})
      .Add({.op = "aten::to/aten::copy_", .kernel = kCast, .us = 60})
      .Build(b);
  const Outcome outcome = Evaluate(kId, b);
  ExpectFires(outcome);
  EXPECT_NEAR(outcome.findings[0].predicted->gain_pct, 24, 3);  // two of the three copies
}

TEST(RedundantCopy, StaysSilent) {
  {  // copies of three tensors side by side
    TraceBuilder b;
    DeviceProgram().Filler(300).Add(3, {.op = "aten::contiguous/aten::copy_", .kernel = kStrided, .us = 60}).Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
  {  // one copy between two products
    TraceBuilder b;
    DeviceProgram().Filler(300).Add({.op = "aten::to/aten::copy_", .kernel = kCast, .us = 100}).Filler(100).Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
  {  // cat of equal parts
    TraceBuilder b;
    DeviceProgram().Filler(100).Add(5, {.op = "aten::cat", .kernel = kCat, .us = 50}).Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
}

TEST(RedundantCopy, Abstains) {
  TraceBuilder b;
  DeviceProgram().Add({.kernel = kCast, .us = 100}).Add({.kernel = kStrided, .us = 100}).BuildDeviceOnly(b);
  ExpectAbstains(Evaluate(kId, b));
}

TEST(RedundantCopy, GrowingByCat) {
  {
    TraceBuilder b;
    DeviceProgram program;
    for (int i = 1; i <= 8; ++i) program.Add({.op = "aten::cat", .kernel = kCat, .us = 20.0 * i}).Filler(20);
    program.Build(b);
    ExpectFires(Evaluate(kId, b));
  }
  {  // by shapes: one part makes up nearly all
    TraceBuilder b;
    DeviceProgram()
        .Filler(100)
        .Add(3, {.op = "aten::cat",
                 .kernel = kCat,
                 .us = 50,
                 .dims = "[[[16, 1024, 64], [16, 16, 64]], []]",
                 .types = R"([["float", "float"], "Scalar"])"})
        .Build(b);
    ExpectFires(Evaluate(kId, b));
  }
}

TEST(RedundantCopy, RepeatedHeads) {
  TraceBuilder b;
  DeviceProgram()
      .Filler(100)
      .Add(2, {.op = "aten::repeat_interleave/aten::clone/aten::copy_", .kernel = kStrided, .us = 100})
      .Build(b);
  ExpectFires(Evaluate(kId, b));
}

}  // namespace
}  // namespace warpscope::rules::testing
