// However the program ends, forks or treats what is ours: it is not disturbed, and the recording is read.
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <set>

#include "capture_fixture.h"

namespace warpscope {
namespace {

using model::LedgerCode;

class CaptureLife : public Capture {
 protected:
  void TearDown() override {
    for (const char* name : {"FAKE_HANGS", "FAKE_FLUSHES", "FAKE_FLUSH_IS_TOLD"}) ::unsetenv(name);
    Capture::TearDown();
  }
};

TEST_F(CaptureLife, ForksWhileEightThreadsLaunch) {
  EXPECT_EQ(Record("fork_threads", 30).exit_code, 3);
  const model::Trace trace = Load();
  EXPECT_GT(trace.gpu.size(), 0U);
  EXPECT_EQ(trace.sources.size(), 1U);
  EXPECT_EQ(trace.ledger.Count(LedgerCode::kBrokenRecord), 0U);
  EXPECT_EQ(trace.ledger.Count(LedgerCode::kTruncatedFile), 0U);
}

TEST_F(CaptureLife, TheLastFlushGetsABufferForItsOwnRecord) {
  ::setenv("FAKE_FLUSH_IS_TOLD", "1", 1);
  EXPECT_EQ(Record("eight_threads", 100).exit_code, 3);
  const model::Trace trace = Load();
  EXPECT_EQ(trace.gpu.size(), 800U);
  EXPECT_EQ(trace.ledger.Count(LedgerCode::kLostRecord), 0U);
}

TEST_F(CaptureLife, AToolThatTakesCuptiOverMayFreeOurBuffers) {
  EXPECT_EQ(Record("freed_by_other", 100).exit_code, 3);
  EXPECT_EQ(Load().ledger.Count(LedgerCode::kBrokenRecord), 0U);
}

TEST_F(CaptureLife, EightThreadsAtOnceLoseAndRepeatNothing) {
  ::setenv("FAKE_FLUSHES", "1", 1);
  EXPECT_EQ(Record("eight_threads", 10000).exit_code, 3);
  const model::Trace trace = Load();
  EXPECT_EQ(trace.gpu.size() + trace.ledger.Count(LedgerCode::kLostRecord), 80000U);
  std::set<uint64_t> ids;
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) ids.insert(trace.gpu.correlation[row]);
  EXPECT_EQ(ids.size(), trace.gpu.size());
}

TEST_F(CaptureLife, AFenceAroundSystemCallsIsNoHarm) { EXPECT_EQ(Record("seccomp", 50).exit_code, 3); }

TEST_F(CaptureLife, AChildThatExecsIsAProcessOfItsOwn) {
  EXPECT_EQ(Record("fork_exec", 40).exit_code, 3);
  const model::Trace trace = Load();
  EXPECT_EQ(trace.gpu.size(), 80U);
  EXPECT_EQ(trace.sources.size(), 2U);
}

TEST_F(CaptureLife, DescriptorsThatTheProgramTookAreLeftAlone) {
  EXPECT_EQ(Record("descriptors", 50).exit_code, 3);
  const model::Trace trace = Load();
  EXPECT_EQ(trace.gpu.size(), 100U);  // its own file is found again by its name
}

TEST_F(CaptureLife, ALimitOnTheSizeOfFilesDoesNotKill) {
  EXPECT_EQ(Record("too_large", 2000).exit_code, 3);
  const model::Trace trace = Load();
  EXPECT_EQ(trace.ledger.Count(LedgerCode::kTruncatedFile), 0U);
}

TEST_F(CaptureLife, ARemovedFolderIsNoHarm) {
  EXPECT_EQ(Record("folder_removed", 100).exit_code, 3);
  fs::create_directories(folder_);
}

TEST_F(CaptureLife, QuickExitIsAnEndInOrder) {
  EXPECT_EQ(Record("quick_exit", 30).exit_code, 7);
  const model::Trace trace = Load();
  EXPECT_EQ(trace.gpu.size(), 30U);
  EXPECT_EQ(trace.ledger.Count(LedgerCode::kKilledProcess), 0U);
}

TEST_F(CaptureLife, ExitInAnotherThreadIsAnEndInOrder) {
  EXPECT_EQ(Record("exit_in_thread", 30).exit_code, 7);
  EXPECT_EQ(Load().gpu.size(), 30U);
}

TEST_F(CaptureLife, AbortAndSignalsKeepTheirStatus) {
  EXPECT_EQ(Record("abort", 10).exit_code, 128 + SIGABRT);
  EXPECT_EQ(Load().ledger.Count(LedgerCode::kKilledProcess), 1U);
}

TEST_F(CaptureLife, ATerminatedProgramKeepsItsStatus) {
  EXPECT_EQ(Record("term", 10).exit_code, 128 + SIGTERM);
  EXPECT_EQ(Load().ledger.Count(LedgerCode::kKilledProcess), 1U);
}

TEST_F(CaptureLife, ACrashKeepsItsStatus) { EXPECT_EQ(Record("segv", 10).exit_code, 128 + SIGSEGV); }

TEST_F(CaptureLife, AnotherFolderIsNoMatter) {
  EXPECT_EQ(Record("chdir", 30).exit_code, 3);
  EXPECT_EQ(Load().gpu.size(), 30U);
}

TEST_F(CaptureLife, AnotherRootIsNoMatter) {
  EXPECT_EQ(Record("chroot", 30).exit_code, 3);
  EXPECT_EQ(Load().gpu.size(), 30U);
}

TEST_F(CaptureLife, ABufferCompletedTwiceIsReadOnce) {
  EXPECT_EQ(Record("twice", 30).exit_code, 3);
  const model::Trace trace = Load();
  EXPECT_EQ(trace.gpu.size(), 30U);
  EXPECT_EQ(trace.ledger.Count(LedgerCode::kRecorderNote), 1U);
}

TEST_F(CaptureLife, ACollectorThatHangsDoesNotHoldTheProgram) {
  ::setenv("FAKE_HANGS", "1", 1);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(Record("kernels", 30).exit_code, 3);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(8));
  const model::Trace trace = Load();
  EXPECT_EQ(trace.ledger.Count(LedgerCode::kRecorderFailure), 1U);
  EXPECT_EQ(trace.ledger.Count(LedgerCode::kKilledProcess), 0U);
}

