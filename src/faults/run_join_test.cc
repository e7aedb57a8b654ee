#include "faults/run_join.h"

#include <gtest/gtest.h>

namespace warpscope::faults {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kStart = 1'737'426'093 * kSecond;  // 2025-01-21 02:21:33 UTC

Report ReportOf(std::string_view text) {
  MachineFacts machine;
  BurstFolder folder;
  Scanner scanner(&machine, [&](Event event) { folder.Add(std::move(event)); });
  scanner.BeginLog("log");
  scanner.Feed(text);
  scanner.EndLog();
  std::vector<Burst> bursts = folder.Take();
  return MakeReport(std::move(bursts), scanner.logs(), std::move(machine), 0, 0);
}

Run SomeRun() {
  Run run;
  run.name = "run";
  run.begin_ns = kStart, run.end_ns = kStart + 10 * kSecond;
  for (int i = 0; i < 10; ++i)
    run.steps.push_back(
        {"ProfilerStep#" + std::to_string(i), kStart + i * kSecond, kStart + i * kSecond + kSecond / 2});
  run.pids = {4711};
  return run;
}

std::string PlaceOfFirst(std::string_view line, const ClockShift& shift = {}) {
  const RunJoin join = JoinRun(ReportOf(line), SomeRun(), shift);
  return join.hits.empty() ? join.notes.empty() ? "" : join.notes[0] : PlaceOf(join.hits[0], join.run);
}

TEST(RunJoin, WhichStepAFaultHit) {
  const std::string xid = "kernel: NVRM: Xid (PCI:0000:3b:00): 13, pid=4711, name=python, Graphics Exception\n";
  EXPECT_EQ(PlaceOfFirst("2025-01-21T02:21:36.250000+00:00 host " + xid),
            "step 4 of 10 (ProfilerStep#3), 250.0 ms into it");
  EXPECT_EQ(PlaceOfFirst("2025-01-21T02:21:36.750000+00:00 host " + xid), "3.8 s into the run, outside of its steps");
  EXPECT_EQ(PlaceOfFirst("2025-01-21T02:21:30.000000+00:00 host " + xid), "3.0 s before the run");
  EXPECT_EQ(PlaceOfFirst("2025-01-21T02:21:45.500000+00:00 host " + xid), "2.5 s after the end of the run");
  // Without a year, and of a zone that is told.
  EXPECT_EQ(PlaceOfFirst("Jan 21 02:21:36 host " + xid), "step 4 of 10 (ProfilerStep#3), 0 us into it");
  EXPECT_EQ(PlaceOfFirst("Jan 21 04:21:36 host " + xid, {.boot_epoch_ns = std::nullopt, .zone_ns = 7200 * kSecond}),
            "step 4 of 10 (ProfilerStep#3), 0 us into it");
  // Since the start of the machine.
  EXPECT_NE(PlaceOfFirst("[  100.250000] NVRM: Xid (PCI:0000:3b:00): 13, pid=4711, x\n").find("could not be placed"),
            std::string::npos);
  EXPECT_EQ(PlaceOfFirst("[  100.250000] NVRM: Xid (PCI:0000:3b:00): 13, pid=4711, x\n",
                         {.boot_epoch_ns = kStart - 98 * kSecond, .zone_ns = 0}),
            "step 3 of 10 (ProfilerStep#2), 250.0 ms into it");
  EXPECT_NE(PlaceOfFirst("2024-01-21T02:21:36.250000+00:00 host " + xid).find("more than an hour"), std::string::npos);
}

TEST(RunJoin, OwnProcesses) {
  const RunJoin join = JoinRun(
      ReportOf("2025-01-21T02:21:36.250000+00:00 h kernel: NVRM: Xid (PCI:0000:3b:00): 13, pid=4711, name=python, x\n"
               "2025-01-21T02:21:37.250000+00:00 h kernel: NVRM: Xid (PCI:0000:4b:00): 31, pid=9, name=other, x\n"),
      SomeRun(), {});
  ASSERT_EQ(join.hits.size(), 2u);
  EXPECT_TRUE(join.hits[0].is_own_process);
  EXPECT_FALSE(join.hits[1].is_own_process);
}

}  // namespace
}  // namespace warpscope::faults
