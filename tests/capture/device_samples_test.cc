// What the launcher samples of devices while a program runs, with a management library that needs no driver: the
// samples arrive under the program's numbers and on its clock, and the rules judge them.
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "analysis/readings.h"
#include "device/nvml.h"
#include "import/import.h"
#include "record/machine_recorder.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using model::ReadingName;

class DeviceSamples : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("warpscope_devices_" + std::to_string(::getpid()) + "_" +
                                           ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    ::setenv("WARPSCOPE_NVML", WS_FAKE_NVML, 1);
    ::setenv("FAKE_NVML_BUSY", "1", 1);
    ::unsetenv("FAKE_NVML_INIT");
    ::unsetenv("CUDA_VISIBLE_DEVICES");
  }
  void TearDown() override { fs::remove_all(folder_); }

  // Records a child that sleeps.
  model::Trace Record(unsigned ms) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::usleep(ms * 1000 + 200'000);
      ::_exit(0);
    }
    {
      record::MachineRecorder machine;
      EXPECT_TRUE(machine.Begin(folder_.string(), {"sleep"}));
      ::usleep(ms * 1000);
      machine.End();
    }
    ::waitpid(child, nullptr, 0);
    auto trace = import::Load({folder_.string()});
    EXPECT_TRUE(trace.ok()) << trace.status().message();
    return trace.ok() ? std::move(trace).value() : model::Trace();
  }

  fs::path folder_;
};

std::optional<double> LastOf(const model::Trace& trace, int64_t device, ReadingName name) {
  for (const analysis::DeviceLog& log : analysis::DeviceLogsOf(trace)) {
    if (trace.devices[log.device].id == device) return log.Last(name);
  }
  return std::nullopt;
}

TEST_F(DeviceSamples, ArriveAsReadingsWithTheirFacts) {
  const model::Trace trace = Record(2600);
  EXPECT_EQ(LastOf(trace, 0, ReadingName::kClockSm), 990);
  EXPECT_EQ(LastOf(trace, 0, ReadingName::kClockMaxSm), 1980);
  EXPECT_EQ(LastOf(trace, 0, ReadingName::kUtilizationGpu), 97);
  EXPECT_EQ(LastOf(trace, 0, ReadingName::kPowerDraw), 699.5);
  EXPECT_EQ(LastOf(trace, 0, ReadingName::kPowerLimit), 700);
  EXPECT_EQ(LastOf(trace, 0, ReadingName::kThrottleSwPowerCap), 1);
  EXPECT_EQ(LastOf(trace, 1, ReadingName::kThrottleSwPowerCap), 0);
  EXPECT_EQ(LastOf(trace, 0, ReadingName::kPcieTx), 1.5e6);
  EXPECT_EQ(LastOf(trace, 1, ReadingName::kPcieRx), 2.5e6);
  EXPECT_GT(LastOf(trace, 0, ReadingName::kNvlinkBandwidth).value_or(0), 1e6);
  // The child's memory, not that of process 1.
  EXPECT_EQ(LastOf(trace, 0, ReadingName::kMemoryUsedRecorded), 512.0 * 1024 * 1024);
  EXPECT_FALSE(LastOf(trace, 1, ReadingName::kMemoryUsedRecorded).has_value());
  bool tells_cost = false;
  for (const model::Reading& reading : trace.readings) tells_cost |= trace.Text(reading.name) == "device_looks_cpu_ms";
  EXPECT_TRUE(tells_cost);
  std::set<int64_t> looks;
  for (const model::Reading& reading : trace.readings) {
    if (reading.time_ns) looks.insert(*reading.time_ns);
  }
  EXPECT_GE(looks.size(), 16U);  // two devices, ten times a second; a busy machine may miss some
  EXPECT_LT(looks.size(), 150U);
}

TEST_F(DeviceSamples, AreFiledUnderTheNumbersOfTheProgram) {
  ::setenv("CUDA_VISIBLE_DEVICES", "1", 1);
  const model::Trace trace = Record(50);
  EXPECT_EQ(LastOf(trace, 0, ReadingName::kClockSm), 345);
  EXPECT_FALSE(LastOf(trace, 1, ReadingName::kClockSm).has_value());
  ::unsetenv("CUDA_VISIBLE_DEVICES");
}

TEST_F(DeviceSamples, AMomentIsLookedAtAsWell) {
  const model::Trace trace = Record(1);
  EXPECT_TRUE(LastOf(trace, 0, ReadingName::kClockSm).has_value());
}

TEST_F(DeviceSamples, WithoutADriverTheLedgerSaysWhy) {
  ::setenv("FAKE_NVML_INIT", "9", 1);
  const model::Trace trace = Record(1);
  EXPECT_GT(trace.ledger.Count(model::LedgerCode::kRecorderNote), 0U);
  ::unsetenv("FAKE_NVML_INIT");
}

TEST_F(DeviceSamples, ALibraryThatMisbehavesCostsOnlyAChild) {
  const auto fault = [](const char* kind) {
    ::setenv("FAKE_NVML_FAULT", kind, 1);
    const auto nvml = device::Nvml::OpenTried(300);
    ::unsetenv("FAKE_NVML_FAULT");
    return nvml.ok() ? std::string("opened") : nvml.status().message();
  };
  EXPECT_NE(fault("crash").find("crashes whoever loads it (signal 6)"), std::string::npos);
  EXPECT_NE(fault("exit").find("ends the process that loads it"), std::string::npos);
  EXPECT_NE(fault("hang").find("did not answer"), std::string::npos);
  EXPECT_EQ(fault("none"), "opened");
}

}  // namespace
}  // namespace warpscope
