#include "rules/testing/device_program.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules::testing {
namespace {

constexpr const char* kId = "fp32_no_tensor_core";
constexpr const char* kSgemm =
    "void "
    "cutlass::Kernel2<cutlass_80_simt_sgemm_128x256_8x4_nt_align1>(cutlass_80_simt_sgemm_128x256_8x4_nt_align1::"
    "Params)";

TEST(Fp32NoTensorCore, Fires) {
  TraceBuilder b;
  DeviceProgram program;
  program.Add(4, {.op = "aten::linear/aten::addmm", .kernel = kSgemm, .us = 500}).Filler(100).Build(b);
  const Outcome outcome = Evaluate(kId, b);
  ExpectFires(outcome);
  ASSERT_TRUE(outcome.findings[0].predicted.has_value());
  // 2,000 us of float32 become a fifth of that in TF32; bf16 is the hopeful end.
  EXPECT_NEAR(outcome.findings[0].predicted->gain_pct, 77, 3);
  EXPECT_GT(outcome.findings[0].predicted->high_pct, 87);
  ASSERT_FALSE(outcome.findings[0].actions.empty());
  EXPECT_NE(outcome.findings[0].actions[0].text.find("TF32"), std::string::npos);
  EXPECT_EQ(outcome.findings[0].confidence, Confidence::kHigh);
}

TEST(Fp32NoTensorCore, StaysSilent) {
  {  // tensor-core formats
    TraceBuilder b;
    DeviceProgram()
        .Filler(500)
        .Add(
            {.op = "aten::mm", .kernel = "sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x128x16_stage3", .us = 500})
        .Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
  {  // a device without tensor cores
    TraceBuilder b;
    DeviceProgram().Add({.op = "aten::mm", .kernel = kSgemm, .us = 500}).Build(b);
    b.device().name = "Tesla P100-PCIE-16GB";
    ExpectSilent(Evaluate(kId, b));
  }
  {  // hardly any of the step
    TraceBuilder b;
    DeviceProgram().Filler(5000).Add({.op = "aten::mm", .kernel = kSgemm, .us = 20}).Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
  {  // matrix times vector is bound by memory
    TraceBuilder b;
    DeviceProgram()
        .Add({.op = "aten::addmv",
              .kernel = "void gemv2T_kernel_val<int, int, float, float, float, 128, 16, 4, 4, false>",
              .us = 500})
        .Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
}

TEST(Fp32NoTensorCore, Abstains) {
  TraceBuilder b;
  DeviceProgram().Add(4, {.op = "aten::mm", .kernel = kSgemm, .us = 500}).Build(b);
  b.device() = {};
  ExpectAbstains(Evaluate(kId, b));
}

TEST(Fp32NoTensorCore, MemoryIsAFloor) {
  // A product with a short inner dimension: 2 x 8 x 16 million FLOP, but a gigabyte to write.
  TraceBuilder b;
  DeviceProgram()
      .Add(4, {.op = "aten::mm",
               .kernel = kSgemm,
               .us = 450,
               .dims = "[[16384, 8], [8, 16384]]",
               .types = R"(["float", "float"])"})
      .Build(b);
  const Outcome outcome = Evaluate(kId, b);
  ASSERT_FALSE(outcome.findings.empty());
  // The gigabyte takes 280 us at 0.8 of 4.8 TB/s, not 450 / 5; bf16 halves it.
  EXPECT_NEAR(outcome.findings[0].predicted->gain_pct, 37, 5);
  EXPECT_GT(outcome.findings[0].predicted->high_pct, 66);
}

}  // namespace
}  // namespace warpscope::rules::testing
