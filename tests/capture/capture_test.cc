// The agent inside a real process, with the fake CUPTI, and the importer on what it leaves: every record arrives or is
// counted, whatever the process does.
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>

#include <fstream>
#include <map>
#include <set>

#include "capture_fixture.h"

namespace warpscope {
namespace {

using model::LedgerCode;

TEST_F(Capture, EveryKernelArrivesWithItsLaunch) {
  EXPECT_EQ(Record("kernels", 10000).exit_code, 3);
  const model::Trace trace = Load();
  ASSERT_EQ(trace.gpu.size(), 10000U);
  std::map<std::string, int> names;
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    ++names[std::string(trace.GpuName(row))];
    ASSERT_NE(trace.gpu.call[row], model::kNone);
    EXPECT_EQ(trace.gpu.start_ns[row] - trace.host.start_ns[trace.gpu.call[row]], 1000);
    EXPECT_EQ(trace.gpu.dur_ns[row], 500);
    EXPECT_EQ(trace.Launch(row)->grid[0], 16U);
  }
  EXPECT_EQ(names["even_kernel"], 5000);
  EXPECT_EQ(names["odd_kernel"], 5000);
  ASSERT_EQ(trace.devices.size(), 1U);
  EXPECT_EQ(trace.devices[0].name, "Fake GPU");
  EXPECT_EQ(trace.ledger.Count(LedgerCode::kLostRecord), 0U);
  EXPECT_EQ(trace.ledger.Count(LedgerCode::kKilledProcess), 0U);
}

TEST_F(Capture, TheStreamIsSmall) {
  Record("kernels", 100000);
  uint64_t bytes = 0;
  for (const auto& file : fs::directory_iterator(folder_)) bytes += file.file_size();
  EXPECT_LT(bytes, 100000U * 24U);  // a kernel and its launch: two events
}

TEST_F(Capture, SeveralThreadsAreToldApart) {
  EXPECT_EQ(Record("threads", 500).exit_code, 0);
  const model::Trace trace = Load();
  ASSERT_EQ(trace.gpu.size(), 2000U);
  std::set<uint32_t> threads;
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    ASSERT_NE(trace.gpu.call[row], model::kNone);
    threads.insert(trace.host.thread[trace.gpu.call[row]]);
  }
  EXPECT_EQ(threads.size(), 4U);
}

TEST_F(Capture, AForkedChildLeavesTheParentsRecordingAlone) {
  EXPECT_EQ(Record("fork", 100).exit_code, 0);
  const model::Trace trace = Load();
  EXPECT_EQ(trace.gpu.size(), 200U);
  EXPECT_EQ(trace.sources.size(), 1U);
  EXPECT_EQ(trace.ledger.Count(LedgerCode::kTruncatedFile), 0U);
}

TEST_F(Capture, AKilledProcessLeavesWhatWasHandedOver) {
  const record::Ended ended = Record("killed", 1000);
  EXPECT_EQ(ended.exit_code, 128 + SIGKILL);
  const model::Trace trace = Load();
  EXPECT_EQ(trace.gpu.size(), 1000U);
  EXPECT_EQ(trace.ledger.Count(LedgerCode::kKilledProcess), 1U);
}

TEST_F(Capture, EndingAbruptlyKeepsTheExitCode) {
  EXPECT_EQ(Record("abrupt", 10).exit_code, 7);
  EXPECT_EQ(Load().ledger.Count(LedgerCode::kKilledProcess), 1U);
}

TEST_F(Capture, CallsThatWaitAreRecorded) {
  Record("calls", 20);
  const model::Trace trace = Load();
  ASSERT_EQ(trace.host.size(), 20U);
  EXPECT_EQ(trace.HostName(0), "cudaDeviceSynchronize");
  EXPECT_EQ(trace.host.dur_ns[0], 1000);
}

TEST_F(Capture, DropsAreCounted) {
  Record("drops", 10);
  EXPECT_EQ(Load().ledger.Count(LedgerCode::kLostRecord), 123U);
}

TEST_F(Capture, AFailedCountOfDropsIsUnknownAndNotZero) {
  ::setenv("FAKE_CANNOT_COUNT", "1", 1);
  Record("kernels", 10);
  const model::Trace trace = Load();
  EXPECT_GT(trace.ledger.Count(LedgerCode::kUnknownLoss), 0U);
  EXPECT_EQ(trace.gpu.size(), 10U);
}

TEST_F(Capture, RecordsWithoutATimeAreCountedAndLeftOut) {
  Record("bad_times", 30);
  const model::Trace trace = Load();
  EXPECT_EQ(trace.gpu.size(), 30U);
  EXPECT_EQ(trace.ledger.Count(LedgerCode::kUntimedRecord), 30U);
}

TEST_F(Capture, ABufferOfSomeoneElseIsRefused) {
  EXPECT_EQ(Record("foreign", 40).exit_code, 3);
  EXPECT_EQ(Load().gpu.size(), 40U);
}

TEST_F(Capture, AnotherProfilerInTheProcessIsNamedAndTheProgramRuns) {
  ::setenv("FAKE_REFUSES", "1", 1);
  EXPECT_EQ(Record("kernels", 10).exit_code, 3);
  const model::Trace trace = Load();
  EXPECT_EQ(trace.gpu.size(), 0U);
  EXPECT_EQ(trace.ledger.Count(LedgerCode::kRecorderFailure), 1U);
}

TEST_F(Capture, WithoutCuptiTheProgramRuns) {
  ::setenv("WARPSCOPE_CUPTI", "/nonexistent/libcupti.so", 1);
  EXPECT_EQ(Record("kernels", 10).exit_code, 3);
  EXPECT_EQ(Load().ledger.Count(LedgerCode::kRecorderFailure), 1U);
}

TEST_F(Capture, WithoutAFolderTheProgramRuns) {
  record::Launch launch;
  launch.words = {WS_CAPTURE_HOST, WS_AGENT, WS_FAKE_CUPTI, "kernels", "10"};
  launch.run_folder = (folder_ / "missing").string();
  launch.agent_path = WS_AGENT;
  const auto ended = record::RunUnderAgent(launch);
  ASSERT_TRUE(ended.ok());
  EXPECT_EQ(ended.value().exit_code, 3);
}

TEST_F(Capture, AProgramThatDoesNotExistIsNamed) {
  record::Launch launch;
  launch.words = {"no-such-program-at-all"};
  launch.run_folder = folder_.string();
  const auto ended = record::RunUnderAgent(launch);
  ASSERT_FALSE(ended.ok());
  EXPECT_EQ(ended.status().code(), StatusCode::kNotFound);
}

TEST_F(Capture, AFileCutAnywhereKeepsItsWholeBlocks) {
  Record("kernels", 3000);
  fs::path file;
  for (const auto& entry : fs::directory_iterator(folder_)) file = entry.path();
  std::ifstream in(file, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  for (size_t size = 64; size < whole.size(); size += 997) {
    const auto trace = import::LoadBytes(std::string_view(whole).substr(0, size), "x.capture");
    ASSERT_TRUE(trace.ok()) << size;
    EXPECT_LE(trace.value().gpu.size(), 3000U);
  }
}

}  // namespace
}  // namespace warpscope
