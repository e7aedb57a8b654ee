#include "rules/program_words.h"

#include <gtest/gtest.h>

#include "model/testing/trace_builder.h"

namespace warpscope::rules {
namespace {

TEST(ProgramWordsTest, PythonIsSeenInFramesOperatorsKernelsAndNames) {
  model::testing::TraceBuilder cuda;
  cuda.Launch("void stencil<float>(float*)", 0, 10, 20, 30);
  EXPECT_FALSE(IsPythonProgram(cuda.Finish()));
  model::testing::TraceBuilder torch;
  torch.Launch("void at::native::vectorized_elementwise_kernel<4>()", 0, 10, 20, 30);
  EXPECT_TRUE(IsPythonProgram(torch.Finish()));
  model::testing::TraceBuilder op;
  op.AddOp("aten::mul", 0, 10);
  EXPECT_TRUE(IsPythonProgram(op.Finish()));
  model::testing::TraceBuilder named;
  named.trace().processes[0].name = named.trace().strings.Intern("python3.11");
  EXPECT_TRUE(IsPythonProgram(named.Finish()));
}

TEST(ProgramWordsTest, PythonIsSeenInMangledNamesAndInTheCommand) {
  model::testing::TraceBuilder mangled;
  mangled.Launch("_ZN2at6native18elementwise_kernelILi128E", 0, 10, 20, 30);
  EXPECT_TRUE(IsPythonProgram(mangled.Finish()));
  for (const auto& [command, python] : {std::pair{"python3 train.py", true}, std::pair{"./solver python.cfg", false}}) {
    model::testing::TraceBuilder recorded;
    recorded.Launch("stencil", 0, 10, 20, 30);
    model::Reading fact;
    fact.name = recorded.trace().strings.Intern("command");
    fact.text = recorded.trace().strings.Intern(command);
    recorded.trace().readings.push_back(fact);
    EXPECT_EQ(IsPythonProgram(recorded.Finish()), python) << command;
  }
}

Verdict Sample() {
  Verdict verdict;
  Finding finding;
  finding.actions = {{"Leave out torch.cuda.synchronize() in the loop.", "torch.cuda.Event()"},
                     {"In CUDA C++: wait for an event.", "cudaEventRecord(done, s);"},
                     {"Save rarely.", "if step % 1000 == 0: save()"},
                     {"Measure it.", "ncu --set full <program>"}};
  verdict.findings.push_back(finding);
  verdict.abstained = {
      {"gc_pause", "no frames", "torch.profiler.profile(..., with_stack=True)"},
      {"memory_leak", "no memory events", "torch.profiler.profile(..., profile_memory=True), at least 4 steps"}};
  verdict.breakdown = {{"dispatch", "idle: CPU runs framework code around launches", 1, 1, false}};
  return verdict;
}

TEST(ProgramWordsTest, WithoutPythonOnlyItsOwnRemediesStand) {
  Verdict verdict = Sample();
  SpeakOfProgram(false, "nsys", verdict);
  const auto& actions = verdict.findings[0].actions;
  ASSERT_EQ(actions.size(), 3u);
  EXPECT_EQ(actions[0].text, "Wait for an event.");
  EXPECT_EQ(actions[0].code, "cudaEventRecord(done, s);");
  EXPECT_EQ(actions[1].text, "Save rarely.");
  EXPECT_EQ(actions[1].code, "");
  EXPECT_EQ(actions[2].code, "ncu --set full <program>");
  ASSERT_EQ(verdict.abstained.size(), 1u);
  EXPECT_EQ(verdict.abstained[0].record_instead, "nsys profile --cuda-memory-usage=true <program>");
  EXPECT_EQ(verdict.breakdown[0].label, "idle: CPU runs its own code around launches");
}

TEST(ProgramWordsTest, PythonProgramsKeepEveryWord) {
  Verdict verdict = Sample();
  SpeakOfProgram(true, "kineto", verdict);
  EXPECT_EQ(verdict.findings[0].actions.size(), 4u);
  EXPECT_EQ(verdict.abstained.size(), 2u);
  EXPECT_EQ(verdict.abstained[1].record_instead, "torch.profiler.profile(..., profile_memory=True), at least 4 steps");
}

}  // namespace
}  // namespace warpscope::rules
