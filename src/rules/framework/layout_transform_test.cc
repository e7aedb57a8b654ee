#include "rules/testing/device_program.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules::testing {
namespace {

constexpr const char* kId = "layout_transform";
constexpr const char* kTurn =
    "void cudnn::engines_precompiled::nchwToNhwcKernel<__half, __half, float, false, true, "
    "(cudnnKernelDataType_t)0>(...)";
constexpr const char* kConv =
    "sm90_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x64_warpgroupsize1x1x1_g1_execute_"
    "segment_k_off_kernel__5x_cudnn";
constexpr const char* kNorm = "void cudnn::bn_fw_tr_1C11_kernel_NCHW<__half, float, int, 512, true, 1, true>(...)";
constexpr const char* kStrided =
    "void at::native::elementwise_kernel<128, 4, "
    "at::native::gpu_kernel_impl_nocast<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::"
    "operator()() const::{lambda(c10::BFloat16)#1}> >";

TEST(LayoutTransform, Fires) {
  TraceBuilder b;
  DeviceProgram program;
  for (int i = 0; i < 4; ++i) {
    program.Add({.op = "aten::conv2d", .kernel = kTurn, .us = 100})
        .Add({.op = "aten::conv2d", .kernel = kConv, .us = 200});
    program.Add({.op = "aten::batch_norm", .kernel = kNorm, .us = 100});
  }
  program.Build(b);
  const Outcome outcome = Evaluate(kId, b);
  ExpectFires(outcome);
  EXPECT_NEAR(outcome.findings[0].predicted->gain_pct, 37, 3);  // the transposes and half of the norms, of 400
  EXPECT_LT(outcome.findings[0].predicted->low_pct, 30);
}

TEST(LayoutTransform, StaysSilent) {
  {  // channels-last already
    TraceBuilder b;
    DeviceProgram().Add(4, {.op = "aten::conv2d", .kernel = kConv, .us = 200}).Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
  {  // strided copies far from any convolution
    TraceBuilder b;
    DeviceProgram().Filler(200).Add({.op = "aten::contiguous", .kernel = kStrided, .us = 100}).Filler(200).Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
}

TEST(LayoutTransform, Abstains) {
  TraceBuilder b;
  DeviceProgram().Add({.kernel = kTurn, .us = 100}).Add({.kernel = kConv, .us = 100}).BuildDeviceOnly(b);
  ExpectAbstains(Evaluate(kId, b));
}

TEST(LayoutTransform, StridedCopiesBesideConvolutionsCount) {
  TraceBuilder b;
  DeviceProgram program;
  for (int i = 0; i < 4; ++i)
    program.Add({.op = "aten::contiguous", .kernel = kStrided, .us = 100})
        .Add({.op = "aten::conv2d", .kernel = kConv, .us = 200});
  program.Build(b);
  ExpectFires(Evaluate(kId, b));
}

}  // namespace
}  // namespace warpscope::rules::testing
