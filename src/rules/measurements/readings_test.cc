#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "model/reading_names.h"
#include "rules/engine.h"

namespace warpscope::rules {
namespace {

using model::ReadingName;
using Values = std::map<ReadingName, double>;

// A log of one or more devices: each call of Look is a look at one of them.
class Log {
 public:
  explicit Log(model::Vendor vendor = model::Vendor::kNvidia) {
    trace_.sources.emplace_back();
    trace_.sources.back().format = "nvidia_smi";
    trace_.sources.back().vendor = vendor;
  }
  Log& Look(const Values& values, uint32_t device = 0, int times = 1) {
    while (trace_.devices.size() <= device) {
      trace_.devices.emplace_back();
      trace_.devices.back().id = static_cast<int64_t>(trace_.devices.size()) - 1;
      trace_.devices.back().name = "Test GPU";
    }
    for (int i = 0; i < times; ++i, time_ns_ += 1'000'000'000) {
      for (const auto& [name, value] : values) {
        model::Reading reading;
        reading.device = device;
        reading.time_ns = time_ns_;
        reading.name = trace_.strings.Intern(model::NameOf(name));
        reading.value = value;
        trace_.readings.push_back(reading);
      }
    }
    return *this;
  }
  Verdict Judge() {
    auto verdict = Analyze(trace_);
    EXPECT_TRUE(verdict.ok());
    return std::move(verdict).value();
  }
  const Finding* Find(std::string_view id) {
    verdict_ = Judge();
    for (const Finding& finding : verdict_.findings) {
      if (finding.id == id) return &finding;
    }
    return nullptr;
  }

