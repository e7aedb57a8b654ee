#include "rules/testing/device_program.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules::testing {
namespace {

constexpr const char* kId = "attention_materialised";
constexpr const char* kGemm = "nvjet_sm90_tst_128x128_64x6_2x1_v_bz_NNT";
constexpr const char* kSoftmax =
    "void (anonymous namespace)::softmax_warp_forward<c10::BFloat16, c10::BFloat16, float, 11, false, false>(...)";
constexpr const char* kDiv =
    "void at::native::vectorized_elementwise_kernel<8, at::native::BUnaryFunctor<c10::BFloat16, c10::BFloat16, "
    "c10::BFloat16, MulFunctor>, std::array<char*, 2ul> >";

TEST(AttentionMaterialised, Fires) {
  TraceBuilder b;
  DeviceProgram program;
  program.Filler(300)
      .Add({.op = "aten::matmul/aten::bmm", .kernel = kGemm, .us = 100})
      .Add({.op = "aten::div", .kernel = kDiv, .us = 100});
  program.Add({.op = "aten::softmax/aten::_softmax", .kernel = kSoftmax, .us = 100})
      .Add({.op = "aten::matmul/aten::bmm", .kernel = kGemm, .us = 100})
      .Build(b);
  const Outcome outcome = Evaluate(kId, b);
  ExpectFires(outcome);
  EXPECT_NEAR(outcome.findings[0].predicted->gain_pct, 40, 3);  // 400 us become 120
}

TEST(AttentionMaterialised, StaysSilent) {
  {  // softmax over classes behind a plain product
    TraceBuilder b;
    DeviceProgram()
        .Add({.op = "aten::linear/aten::addmm", .kernel = kGemm, .us = 100})
        .Add({.op = "aten::_softmax", .kernel = kSoftmax, .us = 100})
        .Add({.op = "aten::topk",
              .kernel = "void at::native::sbtopk::gatherTopK<float, unsigned int, 2, false>",
              .us = 20})
        .Filler(100)
        .Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
  {  // fused attention
    TraceBuilder b;
    DeviceProgram()
        .Filler(100)
        .Add({.op = "aten::scaled_dot_product_attention",
              .kernel = "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4> >",
              .us = 100})
        .Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
}

TEST(AttentionMaterialised, Abstains) {
  TraceBuilder b;
  DeviceProgram()
      .Add({.kernel = kGemm, .us = 100})
      .Add({.kernel = kSoftmax, .us = 100})
      .Add({.kernel = kGemm, .us = 100})
      .BuildDeviceOnly(b);
  ExpectAbstains(Evaluate(kId, b));
}

TEST(AttentionMaterialised, BackwardIsFoundToo) {
  TraceBuilder b;
  DeviceProgram program;
  program.Filler(300).Add(2, {.op = "BmmBackward0/aten::bmm", .kernel = kGemm, .us = 50});
  program.Add(
      {.op = "SoftmaxBackward0/aten::_softmax_backward_data",
       .kernel = "void (anonymous namespace)::softmax_warp_backward<float, c10::BFloat16, float, 11, false, false>",
       .us = 100});
  program.Add({.op = "DivBackward0/aten::div", .kernel = kDiv, .us = 100})
      .Add(2, {.op = "BmmBackward0/aten::bmm", .kernel = kGemm, .us = 50})
      .Build(b);
  ExpectFires(Evaluate(kId, b));
}

}  // namespace
}  // namespace warpscope::rules::testing
