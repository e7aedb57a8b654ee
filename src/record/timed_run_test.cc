#include "record/timed_run.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <fstream>

namespace warpscope::record {
namespace {

TimedRun Shell(const std::string& script) {
  TimedRun run;
  run.words = {"/bin/sh", "-c", script};
  return run;
}

pid_t NumberIn(const std::string& text) {
  pid_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

bool IsGone(pid_t process) {
  for (int i = 0; i < 200; ++i) {  // what is killed goes in its own time
    std::ifstream state("/proc/" + std::to_string(process) + "/stat");
    std::string id, name, letter;
    if (!(state >> id >> name >> letter) || letter == "Z") return true;
    ::usleep(10'000);
  }
  return false;
}

TEST(RunTimed, NothingOutlivesTheTimeLimit) {
  TimedRun run = Shell("sleep 30 & echo $!; trap '' TERM; sleep 30; sleep 30");
  run.timeout_ns = 300'000'000;
  const auto end = RunTimed(run);
  ASSERT_TRUE(end.ok());
  EXPECT_TRUE(end.value().timed_out);
  EXPECT_TRUE(IsGone(NumberIn(end.value().tail)));
}

TEST(RunTimed, NothingRunsOnBesideTheNextRun) {
  const auto end = RunTimed(Shell("sleep 30 & echo $!"));
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end.value().exit_code, 0);
  EXPECT_TRUE(IsGone(NumberIn(end.value().tail)));
}

TEST(RunTimed, ASessionOfItsOwnDoesNotEscape) {
  TimedRun run = Shell("setsid sh -c 'setsid sleep 30 & echo $!; sleep 30' & sleep 30");
  run.timeout_ns = 500'000'000;
  const auto late = RunTimed(run);
  ASSERT_TRUE(late.ok());
  EXPECT_TRUE(late.value().timed_out);
  ASSERT_GT(NumberIn(late.value().tail), 0);
  EXPECT_TRUE(IsGone(NumberIn(late.value().tail)));
  const auto early = RunTimed(Shell("setsid sh -c 'echo $$; exec sleep 30' & sleep 0.2"));
  ASSERT_TRUE(early.ok());
  ASSERT_GT(NumberIn(early.value().tail), 0);
  EXPECT_TRUE(IsGone(NumberIn(early.value().tail)));
}

TEST(RunTimed, ChildrenThatWeHadBeforeAreLeftAlone) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  ASSERT_TRUE(RunTimed(Shell("true")).ok());
  EXPECT_EQ(::waitpid(child, nullptr, WNOHANG), 0);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST(RunTimed, StepsThatNoStepCanTakeAreCounted) {
  const auto end = RunTimed(Shell("printf '5\\n1e308\\nhello\\n\\n-3\\n6\\n1e-9\\n' >> $WARPSCOPE_STEP_TIMES"));
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end.value().step_ms, (std::vector<double>{5, 6}));
  EXPECT_EQ(end.value().unread_steps, 4u);
  EXPECT_EQ(end.value().unread_line, "1e308");
}

TEST(RunTimed, OnlyLinesWithTheMetricAreExpectedToTellSteps) {
  TimedRun run = Shell("echo starting; echo 'step: 5'; echo 'step: nan'; echo 'step: 1e300 s'; echo done");
  run.metric = "step:";
  const auto end = RunTimed(run);
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end.value().step_ms, std::vector<double>{5});
  EXPECT_EQ(end.value().unread_steps, 2u);
}

TEST(RunTimed, HalfOfANumberIsNoTime) {
  EXPECT_FALSE(MetricIn("step time: 1,250.5", "step time:"));
  EXPECT_FALSE(MetricIn("step time: 5,3 ms", "step time:"));
  EXPECT_EQ(MetricIn("step time: 12.5, loss 3", "step time:"), 12.5);
  EXPECT_EQ(MetricIn("step time: 12, loss 3", "step time:"), 12);
}

TEST(RunTimed, ASignalIsNamed) {
  EXPECT_EQ(HowItEnded(139, SIGSEGV), "was ended by signal 11 (Segmentation fault)");
  EXPECT_EQ(HowItEnded(139, std::nullopt), "failed with exit status 139 (128 + 11: Segmentation fault)");
  EXPECT_EQ(HowItEnded(3, std::nullopt), "failed with exit status 3");
  EXPECT_EQ(HowItEnded(255, std::nullopt), "failed with exit status 255");
}

TEST(RunTimed, StepsFromTheFile) {
  const auto end = RunTimed(Shell("echo 5 >> $WARPSCOPE_STEP_TIMES; echo '6.5 ms' >> $WARPSCOPE_STEP_TIMES"));
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end.value().step_ms, (std::vector<double>{5, 6.5}));
}

TEST(RunTimed, AStepFileThatWasReplacedIsNotRead) {
  for (const char* other : {"mkfifo $WARPSCOPE_STEP_TIMES", "ln -s /dev/zero $WARPSCOPE_STEP_TIMES",
                            "mkdir $WARPSCOPE_STEP_TIMES; rmdir $WARPSCOPE_STEP_TIMES"}) {
    const auto end = RunTimed(Shell(std::string("rm -f $WARPSCOPE_STEP_TIMES; ") + other));
    ASSERT_TRUE(end.ok());
    EXPECT_TRUE(end.value().step_ms.empty()) << other;
  }
}

TEST(RunTimed, ASignalToUsEndsTheProgram) {
  const pid_t self = ::getpid();
  const auto end = RunTimed(Shell("kill -TERM " + std::to_string(self) + "; sleep 30"));
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end.value().signal, SIGTERM);
}

}  // namespace
}  // namespace warpscope::record
