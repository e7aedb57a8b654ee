#include "import/capture/host_spans.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace warpscope::import::capture {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr model::StringId kMain = 1, kWork = 2, kSleep = 3, kPoll = 10, kFutex = 11;

// Frames: 1 main; 2 main > work; 3 main > sleep; 4 main > work > sleep.
class Samples : public ::testing::Test {
 protected:
  Samples() : spans_([this](const HostSpan& span) { got_.push_back(span); }) {
    spans_.SetPeriod(10 * kMs);
    EXPECT_TRUE(spans_.Define(1, 0, kMain));
    EXPECT_TRUE(spans_.Define(2, 1, kWork));
    EXPECT_TRUE(spans_.Define(3, 1, kSleep));
    EXPECT_TRUE(spans_.Define(4, 2, kSleep));
  }
  void At(int64_t ms, uint64_t frame, wire::ThreadState state = wire::kOnCpu, model::StringId call = model::kNoString) {
    EXPECT_TRUE(spans_.Add(7, {ms * kMs, state, call, frame}));
  }
  // "name kind begin end" in milliseconds, in order of begin.
  std::string Told() {
    spans_.Finish();
    std::sort(got_.begin(), got_.end(), &ComesBefore);
    std::string text;
    for (const HostSpan& span : got_) {
      EXPECT_EQ(span.thread, 7U);
      text += (span.kind == model::HostKind::kOsCall ? "wait " : "") + std::to_string(span.name) + " " +
              std::to_string(span.start_ns / kMs) + "-" + std::to_string(span.end_ns / kMs) + "; ";
    }
    return text;
  }

  std::vector<HostSpan> got_;
  HostSpans spans_;
};

TEST_F(Samples, AFrameLastsFromHalfAPeriodBeforeToHalfAPeriodAfter) {
  At(100, 1);
  At(110, 1);
  EXPECT_EQ(Told(), "1 95-115; ");
}

TEST_F(Samples, NeighboursMeetHalfWayAndShareTheirOuterFrame) {
  At(100, 2);
  At(110, 2);
  At(120, 3);
  EXPECT_EQ(Told(), "1 95-125; 2 95-115; 3 115-125; ");
}

TEST_F(Samples, TheSameNameInAnotherCallerIsAnotherFrame) {
  At(100, 3);
  At(110, 4);
  EXPECT_EQ(Told(), "1 95-115; 3 95-105; 2 105-115; 3 105-115; ");
}

TEST_F(Samples, ARunIsToldByItsEndsHoweverLong) {
  At(100, 1, wire::kWaiting, kPoll);
  At(5000, 1, wire::kStillWaiting, kPoll);
  At(5010, 1);
  EXPECT_EQ(Told(), "1 95-5015; wait 10 95-5005; ");
}

TEST_F(Samples, AThreadThatRanInBetweenWaitsAnew) {
  At(100, 1, wire::kWaiting, kPoll);
  At(110, 1, wire::kWaiting, kPoll);
  At(120, 1, wire::kWaiting, kFutex);
  EXPECT_EQ(Told(), "1 95-125; wait 10 95-105; wait 10 105-115; wait 11 115-125; ");
}

TEST_F(Samples, NothingIsSaidOfUnseenTime) {
  At(100, 1);
  At(100, 0, wire::kUnseen);
  At(300, 1);
  EXPECT_EQ(Told(), "1 95-105; 1 295-305; ");
}

TEST_F(Samples, AThreadWithoutFramesHasItsWaits) {
  At(100, 0, wire::kWaiting, kFutex);
  EXPECT_EQ(Told(), "wait 11 95-105; ");
}

TEST_F(Samples, FramesAreDefinedOnceAndAfterTheirCaller) {
  EXPECT_FALSE(spans_.Define(1, 0, kWork));
  EXPECT_FALSE(spans_.Define(9, 8, kWork));
  EXPECT_FALSE(spans_.Define(9, 9, kWork));
  EXPECT_FALSE(spans_.Define(0, 0, kWork));
  for (uint64_t ref = 10; ref < 3000; ++ref) spans_.Define(ref, ref == 10 ? 1 : ref - 1, kWork);
  At(100, 10 + HostSpans::kMostDepth - 2);
  spans_.Finish();
  EXPECT_EQ(got_.size(), HostSpans::kMostDepth);
}

TEST_F(Samples, TimeThatRunsBackIsRefused) {
  At(100, 1);
  EXPECT_FALSE(spans_.Add(7, {90 * kMs, wire::kOnCpu, model::kNoString, 2}));
  EXPECT_EQ(Told(), "1 95-105; ");
}

}  // namespace
}  // namespace warpscope::import::capture