TEST_F(CaptureLife, AnotherProfilerThatTakesTheBuffersOverIsSuspected) {
  EXPECT_EQ(Record("taken_over", 30).exit_code, 3);
  const model::Trace trace = Load();
  EXPECT_EQ(trace.gpu.size(), 0U);
  EXPECT_EQ(trace.ledger.Count(LedgerCode::kRecorderNote), 1U);
}

TEST_F(CaptureLife, AndSoIsOneThatComesLater) {
  EXPECT_EQ(Record("taken_over_later", 30).exit_code, 3);
  const model::Trace trace = Load();
  EXPECT_EQ(trace.gpu.size(), 30U);
  EXPECT_EQ(trace.ledger.Count(LedgerCode::kRecorderNote), 1U);
}

TEST_F(CaptureLife, RecordsWithoutATimeThatPileUpRestartTheCollection) {
  EXPECT_EQ(Record("pile_of_bad_times", 100).exit_code, 3);
  const model::Trace trace = Load();
  EXPECT_EQ(trace.ledger.Count(LedgerCode::kUntimedRecord), 6000U);
  EXPECT_GE(trace.ledger.Count(LedgerCode::kRecorderFailure), 1U);
  EXPECT_GE(trace.ledger.Count(LedgerCode::kPartlyRecorded), 2U);
}

TEST_F(CaptureLife, ASecondRecordingAtTheSameTimeIsAnotherRun) {
  const fs::path other = folder_.string() + "_other";
  fs::create_directories(other);
  record::Launch launch;
  launch.words = {WS_CAPTURE_HOST, WS_AGENT, WS_FAKE_CUPTI, "kernels", "20"};
  launch.run_folder = other.string();
  launch.agent_path = WS_AGENT;
  ::setenv("WARPSCOPE_RUN", folder_.c_str(), 1);  // as inside a recorded program
  EXPECT_TRUE(record::RunUnderAgent(launch).ok());
  ::unsetenv("WARPSCOPE_RUN");
  const auto trace = import::Load({other.string()});
  ASSERT_TRUE(trace.ok());
  EXPECT_EQ(trace.value().gpu.size(), 20U);
  EXPECT_TRUE(fs::is_empty(folder_));
  fs::remove_all(other);
}

}  // namespace
}  // namespace warpscope
