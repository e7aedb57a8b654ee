// When the agent records: time, ranges, the profiler's calls, commands, the ring, the budget.
#include <stdlib.h>

#include <chrono>
#include <fstream>
#include <map>
#include <set>
#include <thread>

#include "capture_fixture.h"
#include "record/control.h"

namespace warpscope {
namespace {

using model::LedgerCode;

class CaptureWindows : public Capture {
 protected:
  void SetUp() override {
    Capture::SetUp();
    ::setenv("FAKE_FLUSHES", "1", 1);
    ::unsetenv("FAKE_LAUNCH_COSTS");
  }
  void TearDown() override {
    ::unsetenv("FAKE_FLUSHES");
    ::unsetenv("FAKE_LAUNCH_COSTS");
    Capture::TearDown();
  }

  void Set(const record::Settings& settings) {
    auto control = record::ControlFile::Create(folder_.string(), settings);
    ASSERT_TRUE(control.ok()) << control.status().message();
    control_ = std::move(control).value();
  }
  // How often each kernel was recorded.
  std::map<std::string, int> Kernels(const model::Trace& trace) {
    std::map<std::string, int> names;
    for (uint32_t row = 0; row < trace.gpu.size(); ++row) ++names[std::string(trace.GpuName(row))];
    return names;
  }
  std::string Detail(const model::Trace& trace, LedgerCode code) {
    for (const auto& entry : trace.ledger.Entries()) {
      if (entry.code == code) return entry.detail;
    }
    return "";
  }
  // Sends a command so long after the program started.
  std::thread After(int ms, wire::Command command) {
    return std::thread([this, ms, command] {
      std::this_thread::sleep_for(std::chrono::milliseconds(ms));
      control_.Send(command);
    });
  }

