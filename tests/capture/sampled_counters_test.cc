// Sampled counters through agent, stream and importer, with the fake CUPTI's PM sampling.
#include <algorithm>
#include <cmath>
#include <set>

#include "capture_fixture.h"
#include "model/sampled_metrics.h"
#include "wire/counter_plan.h"

namespace warpscope {
namespace {

constexpr const char* kModes[] = {
    "FAKE_PM_INITIALIZE",       "FAKE_PM_REFUSES",     "FAKE_PM_ONE_CONFIG",   "FAKE_PM_OVERFLOWS",
    "FAKE_PM_NO_TIME_INTERVAL", "FAKE_PM_ENDLESS",     "FAKE_PM_OTHER_CLOCK",  "FAKE_PM_STUCK",
    "FAKE_PM_BYTES_OF_SAMPLE",  "FAKE_PM_WARPS_APART", "FAKE_PM_SLOW_SIZE_US", "FAKE_PM_SAYS_FULL"};

class SampledCounters : public Capture {
 protected:
  void SetUp() override {
    Capture::SetUp();
    for (const char* mode : kModes) ::unsetenv(mode);
    ::setenv("WARPSCOPE_CUPTI", WS_FAKE_PM, 1);
  }
  record::Ended Record(const std::string& scenario, int count) {
    return RecordWords({WS_CAPTURE_HOST, WS_AGENT, WS_FAKE_PM, scenario, std::to_string(count)});
  }
  void TearDown() override {
    for (const char* mode : kModes) ::unsetenv(mode);
    Capture::TearDown();
  }
  void Plan(const std::string& text) { std::ofstream(folder_ / wire::kCounterPlanName) << "mode sampled\n" << text; }
  model::Trace RecordSteady(int ms = 600) {
    EXPECT_EQ(Record("steady", ms).exit_code, 3);
    return Load();
  }
  // The text of the first entry of that kind that holds `word`; "".
  static std::string Told(const model::Trace& trace, model::LedgerCode code, const std::string& word) {
    for (const model::LedgerEntry& entry : trace.ledger.Entries()) {
      if (entry.code == code && entry.detail.find(word) != std::string::npos) return entry.detail;
    }
    return "";
  }
  // A machine that is busy makes windows longer too: what must never happen by itself happens to some of them there,
  // and not to all.
  bool SomeWindowIsWhole(int ms) {
    for (int attempt = 0; attempt < 8; ++attempt) {
      const model::Trace trace = RecordSteady(ms);
      uint64_t lost = 0;
      for (const model::LedgerEntry& entry : trace.ledger.Entries()) {
        if (entry.code == model::LedgerCode::kLostRecord) lost += entry.count;
      }
      if (trace.counter_windows.size() >= 2 && lost < trace.counter_windows.size()) return true;
    }
    return false;
  }
  static double ExpectedValue(std::string_view name) {
    unsigned sum = 0;
    for (const char letter : name) sum += static_cast<unsigned char>(letter);
    return sum % 1000 / 10.0;
  }
};

TEST_F(SampledCounters, WithoutAPlanNothingIsSampled) {
  const model::Trace trace = RecordSteady(200);
  EXPECT_TRUE(trace.counter_windows.empty());
}

TEST_F(SampledCounters, EverySetHasItsTurnAndSamplesCarryTheValuesOfTheirMetrics) {
  Plan("window-ms 10\nperiod-ms 40\ninterval-us 100\n");
  const model::Trace trace = RecordSteady(1500);
  ASSERT_GE(trace.counter_windows.size(), 18U);
  std::set<size_t> widths;
  for (const model::CounterWindow& window : trace.counter_windows) {
    EXPECT_EQ(window.interval_ns, 100'000);
    EXPECT_FALSE(window.overflow);
    widths.insert(window.metric_end - window.metric_begin);
    const bool last = &window == &trace.counter_windows.back();  // the program's end cuts it, before a sample too
    if (!last) ASSERT_GT(window.sample_end, window.sample_begin + 50);  // of about 100
    for (uint32_t row = window.sample_begin; row < window.sample_end; ++row) {
      const model::DeviceSample& sample = trace.device_samples[row];
      EXPECT_EQ(sample.dur_ns, 100'000);
      EXPECT_GT(sample.start_ns, window.start_ns - 20'000'000);
      EXPECT_LT(sample.start_ns, window.start_ns + window.dur_ns + 20'000'000);
      for (uint32_t metric = window.metric_begin; metric < window.metric_end; ++metric) {
        const model::SampledMetric& of = trace.sampled_metrics[metric];
        const float value = trace.sampled_values[sample.value_begin + metric - window.metric_begin];
        // The scale of hits in L2 is known from samples that reach its end, which the fake's never do.
        if (trace.Text(of.name).find("t_sector_hit_rate") != std::string_view::npos) EXPECT_TRUE(std::isnan(value));
        else EXPECT_FLOAT_EQ(value, static_cast<float>(ExpectedValue(trace.Text(of.name))));
        EXPECT_EQ(trace.Text(of.unit), "%");
      }
    }
  }
  // Lanes under the timeline.
  std::set<std::string> lanes;
  for (const model::CounterSample& row : trace.counters) lanes.emplace(trace.Text(row.name));
  EXPECT_TRUE(lanes.contains("SM active"));
  EXPECT_TRUE(lanes.contains("DRAM read"));
  // Those of SM_A and those of SM_B do not fit one pass together; both have the core.
  EXPECT_EQ(widths.size(), 2U);
  EXPECT_NE(Told(trace, model::LedgerCode::kSampledCounters, "samples of up to"), "");
  EXPECT_NE(Told(trace, model::LedgerCode::kRecorderNote, "ms of CPU time"), "");
}

// On chips where the counter of warps does not fit one pass with the rest, a set of its own has it.
TEST_F(SampledCounters, OccupancyIsSampledWithoutTheRestWhereTheyDoNotFit) {
  ::setenv("FAKE_PM_WARPS_APART", "1", 1);
  Plan("window-ms 10\nperiod-ms 40\ninterval-us 100\n");
  const model::Trace trace = RecordSteady(1000);
  size_t with = 0, without = 0;
  for (const model::CounterWindow& window : trace.counter_windows) {
    if (window.sample_end == window.sample_begin) continue;
    bool has = false;
    for (uint32_t metric = window.metric_begin; metric < window.metric_end; ++metric)
      has = has || trace.Text(trace.sampled_metrics[metric].name).starts_with("sm__warps_active");
    has ? ++with : ++without;
    if (has) {
      EXPECT_EQ(window.metric_end - window.metric_begin, 2U) << "and the activity of the SMs";
    }
  }
  EXPECT_GE(with, 2U);
  EXPECT_GE(without, 2U);
}

TEST(SampledMetricList, WhatIsSampledIsShown) {
  for (const std::string names : {
#define METRIC(core, names) names,
#include "agent/counters/pm_metrics.def"
#undef METRIC
       }) {
    for (size_t at = 0; at < names.size();) {
      const size_t end = std::min(names.find('|', at), names.size());
      EXPECT_TRUE(model::SampledQuantityOf(names.substr(at, end - at))) << names.substr(at, end - at);
      at = end + 1;
    }
  }
}

// Asking for the size of an image takes milliseconds, by which a window became longer than what its image holds.
TEST_F(SampledCounters, ASlowLibraryMakesNoWindowLongerThanItsImage) {
  ::setenv("FAKE_PM_SLOW_SIZE_US", "8000", 1);
  ::setenv("FAKE_PM_BYTES_OF_SAMPLE", "200000", 1);
  Plan("window-ms 100\nperiod-ms 100\ninterval-us 50\n");
  EXPECT_TRUE(SomeWindowIsWhole(600));
}

// CUPTI said so of images with room for twice the samples.
TEST_F(SampledCounters, AnImageThatIsCalledFullIsNoLossWhenTheSamplesReachTheEnd) {
  ::setenv("FAKE_PM_SAYS_FULL", "1", 1);
  Plan("window-ms 5\nperiod-ms 50\ninterval-us 50\n");
  EXPECT_TRUE(SomeWindowIsWhole(300));
}

TEST_F(SampledCounters, TheFirstSampleOfAWindowIsDropped) {
  Plan("window-ms 10\nperiod-ms 100\ninterval-us 1000\n");
  const model::Trace trace = RecordSteady(300);
  ASSERT_FALSE(trace.counter_windows.empty());
  const model::CounterWindow& window = trace.counter_windows[0];
  ASSERT_GT(window.sample_end, window.sample_begin);
  // It begins with the window; the next one an interval later.
  EXPECT_GE(trace.device_samples[window.sample_begin].start_ns, window.start_ns + 900'000);
}

TEST_F(SampledCounters, OwnMetricsAreTakenAndUnknownOnesTold) {
  Plan(
      "period-ms 50\nmetric fake__one.avg\nmetric no__such.avg\nmetric SM_A.TriageCompute.a.avg\nmetric "
      "SM_B.TriageCompute.b.avg\n");
  const model::Trace trace = RecordSteady();
  ASSERT_GE(trace.counter_windows.size(), 5U);
  EXPECT_EQ(trace.counter_windows[0].metric_end - trace.counter_windows[0].metric_begin, 2U);
  EXPECT_EQ(trace.counter_windows[4].metric_end - trace.counter_windows[4].metric_begin, 1U);
  EXPECT_NE(Told(trace, model::LedgerCode::kRecorderNote, "no__such.avg"), "");
}

TEST_F(SampledCounters, ARefusalIsToldWithItsFixAndTheTimelineStays) {
  Plan("");
  ::setenv("FAKE_PM_REFUSES", "35", 1);
  const model::Trace trace = RecordSteady(300);
  EXPECT_TRUE(trace.counter_windows.empty());
  EXPECT_EQ(trace.gpu.size(), 150U);
  const std::string told = Told(trace, model::LedgerCode::kRecorderFailure, "counters");
  EXPECT_NE(told.find("NVreg_RestrictProfilingToAdminUsers=0"), std::string::npos) << told;
  EXPECT_NE(told.find("SYS_ADMIN"), std::string::npos) << told;
}

TEST_F(SampledCounters, OverflowIsToldAndTheNextWindowsGoOn) {
  Plan("window-ms 5\nperiod-ms 50\n");
  ::setenv("FAKE_PM_OVERFLOWS", "1", 1);
  const model::Trace trace = RecordSteady(400);
  ASSERT_GE(trace.counter_windows.size(), 3U);
  for (const model::CounterWindow& window : trace.counter_windows) EXPECT_TRUE(window.overflow);
  EXPECT_NE(Told(trace, model::LedgerCode::kLostRecord, "counter windows that overflowed"), "");
}

TEST_F(SampledCounters, AnObjectThatStartsNoMoreAfterAnOverflowIsMadeAnew) {
  Plan("window-ms 5\nperiod-ms 50\n");
  ::setenv("FAKE_PM_STUCK", "1", 1);
  const model::Trace trace = RecordSteady(400);
  ASSERT_GE(trace.counter_windows.size(), 3U);
  EXPECT_TRUE(trace.counter_windows[0].overflow);
  EXPECT_FALSE(trace.counter_windows[1].overflow);
  EXPECT_GT(trace.counter_windows[2].sample_end, trace.counter_windows[2].sample_begin);
  EXPECT_EQ(Told(trace, model::LedgerCode::kRecorderFailure, "counters"), "");
}

TEST_F(SampledCounters, AWindowIsNoLongerThanWhatItsImageHolds) {
  Plan("window-ms 100\nperiod-ms 100\ninterval-us 50\n");  // 2,000 samples of 200 kB each would be 400 MB
  ::setenv("FAKE_PM_BYTES_OF_SAMPLE", "200000", 1);
  const model::Trace trace = RecordSteady(400);
  ASSERT_GE(trace.counter_windows.size(), 2U);
  for (const model::CounterWindow& window : trace.counter_windows) {
    EXPECT_GT(window.sample_end, window.sample_begin);
    EXPECT_LT(window.sample_end - window.sample_begin, 260U);
  }
}

TEST_F(SampledCounters, ADecoderThatNeverEndsIsBounded) {
  Plan("window-ms 5\nperiod-ms 50\ninterval-us 50\n");
  ::setenv("FAKE_PM_ENDLESS", "1", 1);
  // On a busy machine the program's end may cut the only window before its decoder is given up.
  bool behind = false;
  for (int attempt = 0; attempt < 8 && !behind; ++attempt) {
    const model::Trace trace = RecordSteady(300);
    for (const model::CounterWindow& window : trace.counter_windows) {
      behind |= window.behind;
      EXPECT_LT(window.sample_end - window.sample_begin, 1000U);
    }
  }
  EXPECT_TRUE(behind);
}

TEST_F(SampledCounters, OneConfigurationAnObjectAndNoTimeIntervalAreLivedWith) {
  Plan("window-ms 5\nperiod-ms 50\n");
  ::setenv("FAKE_PM_ONE_CONFIG", "1", 1);
  ::setenv("FAKE_PM_NO_TIME_INTERVAL", "1", 1);
  const model::Trace trace = RecordSteady(400);
  ASSERT_GE(trace.counter_windows.size(), 3U);
  for (const model::CounterWindow& window : trace.counter_windows) EXPECT_GT(window.sample_end, window.sample_begin);
}

TEST_F(SampledCounters, SamplesOfAnotherClockAreLeftOutAndTold) {
  Plan("window-ms 5\nperiod-ms 50\n");
  ::setenv("FAKE_PM_OTHER_CLOCK", "1", 1);
  const model::Trace trace = RecordSteady(300);
  EXPECT_TRUE(trace.device_samples.empty());
  EXPECT_NE(Told(trace, model::LedgerCode::kRecorderFailure, "clock of the recording"), "");
}

TEST_F(SampledCounters, AForkedChildSamplesNothing) {
  Plan("window-ms 5\nperiod-ms 20\n");
  EXPECT_EQ(Record("fork", 50).exit_code, 0);
  size_t streams = 0;
  for (const auto& entry : fs::directory_iterator(folder_)) streams += entry.path().extension() == ".capture";
  EXPECT_EQ(streams, 1U);
}

}  // namespace
}  // namespace warpscope
