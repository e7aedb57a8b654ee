#include "rules/testing/device_program.h"
#include "rules/testing/loop.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules::testing {
namespace {

constexpr const char* kId = "device_saturated";

TEST(DeviceSaturated, Fires) {
  TraceBuilder b;
  DeviceProgram()
      .Add(4, {.op = "aten::mm",
               .kernel = "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT",
               .us = 450,
               .dims = "[[8192, 4096], [4096, 4096]]",
               .types = R"(["c10::BFloat16", "c10::BFloat16"])"})
      .Build(b);
  const Outcome outcome = Evaluate(kId, b);
  ExpectFires(outcome);
  EXPECT_FALSE(outcome.findings[0].predicted.has_value());
  EXPECT_NE(outcome.findings[0].title.find("The GPU is busy"), std::string::npos);
  bool rate = false;
  for (const Evidence& evidence : outcome.findings[0].evidence)
    rate |= evidence.text.find("611 TFLOP/s") != std::string::npos;
  EXPECT_TRUE(rate);
}

// One long kernel fills its recording: that says nothing about a program.
TEST(DeviceSaturated, AbstainsFromAFewLaunchesThatDoNotReturn) {
  Loop few, loop;
  few.Kernels(1, 10 * kMs);
  ExpectAbstains(Evaluate(kId, few.builder));
  loop.Steps(8, [&](int) { loop.Kernels(1, 10 * kMs); });
  ExpectFires(Evaluate(kId, loop.builder));
}

// Busy only once the recorder's cost is taken out: that is an estimate, so the cause is less sure.
TEST(DeviceSaturated, LessSureWhereTheRecorderMadeTheDeviceWait) {
  Loop loop;
  loop.builder.trace().sources.back().format = "kineto";
  loop.Steps(8, [&](int) {
    for (int i = 0; i < 100; ++i) loop.Op("aten::add", [&] { loop.Kernels(1, 24 * kUs, 28 * kUs); });
  });
  const Outcome outcome = Evaluate(kId, loop.builder);
  ExpectFires(outcome);
  EXPECT_NE(outcome.findings[0].title.find("Without the recorder"), std::string::npos) << outcome.findings[0].title;
  EXPECT_GT(outcome.findings[0].share_pct.value_or(0), 93);
  EXPECT_EQ(outcome.findings[0].confidence, Confidence::kMedium);
}

TEST(DeviceSaturated, StaysSilent) {
  // Launches take longer than the kernels: the device idles.
  TraceBuilder b;
  DeviceProgram().Add(50, {.op = "aten::add", .kernel = "add_kernel", .us = 1.5}).Build(b);
  ExpectSilent(Evaluate(kId, b));
}

TEST(DeviceSaturated, Abstains) {
  // It reads device rows alone, and has nothing to abstain from: without any it stays silent.
  TraceBuilder b;
  b.AddOp("aten::add", 0, 1000);
  ExpectSilent(Evaluate(kId, b));
}

}  // namespace
}  // namespace warpscope::rules::testing
