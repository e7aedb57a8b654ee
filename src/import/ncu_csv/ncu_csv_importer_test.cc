#include "import/ncu_csv/ncu_csv_importer.h"

#include <gtest/gtest.h>

#include "import/import.h"
#include "import/ncu_csv/labels.h"
#include "import/ncu_csv/pages.h"
#include "import/ncu_csv/skip_chatter.h"

namespace warpscope::import::ncu_csv {
namespace {

constexpr std::string_view kHeader =
    R"("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value","Rule Name","Rule Type","Rule Description","Estimated Speedup Type","Estimated Speedup")";

std::string Row(std::string_view id, std::string_view name, std::string_view tail) {
  return "\"" + std::string(id) + "\",\"9\",\"app\",\"h\",\"" + std::string(name) +
         "\",\"1\",\"7\",\"(32, 4, 1)\",\"(224, 1, 1)\",\"0\",\"9.0\"," + std::string(tail) + "\n";
}

model::MetricValue ValueOf(const model::Trace& trace, const model::KernelProfile& profile, std::string_view name) {
  for (uint32_t row = profile.metric_begin; row < profile.metric_end; ++row) {
    if (trace.Text(trace.metrics[row].name) == name) return trace.metrics[row].value;
  }
  return trace.strings.Find("absent metric");
}

TEST(NcuCsv, DetailsPage) {
  const std::string text =
      "==PROF== Connected to process 9\nprogram says \"hi\n" + std::string(kHeader) + "\n" +
      Row("0", "a<1, 2>(int)", R"("GPU Speed Of Light Throughput","Duration","us","6.75",)") +
      Row("0", "a<1, 2>(int)", R"("GPU Speed Of Light Throughput","Memory Throughput","%","19.66",)") +
      Row("0", "a<1, 2>(int)", R"("Memory Workload Analysis","Memory Throughput","Gbyte/s","1,345.14",)") +
      Row("0", "a<1, 2>(int)", R"("X","flop_count_hp.sum","","n/a",)") +
      Row("0", "a<1, 2>(int)", R"("Occupancy","","","","TheoreticalOccupancy","OPT","Raise it","global","80.34")") +
      "program output, more\n" + Row("1", "b", R"("GPU Speed Of Light Throughput","Duration","ms","1.5",)");
  const auto loaded = LoadBytes(text, "x.csv");
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  const model::Trace& trace = loaded.value();
  ASSERT_EQ(trace.kernel_profiles.size(), 2U);
  const model::KernelProfile& first = trace.kernel_profiles[0];
  EXPECT_EQ(trace.Text(first.name), "a<1, 2>(int)");
  EXPECT_EQ(first.dur_ns, 6750);
  EXPECT_EQ(trace.kernel_profiles[1].dur_ns, 1'500'000);
  EXPECT_DOUBLE_EQ(std::get<double>(ValueOf(trace, first, "dram__bytes.sum.per_second")), 1345.14e9);
  EXPECT_DOUBLE_EQ(
      std::get<double>(ValueOf(trace, first, "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed")),
      19.66);
  EXPECT_EQ(ValueOf(trace, first, "flop_count_hp.sum").index(), 0U);
  EXPECT_EQ(trace.launch_configs[first.config].block[1], 4U);
  EXPECT_EQ(trace.launch_configs[first.config].grid[0], 224U);
  EXPECT_EQ(trace.devices.at(0).cc_major, 9U);
  ASSERT_EQ(first.advice_end - first.advice_begin, 1U);
  EXPECT_EQ(trace.advice[0].speedup_pct, 80.34);
  EXPECT_TRUE(trace.advice[0].speedup_is_global);
}

TEST(NcuCsv, RawPageHasUnitsBelowItsHeader) {
  const std::string text =
      R"("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","device__attribute_multiprocessor_count","gpu__time_duration.sum","launch__grid_size","launch__func_cache_config")"
      "\n"
      R"("","","","","","","","","","","","","ms","","")"
      "\n" +
      Row("0", "k", R"("132","0.229344","262,144","CachePreferNone")") + Row("1", "k", R"("132","3.000000","4","all")");
  const auto loaded = LoadBytes(text, "x.csv");
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  const model::Trace& trace = loaded.value();
  ASSERT_EQ(trace.kernel_profiles.size(), 2U);
  EXPECT_EQ(trace.kernel_profiles[0].dur_ns, 229344);
  EXPECT_EQ(std::get<uint64_t>(ValueOf(trace, trace.kernel_profiles[0], "launch__grid_size")), 262144U);
  EXPECT_EQ(trace.devices.at(0).sm_count, 132U);
  EXPECT_EQ(trace.devices.at(0).attribute_end - trace.devices.at(0).attribute_begin, 1U);
}

TEST(NcuCsv, OldVersionsAndDecimalCommas) {
  const std::string text =
      R"x("ID","Process ID","Process Name","Host Name","Kernel Name","Kernel Time","Context","Stream","Section Name","Metric Name","Metric Unit","Metric Value")x"
      "\n"
      R"x("0","5","p","h","k(float*, int)","2020-Apr-07 17:01:05","1","7","GPU Speed Of Light","SOL FB","%","39,60")x"
      "\n"
      R"x("0","5","p","h","k(float*, int)","2020-Apr-07 17:01:05","1","7","GPU Speed Of Light","Elapsed Cycles","cycle","11.733")x"
      "\n"
      R"x("0","5","p","h","k(float*, int)","2020-Apr-07 17:01:05","1","7","GPU Speed Of Light","Memory Frequency","cycle/second","772.656.250,02")x"
      "\n";
  const auto loaded = LoadBytes(text, "x.csv");
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  const model::KernelProfile& profile = loaded.value().kernel_profiles.at(0);
  EXPECT_DOUBLE_EQ(std::get<double>(ValueOf(loaded.value(), profile, "gpc__cycles_elapsed.max")), 11733);
  EXPECT_DOUBLE_EQ(std::get<double>(ValueOf(loaded.value(), profile, "dram__cycles_elapsed.avg.per_second")),
                   772656250.02);
  EXPECT_EQ(profile.device, model::kNone);
  EXPECT_EQ(profile.config, model::kNone);
}

TEST(NcuCsv, WithoutRowsIsRefused) {
  const auto loaded = LoadBytes(std::string(kHeader) + "\n", "x.csv");
  ASSERT_FALSE(loaded.ok());
  EXPECT_NE(loaded.status().message().find("no profiled kernel"), std::string::npos);
}

TEST(NcuCsv, DecimalMark) {
  EXPECT_EQ(DecimalMarkOf("\"9.0\",\"12,345.67\""), '.');
  EXPECT_EQ(DecimalMarkOf("\"9.0\",\"12.345,67\""), ',');
  EXPECT_EQ(DecimalMarkOf("\"1.234.567\""), ',');
  EXPECT_EQ(DecimalMarkOf("\"1,234\""), '.');
  EXPECT_EQ(DecimalMarkOf("\"127.0.0.1\",\"127.0.0.1\",\"19.66\""), '.');  // an address is no number
  EXPECT_EQ(DecimalMarkOf(""), '.');
}

TEST(NcuCsv, LabelsOfUnknownMetricsStay) {
  EXPECT_EQ(MetricOfLabel("Duration", false), "gpu__time_duration.sum");
  EXPECT_EQ(MetricOfLabel("Something New", false), "Something New");
}

TEST(NcuCsv, HeaderLine) {
  EXPECT_TRUE(IsHeaderLine(kHeader));
  EXPECT_FALSE(IsHeaderLine("\"ID\",\"Name\""));
}

}  // namespace
}  // namespace warpscope::import::ncu_csv
