#include "rules/xla_words.h"

#include <gtest/gtest.h>

namespace warpscope::rules {
namespace {

Verdict Sample() {
  Verdict verdict;
  verdict.answer = "The GPU waits.";
  Finding finding;
  finding.title = "The GPU waits 10 % of the step";
  finding.actions = {
      {"Prepare the next step's data in a worker process.", "loader = DataLoader(dataset, num_workers=4)"},
      {"Use CUDA graphs.", "torch.cuda.CUDAGraph()"}};
  finding.verify = "`warpscope gaps FILE` shows no pause.";
  verdict.findings.push_back(finding);
  verdict.abstained.push_back({"x", "no timeline", "torch.profiler with more steps"});
  return verdict;
}

TEST(XlaWords, PyTorchCodeIsLeftOut) {
  Verdict verdict = Sample();
  SpeakXla(verdict);
  EXPECT_EQ(verdict.answer, "The GPU waits.");
  ASSERT_EQ(verdict.findings[0].actions.size(), 2u);
  for (const Action& action : verdict.findings[0].actions) EXPECT_EQ(action.code, "");
  EXPECT_EQ(verdict.findings[0].verify, "`warpscope gaps FILE` shows no pause.");
  EXPECT_EQ(verdict.abstained[0].record_instead, "jax.profiler with more steps");
}

TEST(XlaWords, TpuIsNoGpuAndHasNoCuda) {
  Verdict verdict = Sample();
  verdict.source.producer = "XLA profiler (TPU)";
  SpeakXla(verdict);
  EXPECT_EQ(verdict.answer, "The TPU waits.");
  EXPECT_EQ(verdict.findings[0].actions.size(), 1u);
}

TEST(XlaWords, DeviceByItsName) {
  Verdict verdict = Sample();
  CallDevice("NPU", verdict);
  EXPECT_EQ(verdict.findings[0].title, "The NPU waits 10 % of the step");
}

}  // namespace
}  // namespace warpscope::rules
