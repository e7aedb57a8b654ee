#include "import/capture/cupti_words.h"

#include <gtest/gtest.h>

namespace warpscope::import::capture {
namespace {

TEST(CuptiWords, NamesOfCallsLoseVersionAndForm) {
  EXPECT_EQ(WithoutVersion("cudaMemcpyAsync_v3020"), "cudaMemcpyAsync");
  EXPECT_EQ(WithoutVersion("cudaMemcpyAsync_ptsz_v7000"), "cudaMemcpyAsync");
  EXPECT_EQ(WithoutVersion("cudaMemcpy_ptds_v7000"), "cudaMemcpy");
  EXPECT_EQ(WithoutVersion("cuLaunchKernelEx_ptsz"), "cuLaunchKernelEx");
  EXPECT_EQ(WithoutVersion("cuMemcpyHtoD_v2"), "cuMemcpyHtoD_v2");  // a name of the driver's, not a version of CUPTI's
  EXPECT_EQ(WithoutVersion("_v"), "_v");
  EXPECT_EQ(WithoutVersion(""), "");
}

TEST(CuptiWords, StaticMemoryIsMemory) {
  EXPECT_EQ(MemoryKindOf(6), model::MemoryKind::kDevice);
  EXPECT_EQ(MemoryKindOf(7), model::MemoryKind::kManaged);
  EXPECT_EQ(MemoryKindOf(99), model::MemoryKind::kUnknown);
}

}  // namespace
}  // namespace warpscope::import::capture
