// C and C++ stacks seen from outside: a program without frame pointers, stripped, with threads, forked.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "host_sampling_fixture.h"

namespace warpscope {
namespace {

using model::HostKind;
using model::kNone;

class NativeStacks : public HostSampling {
 protected:
  // False: the kernel does not permit it here, and the recording says so.
  bool Sampled() { return FactOf("host samples").find("C and C++ stacks") != std::string::npos; }
  // Time of outermost rows whose name holds `part`.
  int64_t TimeIn(const std::string& part) {
    int64_t total_ns = 0;
    for (uint32_t row = 0; row < trace_.host.size(); ++row) {
      const bool is =
          trace_.host.kind[row] == HostKind::kNative && trace_.HostName(row).find(part) != std::string::npos;
      const uint32_t up = trace_.host.parent[row];
      const bool inner = up != kNone && trace_.HostName(up).find(part) != std::string::npos;
      if (is && !inner) total_ns += trace_.host.dur_ns[row];
    }
    return total_ns;
  }
  uint32_t LongestWith(const std::string& part) {
    uint32_t best = kNone;
    for (uint32_t row = 0; row < trace_.host.size(); ++row) {
      if (trace_.HostName(row).find(part) == std::string::npos) continue;
      if (best == kNone || trace_.host.dur_ns[row] > trace_.host.dur_ns[best]) best = row;
    }
    return best;
  }
};

TEST_F(NativeStacks, FunctionsWithoutFramePointersAreNamedAndNested) {
  EXPECT_EQ(Record({WS_NATIVE, "busy", "400"}), 0);
  if (!Sampled()) GTEST_SKIP() << "perf_event_open is not permitted here";
  const uint32_t sort = LongestWith("std::__introsort_loop");
  ASSERT_NE(sort, kNone);
  // A static function, a template, and the line where each begins.
  const std::string chain = Chain(sort);
  EXPECT_NE(chain.find("): shop::Prepare < "), std::string::npos) << chain;
  EXPECT_NE(chain.find("native_calls.cc("), std::string::npos) << chain;
  EXPECT_NE(chain.find("): shop::Server::Run < "), std::string::npos) << chain;
  EXPECT_EQ(chain.substr(chain.rfind("): ")), "): main") << chain;
  EXPECT_GT(TimeIn("): main"), 100 * 1'000'000);
}

TEST_F(NativeStacks, AStrippedProgramTellsItsNameAlone) {
  EXPECT_EQ(Record({WS_STRIPPED, "busy", "400"}), 0);
  if (!Sampled()) GTEST_SKIP() << "perf_event_open is not permitted here";
  EXPECT_GT(TimeIn("[unknown in native_calls_stripped]"), 100 * 1'000'000);
}

TEST_F(NativeStacks, EveryThreadHasItsStack) {
  EXPECT_EQ(Record({WS_NATIVE, "threads", "3", "300"}), 0);
  if (!Sampled()) GTEST_SKIP() << "perf_event_open is not permitted here";
  std::set<uint32_t> threads;
  for (uint32_t row = 0; row < trace_.host.size(); ++row) {
    if (trace_.HostName(row).ends_with("): shop::Burn")) {
      threads.insert(trace_.host.thread[row]);
      EXPECT_NE(Chain(row).find("): shop::Worker"), std::string::npos) << Chain(row);
    }
  }
  EXPECT_EQ(threads.size(), 3U);
}

TEST_F(NativeStacks, ThreadsThatEndLeaveAWholeStream) {
  EXPECT_EQ(Record({WS_NATIVE, "ends", "300"}), 0);
  EXPECT_EQ(trace_.ledger.Count(model::LedgerCode::kTruncatedFile), 0U);
  EXPECT_EQ(trace_.ledger.Count(model::LedgerCode::kBrokenRecord), 0U);
}

TEST_F(NativeStacks, AThreadThatWaitsShowsWhere) {
  EXPECT_EQ(Record({WS_NATIVE, "sleeps", "500"}), 0);
  const uint32_t wait = Longest("clock_nanosleep"), pause = LongestWith("): shop::Pause");
  if (pause == kNone && FactOf("host samples").find(" waits ") == std::string::npos)
    GTEST_SKIP() << "where another process's thread waits is not told here";
  ASSERT_NE(wait, kNone);
  EXPECT_NE(Chain(wait).find("): shop::Pause < "), std::string::npos) << Chain(wait);
}

TEST_F(NativeStacks, AForkedChildHasItsOwn) {
  EXPECT_EQ(Record({WS_NATIVE, "forks", "400"}), 0);
  if (!Sampled()) GTEST_SKIP() << "perf_event_open is not permitted here";
  const uint32_t row = LongestWith("): shop::Burn");
  ASSERT_NE(row, kNone);
  EXPECT_NE(trace_.processes[trace_.threads[trace_.host.thread[row]].process].pid, pid_);
}

}  // namespace
}  // namespace warpscope
