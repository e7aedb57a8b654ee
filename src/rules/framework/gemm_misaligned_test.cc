#include "rules/testing/device_program.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules::testing {
namespace {

constexpr const char* kId = "gemm_misaligned";
constexpr const char* kOdd =
    "void cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32_128x2_nn_align1>(...)";
constexpr const char* kEven = "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT";
constexpr const char* kTypes = R"(["c10::BFloat16", "c10::BFloat16"])";

TEST(GemmMisaligned, Fires) {
  TraceBuilder b;
  DeviceProgram program;
  // 2 x 8192 x 4096 x 4096 FLOP: 1.1 ms is 250 TFLOP/s, 0.45 ms is 611.
  program.Add(2,
              {.op = "aten::mm", .kernel = kOdd, .us = 1100, .dims = "[[8192, 4095], [4095, 4095]]", .types = kTypes});
  program
      .Add(2, {.op = "aten::mm", .kernel = kEven, .us = 450, .dims = "[[8192, 4096], [4096, 4096]]", .types = kTypes})
      .Build(b);
  const Outcome outcome = Evaluate(kId, b);
  ExpectFires(outcome);
  EXPECT_NEAR(outcome.findings[0].predicted->gain_pct, 41.5, 3);
  EXPECT_EQ(outcome.findings[0].confidence, Confidence::kHigh);
}

TEST(GemmMisaligned, StaysSilent) {
  {  // all sizes are fine
    TraceBuilder b;
    DeviceProgram()
        .Add(3, {.op = "aten::mm", .kernel = kEven, .us = 450, .dims = "[[8192, 4096], [4096, 4096]]", .types = kTypes})
        .Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
  {  // odd, but as fast as the others
    TraceBuilder b;
    DeviceProgram()
        .Add(2, {.op = "aten::mm", .kernel = kOdd, .us = 450, .dims = "[[8192, 4095], [4095, 4095]]", .types = kTypes})
        .Add(2, {.op = "aten::mm", .kernel = kEven, .us = 450, .dims = "[[8192, 4096], [4096, 4096]]", .types = kTypes})
        .Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
  {  // float32 products on plain units state align1 whatever their sizes
    TraceBuilder b;
    DeviceProgram()
        .Add(3, {.op = "aten::mm",
                 .kernel = "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x256_8x4_nt_align1>(...)",
                 .us = 450})
        .Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
}

TEST(GemmMisaligned, Abstains) {
  TraceBuilder b;
  DeviceProgram().Add(4, {.kernel = kOdd, .us = 200}).BuildDeviceOnly(b);
  ExpectAbstains(Evaluate(kId, b));
}

TEST(GemmMisaligned, NamesAloneGiveLowConfidence) {
  TraceBuilder b;
  DeviceProgram().Add(4, {.op = "aten::mm", .kernel = kOdd, .us = 500}).Build(b);
  const Outcome outcome = Evaluate(kId, b);
  ExpectFires(outcome);
  EXPECT_EQ(outcome.findings[0].confidence, Confidence::kLow);
}

}  // namespace
}  // namespace warpscope::rules::testing
