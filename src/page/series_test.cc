#include "page/series.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "model/testing/trace_builder.h"

namespace warpscope::page {
namespace {

using model::testing::TraceBuilder;

std::vector<Series> SeriesIn(TraceBuilder& builder) { return SeriesOf(analysis::Index(builder.Finish())); }

TEST(Series, MemoryHoldsItsLevels) {
  TraceBuilder b;
  b.AddMemory(10, 100, 1, 0, 100, 500);
  b.AddMemory(20, 50, 2, 0, 150, 500);
  b.AddMemory(30, -100, 1, 0, 50, 500);
  const auto series = SeriesIn(b);
  ASSERT_EQ(series.size(), 2U);
  EXPECT_EQ(series[0].name, "allocated");
  EXPECT_EQ(series[0].unit, "bytes");
  ASSERT_EQ(series[0].points.size(), 3U);
  EXPECT_EQ(series[0].points[1].time_ns, 20);
  EXPECT_EQ(series[0].points[1].value, 150);
  EXPECT_EQ(series[1].name, "reserved");
}

TEST(Series, NothingIsKnownBetweenWindowsOfCounters) {
  TraceBuilder b;
  model::Trace& trace = b.trace();
  trace.sampled_metrics.push_back(
      {trace.strings.Intern("sm__cycles_active.avg.pct_of_peak_sustained_elapsed"), trace.strings.Intern("pct")});
  for (const int64_t begin_ns : {5000, 1000}) {  // not in order of time
    model::CounterWindow window;
    window.device = 0;
    window.start_ns = begin_ns;
    window.interval_ns = 10;
    window.metric_begin = 0, window.metric_end = 1;
    window.sample_begin = static_cast<uint32_t>(trace.device_samples.size());
    for (int i = 0; i < 2; ++i) {
      trace.device_samples.push_back({begin_ns + 10 * i, 10, trace.sampled_values.size()});
      trace.sampled_values.push_back(static_cast<float>(40 + i));
    }
    window.sample_end = static_cast<uint32_t>(trace.device_samples.size());
    trace.counter_windows.push_back(window);
  }
  const auto series = SeriesIn(b);
  ASSERT_EQ(series.size(), 1U);
  EXPECT_EQ(series[0].name, "SM active");
  const std::vector<Point>& points = series[0].points;
  ASSERT_EQ(points.size(), 6U);
  EXPECT_EQ(points[0].time_ns, 1000);
  EXPECT_EQ(points[1].value, 41);
  EXPECT_EQ(points[2].time_ns, 1020);
  EXPECT_TRUE(std::isnan(points[2].value));
  EXPECT_EQ(points[3].time_ns, 5000);
}

TEST(Series, ReadingsOfALogWithoutTimeline) {
  TraceBuilder b;
  model::Trace& trace = b.trace();
  const auto add = [&](std::string_view name, int64_t time_ns, double value) {
    model::Reading reading;
    reading.device = 0;
    reading.time_ns = time_ns;
    reading.name = trace.strings.Intern(name);
    reading.value = value;
    trace.readings.push_back(reading);
  };
  for (int64_t i = 0; i < 3; ++i) {
    add("power_draw", 1000 * i, 300.0 + static_cast<double>(i));
    add("idle_all_the_time", 1000 * i, 0);
  }
  add("seen_once", 5000, 7);
  const auto series = SeriesIn(b);
  ASSERT_EQ(series.size(), 1U);
  EXPECT_EQ(series[0].name, "power_draw");
  EXPECT_EQ(series[0].points.back().value, 302);
}

TEST(Thin, KeepsExtremesAndEnds) {
  std::vector<Point> points;
  for (int64_t i = 0; i < 100000; ++i) points.push_back({i, static_cast<float>(i % 10)});
  points[54321].value = 1000;
  points[65432].value = -1000;
  points[77777].value = NAN;
  const auto thin = Thin(points, 1000);
  EXPECT_LE(thin.size(), 1000U);
  EXPECT_EQ(thin.front().time_ns, 0);
  EXPECT_EQ(thin.back().time_ns, 99999);
  const auto holds = [&](float value) {
    return std::any_of(thin.begin(), thin.end(), [&](const Point& point) { return point.value == value; });
  };
  EXPECT_TRUE(holds(1000));
  EXPECT_TRUE(holds(-1000));
  EXPECT_TRUE(std::any_of(thin.begin(), thin.end(), [](const Point& point) { return std::isnan(point.value); }));
  for (size_t i = 1; i < thin.size(); ++i) EXPECT_LT(thin[i - 1].time_ns, thin[i].time_ns);
  EXPECT_EQ(Thin(points, 200000).size(), points.size());
}

}  // namespace
}  // namespace warpscope::page
