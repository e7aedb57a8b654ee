#include <gtest/gtest.h>

#include "rules/measurements/measurements.h"

namespace warpscope::rules {
namespace {

// One measured launch of `name` with the metrics given.
void AddProfile(model::Trace& trace, std::string_view name, int64_t dur_ns,
                std::initializer_list<std::pair<const char*, double>> metrics) {
  model::KernelProfile profile;
  profile.name = trace.strings.Intern(name);
  profile.dur_ns = dur_ns;
  profile.metric_begin = static_cast<uint32_t>(trace.metrics.size());
  for (const auto& [metric, value] : metrics)
    trace.metrics.push_back({trace.strings.Intern(metric), model::kNoString, value});
  profile.metric_end = static_cast<uint32_t>(trace.metrics.size());
  trace.kernel_profiles.push_back(profile);
}

model::Trace OneSource(model::Vendor vendor) {
  model::Trace trace;
  trace.sources.emplace_back();
  trace.sources[0].vendor = vendor;
  return trace;
}

TEST(AmdProfiles, BandwidthAgainstTheMeasuredPeak) {
  model::Trace trace = OneSource(model::Vendor::kAmd);
  AddProfile(
      trace, "copy", 1000,
      {{"memory_read_bytes", 500000}, {"memory_write_bytes", 500000}, {"l2_hit_pct", 50}, {"wave_wait_pct", 90}});
  AddProfile(trace, "small", 10, {{"valu_active_lanes_pct", 25}});
  model::Reading peak;
  peak.name = trace.strings.Intern("measured peak HBMBw");
  peak.value = 1250;
  trace.readings.push_back(peak);
  Verdict verdict;
  ASSERT_TRUE(JudgeAmdProfiles(trace, "f", verdict));
  EXPECT_NE(verdict.answer.find("1,000 GB/s, 80 % of the measured peak (memory bound"), std::string::npos)
      << verdict.answer;
  EXPECT_NE(verdict.answer.find("hits L2 in 50 %"), std::string::npos) << verdict.answer;
  EXPECT_EQ(verdict.answer.find("more waves"), std::string::npos) << verdict.answer;  // memory is the limit
  ASSERT_EQ(verdict.notes.size(), 2U);
  EXPECT_NE(verdict.notes[0].find("small: only 25 % of the lanes"), std::string::npos) << verdict.notes[0];
}

TEST(AmdProfiles, WhatWasNotCountedIsNotSaid) {
  model::Trace trace = OneSource(model::Vendor::kAmd);
  AddProfile(trace, "k", 0, {{"SQ_WAVES", 4}});
  Verdict verdict;
  ASSERT_TRUE(JudgeAmdProfiles(trace, "f", verdict));
  EXPECT_EQ(verdict.answer, "1 kernel launch was measured.");
  EXPECT_EQ(verdict.notes.size(), 1U);
}

TEST(AmdProfiles, OtherVendorsAreNotItsMatter) {
  model::Trace trace = OneSource(model::Vendor::kNvidia);
  AddProfile(trace, "k", 5, {});
  Verdict verdict;
  EXPECT_FALSE(JudgeAmdProfiles(trace, "f", verdict));
  EXPECT_TRUE(verdict.answer.empty());
}

}  // namespace
}  // namespace warpscope::rules
