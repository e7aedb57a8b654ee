#include "rules/vendor_words.h"

#include <gtest/gtest.h>

namespace warpscope::rules {
namespace {

TEST(VendorWords, WholeWordsAndNamesAreLeftAlone) {
  EXPECT_EQ(InRocmWords("4 warps a multiprocessor; warpscope kernels", false),
            "4 waves a compute unit; warpscope kernels");
  EXPECT_EQ(InRocmWords("softmax_warp_forward in at::native::warp_reduce", false),
            "softmax_warp_forward in at::native::warp_reduce");
  EXPECT_EQ(InRocmWords("Capture it in a CUDA graph.", false), "Capture it in a HIP graph.");
}

TEST(VendorWords, CodeOfPytorchStaysAsItIs) {
  const std::string code = "g = torch.cuda.CUDAGraph()\nx.to(\"cuda\")\ntorch.backends.cudnn.benchmark = True";
  EXPECT_EQ(InRocmWords(code, true), code);
  EXPECT_EQ(InRocmWords("cudaMemcpyAsync(d, h, n, cudaMemcpyHostToDevice, s); cudaMallocHost(&h, n);", true),
            "hipMemcpyAsync(d, h, n, hipMemcpyHostToDevice, s); hipHostMalloc(&h, n);");
  EXPECT_EQ(InRocmWords("cub::BlockReduce<float, 256>(tmp)", true), "hipcub::BlockReduce<float, 256>(tmp)");
}

TEST(VendorWords, AdviceThatDoesNotExistIsTakenOut) {
  Verdict verdict;
  verdict.findings.emplace_back();
  verdict.findings[0].title = "Matrix products run in plain float32: the tensor cores are not used";
  verdict.findings[0].actions = {{"Autocast.", "with torch.autocast(\"cuda\"):"},
                                 {"Or let products use TF32.", "torch.set_float32_matmul_precision(\"high\")"}};
  verdict.abstained = {
      {"r", "no device work", "torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])"}};
  Verdict other = verdict;
  SpeakVendor(model::Vendor::kAmd, "rocprofv3", verdict);
  EXPECT_EQ(verdict.findings[0].actions.size(), 1U);
  EXPECT_EQ(verdict.findings[0].title.find("tensor"), std::string::npos);
  EXPECT_NE(verdict.abstained[0].record_instead.find("rocprofv3"), std::string::npos);
  SpeakVendor(model::Vendor::kNvidia, "kineto", other);
  EXPECT_EQ(other.findings[0].actions.size(), 2U);
  EXPECT_NE(CountersCommandFor(model::Vendor::kAmd, "k").find("rocprof-compute"), std::string::npos);
}

}  // namespace
}  // namespace warpscope::rules