 private:
  model::Trace trace_;
  Verdict verdict_;
  int64_t time_ns_ = 1'790'000'000'000'000'000;
};

constexpr ReadingName kLoad = ReadingName::kUtilizationGpu;

TEST(Readings, FaultsLead) {
  EXPECT_NE(Log().Look({{kLoad, 5}, {ReadingName::kEccUncorrected, 3}}).Find("ecc_uncorrected"), nullptr);
  EXPECT_NE(Log().Look({{ReadingName::kRemappedFailure, 1}}).Find("remap_failure"), nullptr);
  EXPECT_NE(Log().Look({{ReadingName::kRemappedPending, 1}}).Find("repair_pending"), nullptr);
  EXPECT_NE(Log().Look({{ReadingName::kNvlinkLinks, 17}, {ReadingName::kNvlinkLinksDown, 1}}).Find("nvlink_down"),
            nullptr);
  Log both;
  both.Look({{kLoad, 20}, {ReadingName::kRemappedFailure, 1}}, 0, 20);
  const Verdict verdict = both.Judge();
  ASSERT_GE(verdict.findings.size(), 2U);
  EXPECT_EQ(verdict.findings[0].id, "remap_failure");
  for (const Finding& finding : verdict.findings) {
    EXPECT_FALSE(finding.evidence.empty());
    EXPECT_FALSE(finding.actions.empty());
    EXPECT_FALSE(finding.verify.empty());
    EXPECT_FALSE(finding.predicted.has_value());
  }
}

TEST(Readings, HealthyDevicesHaveNoFinding) {
  const Verdict verdict = Log()
                              .Look({{kLoad, 98},
                                     {ReadingName::kEccUncorrected, 0},
                                     {ReadingName::kEccCorrected, 12},
                                     {ReadingName::kEccUncorrectedLifetime, 2},
                                     {ReadingName::kRemappedPending, 0},
                                     {ReadingName::kNvlinkLinksDown, 18},
                                     {ReadingName::kNvlinkLinks, 0},
                                     {ReadingName::kPcieWidthCurrent, 16},
                                     {ReadingName::kPcieWidthMax, 16},
                                     {ReadingName::kThrottleSwPowerCap, 1},
                                     {ReadingName::kClockSm, 1950},
                                     {ReadingName::kClockMaxSm, 1980}},
                                    0, 30)
                              .Judge();
  EXPECT_TRUE(verdict.findings.empty()) << verdict.findings.front().title;
  EXPECT_NE(verdict.answer.find("at work"), std::string::npos) << verdict.answer;
  EXPECT_NE(verdict.answer.find("cannot tell"), std::string::npos);
}

TEST(Readings, ClocksHeldDownUnderLoad) {
  const Values hot = {{kLoad, 99},
                      {ReadingName::kThrottleSwThermal, 1},
                      {ReadingName::kClockSm, 900},
                      {ReadingName::kClockMaxSm, 1980}};
  EXPECT_NE(Log().Look(hot, 0, 12).Find("thermal_throttling"), nullptr);
  const Values capped = {{kLoad, 99},
                         {ReadingName::kThrottleSwPowerCap, 1},
                         {ReadingName::kClockSm, 900},
                         {ReadingName::kClockMaxSm, 1980}};
  EXPECT_NE(Log().Look(capped, 0, 12).Find("power_throttling"), nullptr);
  const Values brake = {{kLoad, 99}, {ReadingName::kThrottleHwSlowdown, 1}, {ReadingName::kThrottleHwThermal, 0}};
  EXPECT_NE(Log().Look(brake, 0, 12).Find("power_brake"), nullptr);
  // Idle devices lower their clocks by themselves.
  Values idle = hot;
  idle[kLoad] = 0;
  EXPECT_EQ(Log().Look(idle, 0, 12).Find("thermal_throttling"), nullptr);
  // A single moment in a long log.
  EXPECT_EQ(Log().Look(hot).Look({{kLoad, 99}, {ReadingName::kThrottleSwThermal, 0}}, 0, 99).Find("thermal_throttling"),
            nullptr);
}

TEST(Readings, LinkIsJudgedUnderLoadOnly) {
  const Values narrow = {{kLoad, 80}, {ReadingName::kPcieWidthCurrent, 8}, {ReadingName::kPcieWidthMax, 16}};
  EXPECT_NE(Log().Look(narrow).Find("pcie_link_narrow"), nullptr);
  Values idle = narrow;
  idle[kLoad] = 0;
  EXPECT_EQ(Log().Look(idle).Find("pcie_link_narrow"), nullptr);
  Values slow = {{kLoad, 80}, {ReadingName::kPcieGenCurrent, 1}, {ReadingName::kPcieGenMax, 4}};
  EXPECT_NE(Log().Look(slow).Find("pcie_link_slow"), nullptr);
  slow[kLoad] = 0;
  EXPECT_EQ(Log().Look(slow).Find("pcie_link_slow"), nullptr);
}

TEST(Readings, LoadNeedsALongLog) {
  EXPECT_NE(Log().Look({{kLoad, 20}}, 0, 30).Find("low_utilisation"), nullptr);
  EXPECT_EQ(Log().Look({{kLoad, 20}}, 0, 5).Find("low_utilisation"), nullptr);
  EXPECT_EQ(Log().Look({{kLoad, 0}}, 0, 30).Find("low_utilisation"), nullptr);  // nobody used it
  EXPECT_EQ(Log().Look({{kLoad, 90}}, 0, 30).Find("low_utilisation"), nullptr);
}

TEST(Readings, MemoryNearlyFull) {
  EXPECT_NE(
      Log().Look({{ReadingName::kMemoryUsed, 97e9}, {ReadingName::kMemoryTotal, 100e9}}).Find("memory_nearly_full"),
      nullptr);
  EXPECT_EQ(
      Log().Look({{ReadingName::kMemoryUsed, 60e9}, {ReadingName::kMemoryTotal, 100e9}}).Find("memory_nearly_full"),
      nullptr);
  EXPECT_EQ(Log().Look({{ReadingName::kMemoryUsed, 97e9}}).Find("memory_nearly_full"), nullptr);
}

TEST(Readings, DevicesAlikeAreOneFinding) {
  Log log;
  for (uint32_t device = 0; device < 6; ++device) log.Look({{ReadingName::kEccUncorrected, device + 1.0}}, device);
  const Finding* finding = log.Find("ecc_uncorrected");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->subject, "GPU 5");
  EXPECT_EQ(finding->evidence.size(), 4U);
  EXPECT_NE(finding->title.find("5 more"), std::string::npos) << finding->title;
}

TEST(Readings, CommandsFitTheVendor) {
  const Verdict verdict = Log(model::Vendor::kAmd).Look({{ReadingName::kEccUncorrected, 1}}).Judge();
  ASSERT_FALSE(verdict.findings.empty());
  for (const Action& action : verdict.findings[0].actions) EXPECT_EQ(action.code.find("nvidia-smi"), std::string::npos);
  for (const std::string& note : verdict.notes) EXPECT_EQ(note.find("nsys"), std::string::npos) << note;
}

// Where the data is missing nothing is claimed, and every rule about a program's time says why it is silent.
TEST(Readings, AbstainsWithoutATimeline) {
  const Verdict verdict = Log().Look({{ReadingName::kMemoryTotal, 1e9}}).Judge();
  EXPECT_TRUE(verdict.findings.empty());
  EXPECT_FALSE(verdict.abstained.empty());
  EXPECT_TRUE(std::any_of(verdict.notes.begin(), verdict.notes.end(),
                          [](const std::string& note) { return note.find("not why") != std::string::npos; }));
}

}  // namespace
}  // namespace warpscope::rules
