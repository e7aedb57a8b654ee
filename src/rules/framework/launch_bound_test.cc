#include "rules/testing/rule_test.h"

namespace warpscope::rules::testing {
namespace {

using model::testing::TraceBuilder;

// Four steps of 100 launches, one every `period_ns`, of kernels that last `kernel_ns`.
void AddSteps(TraceBuilder& builder, int64_t period_ns, int64_t kernel_ns) {
  int64_t device_free = 0;
  for (int step = 0; step < 5; ++step) {
    const int64_t begin = step * 100 * period_ns;
    builder.AddAnnotation("ProfilerStep#" + std::to_string(step), begin, 100 * period_ns);
    for (int i = 0; i < 100; ++i) {
      const int64_t call = begin + i * period_ns;
      const int64_t start = std::max(call + 6'000, device_free + 1'000);
      builder.Launch("small_kernel", call, 4'000, start, kernel_ns);
      device_free = start + kernel_ns;
    }
  }
}

TEST(LaunchBound, FiresWhenShortKernelsWaitForTheirLaunches) {
  TraceBuilder builder;
  AddSteps(builder, 20'000, 2'000);
  const Outcome outcome = Evaluate("launch_bound", builder);
  ExpectFires(outcome);
  ASSERT_TRUE(outcome.findings[0].predicted.has_value());
  EXPECT_GT(outcome.findings[0].predicted->gain_pct, 50);
}

TEST(LaunchBound, IsSilentWhenTheDeviceIsTheLimit) {
  TraceBuilder builder;
  AddSteps(builder, 10'000, 50'000);
  ExpectSilent(Evaluate("launch_bound", builder));
}

TEST(LaunchBound, AbstainsWithoutHostRows) {
  TraceBuilder builder;
  for (int i = 0; i < 40; ++i) builder.AddKernel("small_kernel", i * 20'000, 2'000);
  ExpectAbstains(Evaluate("launch_bound", builder));
}

}  // namespace
}  // namespace warpscope::rules::testing
