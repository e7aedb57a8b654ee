#include "rules/other_devices.h"

#include <gtest/gtest.h>

#include "model/testing/trace_builder.h"
#include "rules/engine.h"

namespace warpscope::rules {
namespace {

constexpr int64_t kMs = 1'000'000;

// Eight steps of 10 ms; device 0 works in [0, a) ms of each, device 1 in [b, b + c).
Verdict OfTwo(int64_t a, int64_t b, int64_t c) {
  model::testing::TraceBuilder builder;
  builder.trace().devices.push_back({.id = 1, .name = "GPU of a test"});
  for (int64_t step = 0; step < 8; ++step) {
    const int64_t at = step * 10 * kMs;
    builder.AddAnnotation("ProfilerStep#" + std::to_string(step), at, 10 * kMs);
    builder.AddCall("cudaLaunchKernel", at + 1000, 5000, 2 * step + 1);
    builder.AddKernel("gemm_a", at + 10'000, a * kMs - 20'000, 2 * step + 1, 7, 0);
    builder.AddCall("cudaLaunchKernel", at + 7000, 5000, 2 * step + 2);
    builder.AddKernel("gemm_b", at + b * kMs + 10'000, c * kMs - 20'000, 2 * step + 2, 17, 1);
    builder.AddCall("cudaDeviceSynchronize", at + 20'000, 10 * kMs - 30'000);
  }
  Result<Verdict> verdict = Analyze(builder.Finish(), {});
  EXPECT_TRUE(verdict.ok());
  return std::move(verdict).value();
}

std::string Notes(const Verdict& verdict) {
  std::string text;
  for (const std::string& note : verdict.notes) text += note + "\n";
  return text;
}

TEST(OtherDevices, ThatWorkInTurnsAreNotOneThatIsBusy) {
  const Verdict verdict = OfTwo(5, 5, 5);
  EXPECT_EQ(verdict.answer.find("inside the kernels"), std::string::npos) << verdict.answer;
  EXPECT_NE((verdict.answer + Notes(verdict)).find("GPU 0 and GPU 1 work in turns"), std::string::npos);
}

TEST(OtherDevices, AStarvedOneIsNamedBesideABusyOne) {
  const Verdict verdict = OfTwo(10, 0, 2);
  EXPECT_NE(verdict.answer.find("GPU 0 is busy"), std::string::npos) << verdict.answer;
  EXPECT_NE(Notes(verdict).find("but GPU 1 20 %"), std::string::npos) << Notes(verdict);
}

TEST(OtherDevices, NothingIsSaidWhereAllAreBusy) {
  const std::string notes = Notes(OfTwo(10, 0, 10));
  EXPECT_EQ(notes.find("in turns"), std::string::npos) << notes;
  EXPECT_EQ(notes.find("GPU 1"), std::string::npos) << notes;
}

}  // namespace
}  // namespace warpscope::rules
