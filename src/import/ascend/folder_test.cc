#include "import/ascend/folder.h"

#include <gtest/gtest.h>

namespace warpscope::import::ascend {
namespace {

TEST(AscendFolder, FilesOfOneRecordingSayTheSame) {
  const std::string run = PartOf("out/host_12_2025_ascend_pt/profiler_info_0.json");
  EXPECT_EQ(run, "ascend:out/host_12_2025_ascend_pt");
  EXPECT_EQ(PartOf("out/host_12_2025_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json"), run);
  EXPECT_EQ(PartOf("out/host_12_2025_ascend_pt/PROF_1/mindstudio_profiler_output/op_summary_1.csv"), run);
  EXPECT_NE(PartOf("out/host_13_2025_ascend_pt/profiler_info_0.json"), run);
}

TEST(AscendFolder, MsprofAloneAndRelativePaths) {
  EXPECT_EQ(PartOf("PROF_7/mindstudio_profiler_output/msprof_2.json"), "ascend:PROF_7");
  EXPECT_EQ(PartOf("ASCEND_PROFILER_OUTPUT/trace_view.json"), "ascend:.");
  EXPECT_EQ(PartOf("/a/ASCEND_PROFILER_OUTPUT/trace_view.json"), "ascend:/a");
  EXPECT_EQ(PartOf("kernel_details.csv"), "");
  EXPECT_EQ(PartOf("/tmp/x/kernel_details.csv"), "");
}

TEST(AscendFolder, RankInFileName) {
  EXPECT_EQ(RankInFileName("a_ascend_pt/profiler_info_3.json"), 3);
  EXPECT_EQ(RankInFileName("ascend_pytorch_profiler_12.db"), 12);
  EXPECT_EQ(RankInFileName("ascend_pytorch_profiler.db"), std::nullopt);
  EXPECT_EQ(RankInFileName("profiler_info.json"), std::nullopt);
}

}  // namespace
}  // namespace warpscope::import::ascend
