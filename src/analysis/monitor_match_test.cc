#include "analysis/monitor_match.h"

#include <gtest/gtest.h>

namespace warpscope::analysis {
namespace {

constexpr int64_t kNow = 1'790'000'000'000'000'000;
constexpr int64_t kSecond = 1'000'000'000;

struct Log {
  model::Trace trace;
  uint32_t Device(int64_t id, const std::string& name) {
    model::Device device;
    device.id = id;
    device.name = name;
    trace.devices.push_back(device);
    return static_cast<uint32_t>(trace.devices.size() - 1);
  }
  void Look(uint32_t device, std::optional<int64_t> time_ns) {
    model::Reading reading;
    reading.device = device;
    reading.time_ns = time_ns;
    reading.name = trace.strings.Intern("utilization_gpu");
    reading.value = 50;
    trace.readings.push_back(reading);
  }
  MonitorMatch Match(int64_t begin_ns) {
    logs = DeviceLogsOf(trace);
    return MatchMonitor(trace, logs, 0, {begin_ns, begin_ns + kSecond});
  }
  std::vector<DeviceLog> logs;
};

TEST(MonitorMatch, LooksOfTheWindow) {
  Log log;
  log.Device(0, "A");
  const uint32_t one = log.Device(0, "A");
  for (int i = -10; i <= 10; ++i) log.Look(one, kNow + i * kSecond);
  const MonitorMatch match = log.Match(kNow);
  ASSERT_NE(match.log, nullptr);
  EXPECT_TRUE(match.by_time);
  EXPECT_EQ(match.looks.size(), 4U);  // -1, 0, 1, 2
}

TEST(MonitorMatch, LocalTimeIsShiftedByQuartersOfAnHour) {
  Log log;
  log.Device(0, "A");
  const uint32_t one = log.Device(0, "A");
  for (int i = 0; i < 5; ++i) log.Look(one, kNow + i * kSecond + 2 * 3600 * kSecond);
  const MonitorMatch match = log.Match(kNow);
  ASSERT_NE(match.log, nullptr);
  EXPECT_EQ(match.shift_ns, -2 * 3600 * kSecond);
}

TEST(MonitorMatch, WithoutTimesAllLooksCount) {
  Log log;
  log.Device(0, "A");
  const uint32_t one = log.Device(0, "");
  log.Look(one, std::nullopt);
  const MonitorMatch match = log.Match(kNow);
  ASSERT_NE(match.log, nullptr);
  EXPECT_FALSE(match.by_time);
  EXPECT_EQ(match.looks.size(), 1U);
}

TEST(MonitorMatch, SaysWhyNothingFits) {
  {
    Log log;
    log.Device(0, "A");
    EXPECT_EQ(log.Match(kNow).log, nullptr);
  }
  {  // two logs of a device of that number and name
    Log log;
    log.Device(0, "A");
    log.Look(log.Device(0, "A"), kNow);
    log.Look(log.Device(0, "A"), kNow);
    EXPECT_NE(log.Match(kNow).problem.find("several"), std::string::npos);
  }
  {  // never at the same time
    Log log;
    log.Device(0, "A");
    log.Look(log.Device(0, "A"), kNow + 100 * kSecond);
    EXPECT_NE(log.Match(kNow).problem.find("no look"), std::string::npos);
  }
}

}  // namespace
}  // namespace warpscope::analysis
