#include "analysis/sampled_profiles.h"

#include <gtest/gtest.h>

#include <string>

#include "analysis/counters.h"
#include "model/testing/trace_builder.h"

namespace warpscope::analysis {
namespace {

// One kernel of 10 ms, and samples of it with these values.
model::Trace& Sampled(model::testing::TraceBuilder& builder, float active, float warps, float read, float write) {
  model::Trace& trace = builder.trace();
  builder.AddKernel("k", 0, 10'000'000);
  for (const char* name : {"sm__cycles_active.avg.pct_of_peak_sustained_elapsed",
                           "tpc__warps_active_shader_cs_realtime.avg.pct_of_peak_sustained_elapsed",
                           "dramc__read_throughput.avg.pct_of_peak_sustained_elapsed",
                           "dramc__write_throughput.avg.pct_of_peak_sustained_elapsed"})
    trace.sampled_metrics.push_back({trace.strings.Intern(name), model::kNoString});
  model::CounterWindow window;
  window.process = window.device = 0;
  window.metric_end = 4;
  for (int i = 0; i < 50; ++i) {
    trace.device_samples.push_back({1'000'000 + i * 20'000, 20'000, trace.sampled_values.size()});
    trace.sampled_values.insert(trace.sampled_values.end(), {active, warps, read, write});
  }
  window.sample_end = 50;
  trace.counter_windows.push_back(window);
  return builder.Finish();
}

TEST(SampledProfiles, CarryTheNamesThatCounterToolsUse) {
  model::testing::TraceBuilder builder;
  model::Trace& trace = Sampled(builder, 80, 20, 50, 30);
  AddSampledProfiles(&trace);
  ASSERT_EQ(trace.kernel_profiles.size(), 1U);
  const model::KernelProfile& profile = trace.kernel_profiles[0];
  EXPECT_EQ(trace.Text(profile.name), "k");
  EXPECT_EQ(profile.dur_ns, 10'000'000);
  const KernelCounters counters = CounterReader(trace).Read(profile);
  EXPECT_NEAR(*counters[Counter::kDramPct], 80, 0.1);
  EXPECT_NEAR(*counters[Counter::kMemoryPct], 80, 0.1);
  EXPECT_NEAR(*counters[Counter::kOccupancyPct], 25, 0.1);  // of the cycles in which an SM was active
  EXPECT_FALSE(counters[Counter::kIssueActive]);            // not sampled
  EXPECT_FALSE(counters[Counter::kGlobalSectors]);
}

TEST(SampledProfiles, GiveWayToMeasuredOnes) {
  model::testing::TraceBuilder builder;
  model::Trace& trace = Sampled(builder, 80, 20, 50, 30);
  trace.kernel_profiles.push_back({});
  AddSampledProfiles(&trace);
  EXPECT_EQ(trace.kernel_profiles.size(), 1U);
}

TEST(SampledProfiles, NothingWithoutSamples) {
  model::testing::TraceBuilder builder;
  builder.AddKernel("k", 0, 10);
  model::Trace& trace = builder.Finish();
  AddSampledProfiles(&trace);
  EXPECT_TRUE(trace.kernel_profiles.empty());
}

}  // namespace
}  // namespace warpscope::analysis
