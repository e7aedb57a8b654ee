#include "import/ncu/units.h"

#include <gtest/gtest.h>

namespace warpscope::import::ncu {
namespace {

TEST(MetricUnit, OfCounters) {
  EXPECT_EQ(MetricUnit("gpu__time_duration.sum"), "ns");
  EXPECT_EQ(MetricUnit("dram__bytes_read.sum"), "byte");
  EXPECT_EQ(MetricUnit("dram__bytes_read.sum.per_second"), "byte/s");
  EXPECT_EQ(MetricUnit("dram__bytes.avg.peak_sustained"), "byte/cycle");
  EXPECT_EQ(MetricUnit("dram__bytes.sum.pct_of_peak_sustained_elapsed"), "%");
  EXPECT_EQ(MetricUnit("sm__cycles_elapsed.avg.per_second"), "hz");
  EXPECT_EQ(MetricUnit("sm__cycles_active.max"), "cycle");
  EXPECT_EQ(MetricUnit("sm__inst_executed.avg.per_cycle_active"), "inst/cycle");
  EXPECT_EQ(MetricUnit("sm__warps_active.avg.per_cycle_active"), "warp");
  EXPECT_EQ(MetricUnit("smsp__issue_active.avg.per_cycle_active"), "");
  EXPECT_EQ(MetricUnit("lts__t_sectors_srcunit_tex_lookup_miss.sum"), "sector");
  EXPECT_EQ(MetricUnit("lts__t_sectors.avg.peak_sustained_elapsed"), "sector");
  EXPECT_EQ(MetricUnit("lts__t_requests_srcunit_tex.sum"), "request");
  EXPECT_EQ(MetricUnit("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"), "");
  EXPECT_EQ(MetricUnit("TPC.TriageCompute.sm__inst_executed_realtime.avg.per_cycle_active"), "inst/cycle");
}

TEST(MetricUnit, OfEverythingElse) {
  EXPECT_EQ(MetricUnit("launch__registers_per_thread"), "register/thread");
  EXPECT_EQ(MetricUnit("launch__shared_mem_per_block_static"), "byte/block");
  EXPECT_EQ(MetricUnit("launch__grid_size"), "");
  EXPECT_EQ(MetricUnit("smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio"), "byte/sector");
  EXPECT_EQ(MetricUnit("smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct"), "%");
  EXPECT_EQ(MetricUnit("smsp__average_warps_issue_stalled_wait_per_issue_active.ratio"), "inst");
  EXPECT_EQ(MetricUnit("l1tex__t_sector_hit_rate.pct"), "%");
  EXPECT_EQ(MetricUnit(""), "");
  EXPECT_EQ(MetricUnit("..."), "");
  EXPECT_EQ(MetricUnit("regex:sm__.*"), "");
}

TEST(BaseUnit, UndoesScaling) {
  const auto expect = [](std::string_view printed, std::string_view unit, double factor) {
    const ScaledUnit scaled = BaseUnit(printed);
    EXPECT_EQ(scaled.unit, unit) << printed;
    EXPECT_DOUBLE_EQ(scaled.factor, factor) << printed;
  };
  expect("Mbyte", "byte", 1e6);
  expect("Gbyte/s", "byte/s", 1e9);
  expect("Gbyte/second", "byte/s", 1e9);
  expect("usecond", "ns", 1e3);
  expect("ms", "ns", 1e6);
  expect("Ghz", "hz", 1e9);
  expect("cycle/nsecond", "hz", 1e9);
  expect("cycle/usecond", "hz", 1e6);
  expect("Kbyte/block", "byte/block", 1e3);
  expect("sector/us", "sector/s", 1e6);
  expect("inst/cycle", "inst/cycle", 1);
  expect("%", "%", 1);
  expect("", "", 1);
  expect("/", "/", 1);
}

}  // namespace
}  // namespace warpscope::import::ncu
