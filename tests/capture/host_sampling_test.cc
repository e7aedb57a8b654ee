// The host seen from outside: real programs under the sampler, and what the importer makes of its stream.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "host_sampling_fixture.h"
#include "import/import.h"
#include "record/host/host_sampler.h"
#include "record/launch.h"

namespace warpscope {
namespace {

using model::HostKind;
using model::LedgerCode;

constexpr int64_t kMs = 1'000'000;

TEST_F(HostSampling, FramesAreNamedAndNested) {
  const auto told = [&] {
    const uint32_t sleep = Longest("nested_calls.py(9): c");
    return sleep != model::kNone && trace_.host.dur_ns[sleep] > 300 * kMs && trace_.host.dur_ns[sleep] < 3000 * kMs &&
           TimeOf("nested_calls.py(25): compute", HostKind::kPython) > 300 * kMs;
  };
  EXPECT_EQ(RecordUntil({WS_PYTHON, Program("nested_calls.py")}, 200, told), 0);
  const uint32_t wait = Longest("clock_nanosleep");
  const uint32_t sleep = Longest("nested_calls.py(9): c");
  ASSERT_NE(sleep, model::kNone);
  EXPECT_EQ(Chain(sleep),
            "nested_calls.py(9): c < nested_calls.py(13): b < nested_calls.py(17): a < nested_calls.py(43): main < "
            "nested_calls.py(1): <module>");
  EXPECT_EQ(trace_.host.kind[sleep], HostKind::kPython);
  EXPECT_EQ(trace_.threads[trace_.host.thread[sleep]].tid, pid_);
  // It sleeps 600 ms; a busy machine samples late.
  EXPECT_GT(trace_.host.dur_ns[sleep], 300 * kMs);
  EXPECT_LT(trace_.host.dur_ns[sleep], 3000 * kMs);
  ASSERT_NE(wait, model::kNone);
  EXPECT_EQ(trace_.host.kind[wait], HostKind::kOsCall);
  EXPECT_NE(Chain(wait).find("clock_nanosleep < nested_calls.py("), std::string::npos) << Chain(wait);
  // A thread that computes shows its function all the while, and a generator stands inside its consumer.
  EXPECT_GT(TimeOf("nested_calls.py(25): compute", HostKind::kPython), 300 * kMs);
  const uint32_t generator = Longest("nested_calls.py(32): values");
  ASSERT_NE(generator, model::kNone);
  EXPECT_NE(Chain(generator).find("values < nested_calls.py(38): consume < threading.py("), std::string::npos)
      << Chain(generator);
}

TEST_F(HostSampling, RowsOfAThreadNeverOverlapInPart) {
  Record({WS_PYTHON, Program("nested_calls.py")}, 500);
  const model::HostTable& host = trace_.host;
  ASSERT_GT(host.size(), 5U);
  for (uint32_t row = 1; row < host.size(); ++row) {
    for (uint32_t before = row > 64 ? row - 64 : 0; before < row; ++before) {
      if (host.thread[row] != host.thread[before] || host.start_ns[row] >= host.end_ns(before)) continue;
      EXPECT_LE(host.end_ns(row), host.end_ns(before)) << trace_.HostName(row) << " in " << trace_.HostName(before);
    }
  }
}

TEST_F(HostSampling, TheStreamSaysThatItIsSampled) {
  Record({WS_PYTHON, Program("nested_calls.py")});
  EXPECT_GT(trace_.ledger.Count(LedgerCode::kSampledHost), 0U);
  EXPECT_NE(DetailOf(LedgerCode::kSampledHost).find("5000 us"), std::string::npos)
      << DetailOf(LedgerCode::kSampledHost);
  const auto source = std::find_if(trace_.sources.begin(), trace_.sources.end(),
                                   [](const model::Source& s) { return s.sample_period_ns.value_or(0) > 0; });
  ASSERT_NE(source, trace_.sources.end());
  EXPECT_EQ(*source->sample_period_ns, 5 * kMs);
  EXPECT_NE(FactOf("host samples").find("every 5.000 ms"), std::string::npos) << FactOf("host samples");
}

TEST_F(HostSampling, WorkersAndCommandsAreFollowedAndSecretsAreNot) {
  EXPECT_EQ(Record({WS_PYTHON, Program("workers.py")}), 0);
  // 600 ms; a busy machine finds new processes late.
  EXPECT_GT(TimeOf("workers.py(9): __getitem__", HostKind::kPython), 100 * kMs);
  std::map<int64_t, int> processes;
  for (uint32_t row = 0; row < trace_.host.size(); ++row) {
    if (trace_.HostName(row) == "workers.py(9): __getitem__")
      ++processes[trace_.processes[trace_.threads[trace_.host.thread[row]].process].pid];
  }
  EXPECT_EQ(processes.size(), 2U);
  EXPECT_FALSE(processes.contains(pid_));
  const std::string facts = FactOf("processes");
  EXPECT_EQ(facts.substr(0, facts.find(' ')), "4") << facts;
  EXPECT_NE(facts.find("0 used CUDA"), std::string::npos) << facts;
  EXPECT_NE(ProcessNames().find("--token ***"), std::string::npos) << ProcessNames();
  EXPECT_EQ(ProcessNames().find("hunter2"), std::string::npos);
  // What the main process did meanwhile: it read from the queue's pipe.
  EXPECT_GT(TimeOf("read", HostKind::kOsCall), 100 * kMs);
}

TEST_F(HostSampling, AProgramThatStartsItselfAnewIsReadAnew) {
  EXPECT_EQ(Record({WS_PYTHON, Program("anew.py")}), 0);
  EXPECT_GT(TimeOf("anew.py(7): before", HostKind::kPython), 100 * kMs);
  EXPECT_GT(TimeOf("anew.py(11): after", HostKind::kPython), 100 * kMs);
}

TEST_F(HostSampling, ALockIsWaitedFor) {
  EXPECT_EQ(Record({WS_PYTHON, Program("locked.py")}), 0);
  const uint32_t wait = Longest("futex");
  ASSERT_NE(wait, model::kNone);
  EXPECT_EQ(Chain(wait).substr(0, 35), "futex < locked.py(13): wait_for_loc") << Chain(wait);
  EXPECT_GT(trace_.host.dur_ns[wait], 400 * kMs);
}

TEST_F(HostSampling, AProgramWithoutPythonHasItsWaits) {
  const auto waited_ms = [&] { return static_cast<double>(TimeOf("clock_nanosleep", HostKind::kOsCall)) / kMs; };
  EXPECT_EQ(RecordUntil({WS_HIDDEN, "open"}, 200, [&] { return waited_ms() > 200 && waited_ms() < 400; }), 5);
  EXPECT_NEAR(waited_ms(), 300, 100);
  EXPECT_EQ(trace_.ledger.Count(LedgerCode::kTruncatedFile), 0U);
}

TEST_F(HostSampling, AProcessThatEndsAtOnceLeavesAWholeStream) {
  EXPECT_EQ(Record({"/bin/true"}), 0);
  EXPECT_EQ(trace_.ledger.Count(LedgerCode::kTruncatedFile), 0U);
  EXPECT_EQ(trace_.ledger.Count(LedgerCode::kKilledProcess), 0U);
}

TEST_F(HostSampling, AProcessThatForbidsReadingRunsOn) { EXPECT_EQ(Record({WS_HIDDEN, "hidden"}), 5); }

TEST_F(HostSampling, WaitsAreExactWhereTheKernelTellsSwitches) {
  const auto told = [&] {
    const uint32_t wait = Longest("clock_nanosleep");
    return wait != model::kNone && trace_.host.dur_ns[wait] > 500 * kMs && trace_.host.dur_ns[wait] < 610 * kMs;
  };
  RecordUntil({WS_PYTHON, Program("nested_calls.py")}, 50, told);
  if (trace_.sources.size() < 2) GTEST_SKIP() << "perf_event_open is not permitted here";
  const uint32_t wait = Longest("clock_nanosleep");
  ASSERT_NE(wait, model::kNone);
  // It may have begun before the thread was found.
  EXPECT_GT(trace_.host.dur_ns[wait], 500 * kMs);
  EXPECT_LT(trace_.host.dur_ns[wait], 610 * kMs);
  EXPECT_NE(Chain(wait).find("clock_nanosleep < nested_calls.py(9): c <"), std::string::npos) << Chain(wait);
}

TEST_F(HostSampling, TheSamplerKeepsToItsShare) {
  record::host::HostSampler sampler(folder_.string(), {.hz = 1000, .most_cpu_ratio = 0.0001});
  record::Launch launch;
  launch.words = {WS_PYTHON, Program("nested_calls.py"), "2"};
  launch.run_folder = folder_.string();
  launch.on_started = [&](int pid) { sampler.Start(pid); };
  ASSERT_TRUE(record::RunUnderAgent(launch).ok());
  sampler.Stop();
  auto trace = import::Load({folder_.string()});
  ASSERT_TRUE(trace.ok());
  trace_ = std::move(trace).value();
  EXPECT_NE(FactOf("host samples").find("to stay cheap"), std::string::npos) << FactOf("host samples");
}

}  // namespace
}  // namespace warpscope
