// PC sampling, from the fake CUPTI to the rows of a trace.
#include <map>

#include "capture_fixture.h"
#include "wire/counter_plan.h"

namespace warpscope {
namespace {

using model::LedgerCode;

class PcCapture : public Capture {
 protected:
  void SetUp() override {
    Capture::SetUp();
    ::unsetenv("FAKE_PC_REFUSES");
    std::ofstream(folder_ / wire::kCounterPlanName) << "mode stalls\npc-period 12\ncode 1\n";
  }
  using Key = std::tuple<std::string, uint64_t, std::string>;
  static std::map<Key, uint64_t> Samples(const model::Trace& trace) {
    std::map<Key, uint64_t> samples;
    for (const model::PcSample& row : trace.pc_samples)
      samples[{std::string(trace.Text(row.function)), row.offset_bytes, std::string(trace.Text(row.reason))}] +=
          row.samples;
    return samples;
  }
  static uint64_t Count(const model::Trace& trace, LedgerCode code) {
    uint64_t count = 0;
    for (const model::LedgerEntry& entry : trace.ledger.Entries()) count += entry.code == code ? entry.count : 0;
    return count;
  }
  std::vector<std::string> KeptCode() const {
    std::vector<std::string> contents;
    if (!fs::exists(folder_ / wire::kCodeFolder)) return contents;
    for (const auto& entry : fs::directory_iterator(folder_ / wire::kCodeFolder)) {
      std::ifstream file(entry.path(), std::ios::binary);
      contents.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    return contents;
  }
};

constexpr char kLong[] = "smsp__pcsamp_warps_issue_stalled_long_scoreboard";

TEST_F(PcCapture, SamplesAddUpByInstructionAndReasonBesideTheKernels) {
  EXPECT_EQ(Record("pc_stalls", 10).exit_code, 3);
  const model::Trace trace = Load();
  EXPECT_EQ(trace.gpu.size(), 20u);
  const auto samples = Samples(trace);
  ASSERT_EQ(samples.size(), 4u);
  EXPECT_EQ(samples.at({"_Z5chasePKiPi", 0x40, kLong}), 100u);
  EXPECT_EQ(samples.at({"_Z5chasePKiPi", 0x40, "smsp__pcsamp_warps_issue_stalled_selected"}), 20u);
  EXPECT_EQ(samples.at({"_Z5chasePKiPi", 0x80, "smsp__pcsamp_warps_issue_stalled_barrier"}), 40u);
  EXPECT_EQ(samples.at({"sum_kernel", 0x10, kLong}), 60u);
  EXPECT_EQ(trace.pc_samples.size(), 4u);  // deltas of several writes are one row
  ASSERT_GE(trace.pc_windows.size(), 2u);
  uint64_t all = 0, dropped = 0, foreign = 0;
  for (const model::PcWindow& window : trace.pc_windows) {
    EXPECT_EQ(window.period_log2, 12u);
    all += window.samples;
    dropped += window.dropped;
    foreign += window.foreign;
  }
  EXPECT_EQ(dropped, 11u);
  EXPECT_EQ(foreign, 4u);
  EXPECT_EQ(all, 220u + 11 + 4);
  // The code that has samples, and no other.
  EXPECT_EQ(KeptCode(), std::vector<std::string>{"machine code of two kernels"});
}

TEST_F(PcCapture, CodeThatIsUnloadedAndAContextThatEndsLoseNothing) {
  EXPECT_EQ(Record("pc_unload", 9).exit_code, 3);
  const model::Trace trace = Load();
  EXPECT_EQ(Samples(trace).at({"_Z5chasePKiPi", 0x40, kLong}), 9u);
  EXPECT_EQ(KeptCode(), std::vector<std::string>{"short-lived code"});
}

TEST_F(PcCapture, MoreInstructionsThanTheTableHoldsAreWrittenInBetween) {
  EXPECT_EQ(Record("pc_many", 60000).exit_code, 3);
  const model::Trace trace = Load();
  EXPECT_EQ(trace.pc_samples.size(), 60000u);
  for (const model::PcSample& row : trace.pc_samples) ASSERT_EQ(row.samples, 1u);
}

TEST_F(PcCapture, AKillLeavesWhatWasWritten) {
  EXPECT_EQ(Record("pc_killed", 1).signal, SIGKILL);
  EXPECT_EQ(Samples(Load()).at({"_Z5chasePKiPi", 0x40, kLong}), 5u);
}

TEST_F(PcCapture, WithoutPermissionTheReasonIsToldAndTheRestIsRecorded) {
  ::setenv("FAKE_PC_REFUSES", "35", 1);
  EXPECT_EQ(Record("pc_stalls", 2).exit_code, 3);
  ::unsetenv("FAKE_PC_REFUSES");
  const model::Trace trace = Load();
  EXPECT_TRUE(trace.pc_samples.empty());
  EXPECT_EQ(trace.gpu.size(), 4u);
  EXPECT_EQ(Count(trace, LedgerCode::kRecorderFailure), 1u);
}

TEST_F(PcCapture, WithoutAPlanNothingIsSampled) {
  fs::remove(folder_ / wire::kCounterPlanName);
  EXPECT_EQ(Record("pc_stalls", 2).exit_code, 3);
  EXPECT_TRUE(Load().pc_samples.empty());
  EXPECT_TRUE(KeptCode().empty());
}

}  // namespace
}  // namespace warpscope
