#include "import/nsys_stats/table.h"

#include <gtest/gtest.h>

#include "import/import.h"

namespace warpscope::import {
namespace {

using model::SummaryKind;

TEST(NsysStatsTest, ReportsOfEveryVersionAreKnown) {
  using nsys_stats::KindOf;
  for (const char* title :
       {" ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):", "/gpukernsum.py]...", "CUDA Kernel Statistics:"})
    EXPECT_EQ(KindOf(title), SummaryKind::kKernel) << title;
  for (const char* title : {" ** CUDA API Summary (cuda_api_sum):", "/cudaapisum.py]", "CUDA API Statistics:"})
    EXPECT_EQ(KindOf(title), SummaryKind::kApiCall) << title;
  for (const char* title : {" ** CUDA GPU MemOps Summary (by Time) (cuda_gpu_mem_time_sum):", "/gpumemtimesum.py]",
                            "CUDA Memory Operation Statistics (by time):"}) {
    EXPECT_EQ(KindOf(title), SummaryKind::kCopy) << title;
  }
  for (const char* title :
       {" ** OS Runtime Summary (osrt_sum):", "/osrtsum.py]", "Operating System Runtime API Statistics:"})
    EXPECT_EQ(KindOf(title), SummaryKind::kOsCall) << title;
  EXPECT_EQ(KindOf(" ** NVTX Range Summary (nvtx_sum):"), SummaryKind::kAnnotation);
  for (const char* title :
       {" ** CUDA GPU MemOps Summary (by Size) (cuda_gpu_mem_size_sum):", "CUDA Kernel Launch & Exec Time Summary",
        " ** CUDA GPU Trace (cuda_gpu_trace):", " ** CUDA Summary (API/Kernels/MemOps) (cuda_api_gpu_sum):"}) {
    EXPECT_EQ(KindOf(title), std::nullopt) << title;
  }
}

TEST(NsysStatsTest, NumbersWithSeparatorsAndUnits) {
  EXPECT_EQ(nsys_stats::Nanoseconds("1,234,567", 1), 1234567);
  EXPECT_EQ(nsys_stats::Nanoseconds("9007199254740993", 1), 9007199254740993);
  EXPECT_EQ(nsys_stats::Nanoseconds("1.5", 1e6), 1500000);
  EXPECT_EQ(nsys_stats::Nanoseconds("-", 1), std::nullopt);
  EXPECT_EQ(nsys_stats::Nanoseconds("1e300", 1), std::nullopt);
  EXPECT_EQ(nsys_stats::Whole("900"), 900u);
}

TEST(NsysStatsTest, OldTextAndCsv) {
  const auto old = LoadBytes(
      "CUDA API Statistics:\n\n Time(%)  Total Time (ns)  Num Calls  Average   Minimum  Maximum          Name       \n"
      " -------  ---------------  ---------  --------  -------  -------  ------------------\n"
      "    80.0      123,456,789         12  10,288.1      500   20,000  cudaLaunchKernel  \n\n",
      "old.txt");
  ASSERT_TRUE(old.ok()) << old.status().message();
  ASSERT_EQ(old.value().summaries.size(), 1u);
  const model::SummaryRow& row = old.value().summaries[0];
  EXPECT_EQ(row.kind, SummaryKind::kApiCall);
  EXPECT_EQ(old.value().Text(row.name), "cudaLaunchKernel");
  EXPECT_EQ(row.total_ns, 123456789);
  EXPECT_EQ(row.count, 12u);
  EXPECT_EQ(row.min_ns, 500);
  EXPECT_EQ(row.max_ns, 20000);

  const auto csv = LoadBytes(
      "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
      "90.0,9000,3,3000.0,3000.0,2000,4000,1.0,\"void f<int, float>(x)\"\n",
      "k.csv");
  ASSERT_TRUE(csv.ok()) << csv.status().message();
  ASSERT_EQ(csv.value().summaries.size(), 1u);
  EXPECT_EQ(csv.value().summaries[0].kind, SummaryKind::kKernel);
  EXPECT_EQ(csv.value().Text(csv.value().summaries[0].name), "void f<int, float>(x)");
}

}  // namespace
}  // namespace warpscope::import
