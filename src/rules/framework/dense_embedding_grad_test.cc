#include "rules/testing/device_program.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules::testing {
namespace {

constexpr const char* kId = "dense_embedding_grad";
constexpr const char* kFill =
    "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, std::array<char*, 1ul> >";
constexpr const char* kGrad =
    "void at::native::(anonymous namespace)::embedding_backward_feature_kernel<float, float, long>";
constexpr const char* kSgd =
    "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
    "namespace)::TensorListMetadata<2>, at::native::(anonymous namespace)::BinaryOpListAlphaFunctor<float, 2, 2, 0>, "
    "std::plus<float>, float>";

TEST(DenseEmbeddingGrad, Fires) {
  TraceBuilder b;
  DeviceProgram()
      .Filler(200)
      .Add({.op = "EmbeddingBackward0/aten::embedding_dense_backward/aten::zero_/aten::fill_",
            .kernel = kFill,
            .us = 200})
      .Add({.op = "EmbeddingBackward0/aten::embedding_dense_backward", .kernel = kGrad, .us = 50})
      .Add({.op = "Optimizer.step#SGD.step/aten::_foreach_add_", .kernel = kSgd, .us = 600})
      .Build(b);
  const Outcome outcome = Evaluate(kId, b);
  ExpectFires(outcome);
  EXPECT_NEAR(outcome.findings[0].predicted->gain_pct, 73, 4);
  EXPECT_LT(outcome.findings[0].predicted->low_pct, 25);
}

TEST(DenseEmbeddingGrad, StaysSilent) {
  {  // a small table
    TraceBuilder b;
    DeviceProgram()
        .Filler(200)
        .Add({.op = "EmbeddingBackward0/aten::embedding_dense_backward/aten::fill_", .kernel = kFill, .us = 3})
        .Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
  {  // an optimizer over other parameters
    TraceBuilder b;
    DeviceProgram()
        .Filler(200)
        .Add({.op = "Optimizer.step#SGD.step/aten::_foreach_add_", .kernel = kSgd, .us = 600})
        .Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
}

TEST(DenseEmbeddingGrad, Abstains) {
  TraceBuilder b;
  DeviceProgram().Add({.kernel = kFill, .us = 200}).Add({.kernel = kGrad, .us = 200}).BuildDeviceOnly(b);
  ExpectAbstains(Evaluate(kId, b));
}

}  // namespace
}  // namespace warpscope::rules::testing
