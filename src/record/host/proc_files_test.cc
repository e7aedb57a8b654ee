#include "record/host/proc_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace warpscope::record::host {
namespace {

TEST(ProcFiles, AThreadsNameMayHoldBracketsAndBlanks) {
  const auto stat =
      ParseStat("12 (a) b (c)) S 7 12 12 0 -1 4194304 1 0 0 0 2 3 0 0 20 0 4 0 98765 1000 10 18446744 4194304 5");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->name, "a) b (c)");
  EXPECT_EQ(stat->state, 'S');
  EXPECT_EQ(stat->parent, 7);
  EXPECT_EQ(stat->threads, 4);
  EXPECT_EQ(stat->start_ticks, 98765);
  EXPECT_EQ(stat->start_code, 4194304U);
  for (const char* broken : {"", "12", "12 (a", "12 a) S 7", "12 (a)", "12 (a) S 7 1 2"})
    EXPECT_FALSE(ParseStat(broken));
}

TEST(ProcFiles, SystemCalls) {
  EXPECT_TRUE(ParseSyscall("running\n")->running);
  EXPECT_EQ(ParseSyscall("202 0x7f 0x80 0x0 0x0 0x0 0x0 0x7ffe 0x7f00\n")->number, 202);
  const auto call = ParseSyscall("202 0x7f 0x80 0x0 0x0 0x0 0x0 0x7ffe 0x7f00\n");
  EXPECT_EQ(call->sp, 0x7ffeU);
  EXPECT_EQ(call->pc, 0x7f00U);
  EXPECT_EQ(ParseSyscall("-1 0x7ffe what\n")->pc, 0U);
  const auto fault = ParseSyscall("-1 0x7ffe 0x7f00\n");
  ASSERT_TRUE(fault);
  EXPECT_FALSE(fault->running);
  EXPECT_FALSE(fault->number);
  EXPECT_FALSE(ParseSyscall(""));
  EXPECT_FALSE(ParseSyscall("what"));
}

TEST(ProcFiles, Counters) {
  const auto counters = ParseSchedStat("123456 789 42\n");
  ASSERT_TRUE(counters);
  EXPECT_EQ(counters->cpu_ns, 123456U);
  EXPECT_EQ(counters->slices, 42U);
  EXPECT_FALSE(ParseSchedStat("1 2"));
}

TEST(ProcFiles, Mappings) {
  const auto maps = ParseMaps(
      "55d0-55e0 r-xp 00001000 08:01 123    /usr/bin/with blank\n"
      "7f00-7f10 rw-p 00000000 00:00 0 \n"
      "7f20-7f10 rw-p 00000000 00:00 0 \n"
      "7ff0-7fff rw-p 00000000 00:00 0      [stack]\n"
      "nonsense\n");
  ASSERT_EQ(maps.size(), 3U);
  EXPECT_EQ(maps[0].path, "/usr/bin/with blank");
  EXPECT_EQ(maps[0].begin, 0x55d0U);
  EXPECT_EQ(maps[0].offset_bytes, 0x1000U);
  EXPECT_TRUE(maps[0].executable);
  EXPECT_EQ(maps[1].path, "");
  EXPECT_EQ(maps[2].path, "");
}

TEST(ProcFiles, CommandLinesAndNumbers) {
  EXPECT_EQ(ParseCommandLine(std::string_view("a\0b c\0\0", 7)), (std::vector<std::string>{"a", "b c", ""}));
  EXPECT_EQ(ParseNumbers("12 13 \n"), (std::vector<int>{12, 13}));
  EXPECT_EQ(ParseNumbers("12 x -4 99999999999 13"), (std::vector<int>{12, 13}));
}

TEST(ProcFiles, ThisProcess) {
  const auto stat = ParseStat(ReadProc(ProcFolder(::getpid()) + "/stat").value_or(""));
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->parent, ::getppid());
  EXPECT_FALSE(ReadProc("/proc/self/there-is-no-such-file"));
}

}  // namespace
}  // namespace warpscope::record::host