  record::ControlFile control_;
};

TEST_F(CaptureWindows, StepsOfARange) {
  record::Settings settings;
  settings.trigger = wire::kTriggerRange;
  settings.range = "step";
  settings.range_skip = 2;
  settings.range_count = 3;
  Set(settings);
  EXPECT_EQ(Record("steps", 9).exit_code, 3);
  const model::Trace trace = Load();
  const auto kernels = Kernels(trace);
  for (const char* inside : {"step_kernel_2", "step_kernel_3", "step_kernel_4"}) EXPECT_EQ(kernels.at(inside), 10);
  EXPECT_EQ(kernels.at("between"), 10);  // between the three steps
  EXPECT_EQ(kernels.size(), 4U);
  EXPECT_EQ(trace.ledger.Count(LedgerCode::kPartlyRecorded), 1U);
  EXPECT_NE(Detail(trace, LedgerCode::kPartlyRecorded).find("range began"), std::string::npos);
  EXPECT_EQ(trace.ledger.Count(LedgerCode::kOutOfRange), 0U);
}

TEST_F(CaptureWindows, ARangeThatNeverComesRecordsNothingAndSaysSo) {
  record::Settings settings;
  settings.trigger = wire::kTriggerRange;
  settings.range = "no such range";
  Set(settings);
  EXPECT_EQ(Record("steps", 3).exit_code, 3);
  const model::Trace trace = Load();
  EXPECT_EQ(trace.gpu.size(), 0U);
  EXPECT_GT(trace.ledger.Count(LedgerCode::kRecorderNote), 0U);
}

TEST_F(CaptureWindows, BetweenTheProfilersCalls) {
  record::Settings settings;
  settings.trigger = wire::kTriggerProfiler;
  Set(settings);
  EXPECT_EQ(Record("profiled", 20).exit_code, 3);
  const model::Trace trace = Load();
  const auto kernels = Kernels(trace);
  EXPECT_EQ(kernels.at("inside"), 60);
  EXPECT_EQ(kernels.size(), 1U);
  EXPECT_EQ(trace.ledger.Count(LedgerCode::kPartlyRecorded), 3U);
}

TEST_F(CaptureWindows, WithoutASubscriptionTheProfilersCallsAreNotSeenAndThatIsSaid) {
  ::setenv("FAKE_SUBSCRIBED", "1", 1);
  record::Settings settings;
  settings.trigger = wire::kTriggerProfiler;
  Set(settings);
  EXPECT_EQ(Record("profiled", 20).exit_code, 3);
  ::unsetenv("FAKE_SUBSCRIBED");
  const model::Trace trace = Load();
  EXPECT_EQ(trace.gpu.size(), 0U);
  EXPECT_EQ(trace.ledger.Count(LedgerCode::kRecorderFailure), 1U);
}

TEST_F(CaptureWindows, AfterADelayForADuration) {
  record::Settings settings;
  settings.delay_ns = 300'000'000;
  settings.duration_ns = 300'000'000;
  Set(settings);
  EXPECT_EQ(Record("lasting", 1000).exit_code, 3);
  const model::Trace trace = Load();
  ASSERT_GT(trace.gpu.size(), 50U);
  const int64_t span_ns = trace.gpu.start_ns[trace.gpu.size() - 1] - trace.gpu.start_ns[0];
  EXPECT_GT(span_ns, 150'000'000);
  EXPECT_LT(span_ns, 600'000'000);
  const auto kernels = Kernels(trace);
  EXPECT_FALSE(kernels.contains("t0"));
  EXPECT_FALSE(kernels.contains("t9"));
}

TEST_F(CaptureWindows, CommandsStartAndStop) {
  record::Settings settings;
  settings.trigger = wire::kTriggerCommand;
  Set(settings);
  std::thread start = After(400, wire::kCommandStart), stop = After(800, wire::kCommandStop);
  EXPECT_EQ(Record("lasting", 1200).exit_code, 3);
  start.join();
  stop.join();
  const model::Trace trace = Load();
  EXPECT_GT(trace.gpu.size(), 50U);
  EXPECT_LT(trace.gpu.size(), 900U);
  EXPECT_NE(Detail(trace, LedgerCode::kPartlyRecorded).find("command"), std::string::npos);
}

TEST_F(CaptureWindows, ACommandOfBeforeHoldsForAProcessThatBeginsLater) {
  record::Settings settings;
  settings.trigger = wire::kTriggerCommand;
  Set(settings);
  control_.Send(wire::kCommandStart);
  Record("kernels", 10);
  EXPECT_EQ(Load().gpu.size(), 10U);
}

TEST_F(CaptureWindows, StatusTellsEveryProcess) {
  Set(record::Settings());
  Record("kernels", 100);
  const auto processes = control_.Processes();
  ASSERT_EQ(processes.size(), 1U);
  EXPECT_FALSE(processes[0].alive);
  EXPECT_EQ(processes[0].state, wire::kStateEnded);
  EXPECT_EQ(processes[0].rows, 200U);  // kernels and their launches
  EXPECT_EQ(processes[0].lost, 0U);
  EXPECT_GT(processes[0].bytes, 100U);
}

TEST_F(CaptureWindows, APageOfAnotherVersionGivesTheDefaults) {
  std::ofstream(folder_ / "control") << std::string(sizeof(wire::Control), 'x');
  Record("kernels", 10);
  EXPECT_EQ(Load().gpu.size(), 10U);
}

TEST_F(CaptureWindows, ManyWindowsRegisterTheBuffersOnce) {
  record::Settings settings;
  settings.trigger = wire::kTriggerProfiler;
  Set(settings);
  Record("profiled", 50);
  const model::Trace trace = Load();
  EXPECT_EQ(trace.gpu.size(), 150U);
  EXPECT_EQ(trace.ledger.Count(LedgerCode::kOutOfRange), 0U);  // the fake shifts times when they are registered again
}

TEST_F(CaptureWindows, TheRingKeepsTheEnd) {
  record::Settings settings;
  settings.ring_ms = 400;
  Set(settings);
  EXPECT_EQ(Record("lasting", 2000).exit_code, 3);
  const model::Trace trace = Load();
  ASSERT_GT(trace.gpu.size(), 100U);
  const int64_t span_ns = trace.gpu.start_ns[trace.gpu.size() - 1] - trace.gpu.start_ns[0];
  EXPECT_GE(span_ns, 380'000'000);
  EXPECT_LT(span_ns, 1'000'000'000);
  std::set<uint32_t> streams;
  for (const uint32_t stream : trace.gpu.stream) streams.insert(stream);
  ASSERT_EQ(streams.size(), 1U);  // the files are parts of one process
  EXPECT_EQ(trace.devices[trace.streams[*streams.begin()].device].name, "Fake GPU");
  EXPECT_EQ(trace.ledger.Count(LedgerCode::kKilledProcess), 0U);
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) ASSERT_EQ(trace.GpuName(row).front(), 't');
}

TEST_F(CaptureWindows, AFrozenRingStaysAsItWas) {
  record::Settings settings;
  settings.ring_ms = 200;
  Set(settings);
  std::thread freeze = After(900, wire::kCommandFreeze);
  EXPECT_EQ(Record("lasting", 1500).exit_code, 3);
  freeze.join();
  const model::Trace trace = Load();
  ASSERT_GT(trace.gpu.size(), 20U);
  EXPECT_NE(Detail(trace, LedgerCode::kPartlyRecorded).find("ring frozen"), std::string::npos);
}

TEST_F(CaptureWindows, TheBudgetMeasuresWhatALaunchPays) {
  ::setenv("FAKE_LAUNCH_COSTS", "100000", 1);
  record::Settings settings;
  settings.max_overhead_permille = 10;
  Set(settings);
  EXPECT_EQ(Record("lasting", 4000).exit_code, 3);
  const model::Trace trace = Load();
  const std::string cost = Detail(trace, LedgerCode::kRecordingCost);
  EXPECT_NE(cost.find("us a launch"), std::string::npos) << cost;
  const double us = std::strtod(cost.c_str() + cost.find("about ") + 6, nullptr);
  EXPECT_GT(us, 70) << cost;
  EXPECT_LT(us, 400) << cost;
  // 100 us of each millisecond and more: ten times the budget.
  EXPECT_GT(trace.ledger.Count(LedgerCode::kRecorderNote), 0U);
  EXPECT_LT(trace.gpu.size(), 3000U);
}

TEST_F(CaptureWindows, TheBudgetWaitsForLaunchesOfAProgramThatMakesFew) {
  ::setenv("FAKE_LAUNCH_COSTS", "100000", 1);
  record::Settings settings;
  settings.max_overhead_permille = 200;
  Set(settings);
  EXPECT_EQ(Record("sparse", 100).exit_code, 3);
  const std::string cost = Detail(Load(), LedgerCode::kRecordingCost);
  EXPECT_NE(cost.find("us a launch"), std::string::npos) << cost;
}

TEST_F(CaptureWindows, AtTheLimitOfItsMemoryRecordsAreDroppedAndCounted) {
  ::unsetenv("FAKE_FLUSHES");
  record::Settings settings;
  settings.memory_limit_bytes = 1 << 20;  // two buffers
  Set(settings);
  constexpr uint64_t kLaunches = 400000;
  Record("kernels", kLaunches);
  const model::Trace trace = Load();
  // Dropped records by the collector's count, and requests that got no buffer.
  const uint64_t lost = trace.ledger.Count(LedgerCode::kLostRecord);
  const uint64_t told = trace.gpu.size() + trace.host.size();  // a kernel and its call each
  EXPECT_GE(told + lost, 2 * kLaunches);
  EXPECT_LE(told + lost, 2 * kLaunches + 2);
  EXPECT_LT(trace.gpu.size(), kLaunches + 1);
}

TEST_F(CaptureWindows, TheRecordersOwnCostIsAlwaysSaid) {
  Record("kernels", 1000);
  EXPECT_NE(Detail(Load(), LedgerCode::kRecordingCost).find("recorder's thread"), std::string::npos);
}

}  // namespace
}  // namespace warpscope
