#include "rules/vendor_other_words.h"

#include <gtest/gtest.h>

namespace warpscope::rules {
namespace {

Verdict Launches() {
  Verdict verdict;
  Finding finding;
  finding.actions = {
      {"Capture the repeated part in a CUDA graph.", "g = torch.cuda.CUDAGraph()\nwith torch.cuda.graph(g): step()"},
      {"In CUDA C++: capture the stream once.", "cudaStreamBeginCapture(s, m);"},
      {"Copy from pinned memory.", "x.pin_memory().to(\"cuda\", non_blocking=True)"}};
  verdict.findings.push_back(finding);
  verdict.abstained.push_back(
      {"x", "no device work", "torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])"});
  verdict.abstained.push_back({"y", "no frames", "torch.profiler.profile(..., with_stack=True)"});
  return verdict;
}

TEST(OtherWords, HuaweiSpeaksNpu) {
  Verdict verdict = Launches();
  SpeakOther(model::Vendor::kHuawei, "ascend", verdict);
  const auto& actions = verdict.findings[0].actions;
  ASSERT_EQ(actions.size(), 2U);
  EXPECT_EQ(actions[0].text, "Capture the repeated part in a NPU graph.");
  EXPECT_EQ(actions[0].code, "g = torch.npu.NPUGraph()\nwith torch.npu.graph(g): step()");
  EXPECT_EQ(actions[1].code, "x.pin_memory().to(\"npu\", non_blocking=True)");
  EXPECT_NE(verdict.abstained[0].record_instead.find("torch_npu"), std::string::npos);
  EXPECT_EQ(verdict.abstained[1].record_instead, "torch.profiler.profile(..., with_stack=True)");
}

TEST(OtherWords, IntelDropsWhatItDoesNotHave) {
  Verdict verdict = Launches();
  SpeakOther(model::Vendor::kIntel, "unitrace", verdict);
  for (const Action& action : verdict.findings[0].actions) EXPECT_EQ(action.code.find("cuda"), std::string::npos);
  EXPECT_NE(verdict.abstained[0].record_instead.find("unitrace"), std::string::npos);
}

TEST(OtherWords, NoTorchCodeForAnotherFramework) {
  Verdict verdict = Launches();
  SpeakOther(model::Vendor::kUnknown, "tensorflow", verdict);
  for (const Action& action : verdict.findings[0].actions) EXPECT_EQ(action.code.find("torch"), std::string::npos);
  EXPECT_NE(verdict.abstained[1].record_instead.find("jax.profiler"), std::string::npos);
}

}  // namespace
}  // namespace warpscope::rules
