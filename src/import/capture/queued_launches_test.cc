#include "import/capture/queued_launches.h"

#include <gtest/gtest.h>

#include <map>

namespace warpscope::import::capture {
namespace {

class QueuedLaunchesTest : public ::testing::Test {
 protected:
  // A kernel of 2 us that the device took `wait_ns` after the host had queued it.
  void Add(int64_t queued_ns, int64_t wait_ns) {
    launches_.Add({++correlation_, queued_ns, queued_ns + wait_ns, queued_ns + wait_ns + 2'000});
  }
  const model::HostTable& Rows() {
    launches_.Finish(state_);
    trace_.Finish();
    return trace_.host;
  }
  int64_t TidOf(uint32_t row) const { return trace_.threads[trace_.host.thread[row]].tid; }

  wire::FileHeader header_{.pid = 50};
  model::Trace trace_;
  State state_{&trace_, "50.capture", header_};
  QueuedLaunches launches_;
  uint64_t correlation_ = 0;
};

TEST_F(QueuedLaunchesTest, ACallEndsBeforeTheDeviceHasTime) {
  for (int i = 0; i < 100; ++i) Add(i * 10'000, i < 50 ? 3'500 : 400'000);  // then the device falls behind
  const model::HostTable& rows = Rows();
  ASSERT_EQ(rows.size(), 100U);
  for (uint32_t row = 0; row < rows.size(); ++row) {
    EXPECT_EQ(rows.dur_ns[row], row < 50 ? 3'500 : 7'000) << row;
    EXPECT_EQ(TidOf(row), 50);
  }
}

TEST_F(QueuedLaunchesTest, ACallEndsWhereTheNextOneBegins) {
  for (int i = 0; i < 100; ++i) Add(i * 2'000, 3'500);
  const model::HostTable& rows = Rows();
  for (uint32_t row = 0; row + 1 < rows.size(); ++row) EXPECT_EQ(rows.dur_ns[row], 2'000);
}

TEST_F(QueuedLaunchesTest, TheLastLaunchBeforeTheEpochHasItsLength) {
  Add(-1'000'000'000, 3'500);
  EXPECT_EQ(Rows().dur_ns[0], 3'500);
}

TEST_F(QueuedLaunchesTest, AFullQueueHoldsTheCaller) {
  for (int i = 0; i < 1500; ++i) Add(int64_t{i} * 100'000, i < 20 ? 3'500 : 200'000'000);
  const model::HostTable& rows = Rows();
  EXPECT_EQ(rows.dur_ns[500], rows.dur_ns[900]);
  EXPECT_EQ(rows.dur_ns[1400], 100'000);  // until the next call
}

TEST_F(QueuedLaunchesTest, TheNearestCallTellsTheThread) {
  const uint32_t main = state_.to.Thread(state_.process, 50), other = state_.to.Thread(state_.process, 51);
  state_.issuing_calls = {{0, 1'000, main}, {50'000, 51'000, other}, {90'000, 99'000, main}};
  Add(2'000, 3'500);    // after a call of the main thread
  Add(45'000, 3'500);   // before one of the other
  Add(60'000, 3'500);   // after it
  Add(95'000, 3'500);   // the main thread is busy
  Add(200'000, 3'500);  // after all
  const model::HostTable& rows = Rows();
  ASSERT_EQ(rows.size(), 5U);
  std::map<int64_t, int64_t> tid_at;
  for (uint32_t row = 0; row < rows.size(); ++row) tid_at[rows.start_ns[row]] = TidOf(row);
  EXPECT_EQ(tid_at[2'000], 50);
  EXPECT_EQ(tid_at[45'000], 51);
  EXPECT_EQ(tid_at[60'000], 51);
  EXPECT_EQ(tid_at[200'000], 50);
}

TEST_F(QueuedLaunchesTest, ARecordedLaunchNeedsNoOther) {
  state_.launch_recorded.insert(1);
  Add(1'000, 3'500);
  Add(20'000, 3'500);
  EXPECT_EQ(Rows().size(), 1U);
}

}  // namespace
}  // namespace warpscope::import::capture
