#include "import/capture/plausible_counters.h"

#include <gtest/gtest.h>

#include <cmath>

namespace warpscope::import::capture {
namespace {

class PlausibleCountersTest : public ::testing::Test {
 protected:
  // One window of a device with these pairs of (SM active, warps active), in percent.
  void Window(const std::vector<std::pair<float, float>>& samples,
              const char* counter = "sm__warps_active.avg.pct_of_peak_sustained_elapsed") {
    if (trace_.devices.empty()) trace_.devices.emplace_back();
    model::CounterWindow window;
    window.process = 0, window.device = 0;
    window.metric_begin = static_cast<uint32_t>(trace_.sampled_metrics.size());
    for (const char* name : {"sm__cycles_active.avg.pct_of_peak_sustained_elapsed", counter})
      trace_.sampled_metrics.push_back({trace_.strings.Intern(name), model::kNoString});
    window.metric_end = window.metric_begin + 2;
    window.sample_begin = static_cast<uint32_t>(trace_.device_samples.size());
    for (const auto& [sm, warps] : samples) {
      const auto at = static_cast<int64_t>(trace_.device_samples.size());
      trace_.device_samples.push_back({at * 100, 100, trace_.sampled_values.size()});
      trace_.sampled_values.insert(trace_.sampled_values.end(), {sm, warps});
    }
    window.sample_end = static_cast<uint32_t>(trace_.device_samples.size());
    rows_.push_back(static_cast<uint32_t>(trace_.counter_windows.size()));
    trace_.counter_windows.push_back(window);
  }
  float Warps(size_t sample) const { return trace_.sampled_values[2 * sample + 1]; }

  model::Trace trace_;
  std::vector<uint32_t> rows_;
};

TEST_F(PlausibleCountersTest, BusyIdleAndEdgesAreBelieved) {
  Window({{0, 0}, {100, 1.6F}, {100, 100}, {40, 38}, {40, 43}});
  EXPECT_TRUE(LeaveImpossibleOut(rows_, &trace_).empty());
  EXPECT_EQ(Warps(2), 100);
}

TEST_F(PlausibleCountersTest, WarpsOfAnIdleDeviceAreNot) {
  Window({{100, 60}, {100, 58}});
  Window({{0, 74.5F}, {0, 74.5F}, {0, 74.5F}});
  const auto told = LeaveImpossibleOut(rows_, &trace_);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_NE(told[0].sentence.find("3 of 5 samples"), std::string::npos) << told[0].sentence;
  for (size_t sample = 0; sample < 5; ++sample) EXPECT_TRUE(std::isnan(Warps(sample)));
  EXPECT_EQ(trace_.sampled_values[0], 100) << "the other counters stay";
}

TEST_F(PlausibleCountersTest, NoWarpsOnActiveSmsAreNot) {
  Window({{100, 0}, {100, 0}, {100, 0}, {100, 37}});
  EXPECT_EQ(LeaveImpossibleOut(rows_, &trace_).size(), 1U);
}

TEST_F(PlausibleCountersTest, AnotherCounterOfTheSameDeviceStays) {
  Window({{0, 75}, {0, 75}, {0, 75}}, "tpc__warps_active_shader_cs_realtime.avg.pct_of_peak_sustained_elapsed");
  Window({{100, 60}});
  const auto told = LeaveImpossibleOut(rows_, &trace_);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_NE(told[0].sentence.find("windows with another one"), std::string::npos) << told[0].sentence;
  EXPECT_TRUE(told[0].has_other);
  EXPECT_TRUE(std::isnan(Warps(0)));
  EXPECT_EQ(Warps(3), 60);
}

// A counter that was off by one level is recognised in the windows of that configuration, however many others are
// right.
TEST_F(PlausibleCountersTest, FewWindowsThatLieAreNotHiddenByManyThatDoNot) {
  const char* const counter = "tpc__warps_active_shader_cs_realtime.avg.pct_of_peak_sustained_elapsed";
  Window(std::vector<std::pair<float, float>>(2000, {100.0F, 50.0F}), counter);
  Window({{50, 0}, {50, 0}, {50, 0}, {100, 37}}, counter);
  EXPECT_EQ(LeaveImpossibleOut(rows_, &trace_).size(), 1U);
  EXPECT_TRUE(std::isnan(Warps(0))) << "an unknown level may be there too";
}

TEST_F(PlausibleCountersTest, AFewTornSamplesCostNothing) {
  std::vector<std::pair<float, float>> samples(1000, {100.0F, 50.0F});
  for (int i = 0; i < 5; ++i) samples[i] = {0.0F, 90.0F};
  Window(samples);
  EXPECT_TRUE(LeaveImpossibleOut(rows_, &trace_).empty());
}

constexpr const char* kL2Hits = "LTS.TriageCompute.lts__average_t_sector_hit_rate_realtime.pct";

TEST_F(PlausibleCountersTest, L2HitsThatEndAtHalfAreDoubled) {
  Window({{0, 50}, {0, 50}, {100, 45.7F}, {0, 50}}, kL2Hits);
  ScaleL2Hits(rows_, &trace_);
  EXPECT_FLOAT_EQ(Warps(2), 91.4F);
  EXPECT_EQ(Warps(0), 100);
}

TEST_F(PlausibleCountersTest, L2HitsOnTheirOwnScaleStay) {
  Window({{0, 50}, {0, 50}, {0, 50}, {0, 100}}, kL2Hits);
  ScaleL2Hits(rows_, &trace_);
  EXPECT_EQ(Warps(0), 50);
}

TEST_F(PlausibleCountersTest, L2HitsOfAnUnknownScaleAreLeftOut) {
  Window({{100, 20}, {100, 30}}, kL2Hits);
  ScaleL2Hits(rows_, &trace_);
  EXPECT_TRUE(std::isnan(Warps(0)));
}

}  // namespace
}  // namespace warpscope::import::capture
