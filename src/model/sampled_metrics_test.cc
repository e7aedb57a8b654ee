#include "model/sampled_metrics.h"

#include <gtest/gtest.h>

namespace warpscope::model {
namespace {

TEST(SampledMetrics, NamesOfAllFamiliesMeanTheSame) {
  EXPECT_EQ(SampledQuantityOf("SM_A.TriageSCG.sm__cycles_active.avg.pct_of_peak_sustained_elapsed"),
            SampledQuantity::kSmActive);
  EXPECT_EQ(
      SampledQuantityOf("TPC.TriageCompute.tpc__warps_active_shader_cs_realtime.avg.pct_of_peak_sustained_elapsed"),
      SampledQuantity::kWarpsActive);
  EXPECT_EQ(SampledQuantityOf("dram__write_throughput.avg.pct_of_peak_sustained_elapsed"), SampledQuantity::kDramWrite);
  EXPECT_EQ(SampledQuantityOf("LTS.TriageCompute.lts__average_t_sector_hit_rate_realtime.pct"),
            SampledQuantity::kL2Hit);
  EXPECT_FALSE(SampledQuantityOf("sm__cycles_active_shader_ps.avg"));
  EXPECT_FALSE(SampledQuantityOf(""));
}

TEST(SampledMetrics, ARatioNamesWhatItIsAShareOf) {
  EXPECT_EQ(InfoOf(SampledQuantity::kL2Hit).weight, SampledQuantity::kL2);
  EXPECT_EQ(InfoOf(SampledQuantity::kSmActive).weight, SampledQuantity::kCount);
}

}  // namespace
}  // namespace warpscope::model
