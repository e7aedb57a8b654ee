#include "import/unitrace/unitrace_importer.h"

#include <gtest/gtest.h>

#include "import/import.h"
#include "import/unitrace/table_row.h"

namespace warpscope::import::unitrace {
namespace {

TEST(TableRow, QuotedNamesHoldCommas) {
  const auto fields = FieldsOf("  \"a(b, c)\",   12, 3.5 ,\t\"\" ,x\r");
  ASSERT_EQ(fields.size(), 5U);
  EXPECT_EQ(fields[0], "a(b, c)");
  EXPECT_EQ(fields[1], "12");
  EXPECT_EQ(fields[2], "3.5");
  EXPECT_EQ(fields[3], "");
  EXPECT_EQ(fields[4], "x");
  EXPECT_EQ(FieldsOf("\"never closed, 1").size(), 1U);
  EXPECT_EQ(FieldsOf("").size(), 1U);
}

constexpr const char* kText =
    "hello\n=== Device Timing Summary ===\n\nTotal Execution Time (ns): 5\n\n== L0 Backend ==\n\n"
    "Kernel, Calls, Time (ns), Time (%), Average (ns), Min (ns), Max (ns)\n"
    "\"k(int, int)\", 4, 800, 80.0, 200, 150, 260\n"
    "zeCommandListAppendMemoryCopy(M2D), 1, 200, 20.0, 200, 200, 200\nbroken, x, y\n";

TEST(Unitrace, TotalsByTable) {
  auto trace = LoadBytes(kText, "d.txt");
  ASSERT_TRUE(trace.ok()) << trace.status().message();
  ASSERT_EQ(trace->summaries.size(), 2U);
  const model::SummaryRow& row = trace->summaries[0];
  EXPECT_EQ(trace->Text(row.name), "k(int, int)");
  EXPECT_EQ(trace->Text(row.group), "L0 Backend");
  EXPECT_EQ(row.kind, model::SummaryKind::kKernel);
  EXPECT_EQ(row.count, 4U);
  EXPECT_EQ(row.total_ns, 800);
  EXPECT_EQ(row.min_ns, 150);
  EXPECT_EQ(row.max_ns, 260);
  EXPECT_EQ(trace->summaries[1].kind, model::SummaryKind::kCopy);
  EXPECT_EQ(trace->ledger.Count(model::LedgerCode::kBrokenRecord), 1U);
}

TEST(Unitrace, CutAnywhere) {
  const std::string text = kText;
  for (size_t size = 0; size <= text.size(); ++size) {
    auto trace = LoadBytes(std::string_view(text).substr(0, size), "d.txt");
    if (trace.ok()) {
      EXPECT_LE(trace->summaries.size(), 2U);
    }
  }
}

TEST(Unitrace, CountersOfALaunch) {
  auto trace = LoadBytes(
      "Kernel, GlobalInstanceId, SubDeviceId, GpuTime[ns], XveActive[%]\n\"k, 1\", 7, 0, 1200, 61.5\n", "m.csv");
  ASSERT_TRUE(trace.ok()) << trace.status().message();
  ASSERT_EQ(trace->kernel_profiles.size(), 1U);
  const model::KernelProfile& profile = trace->kernel_profiles[0];
  EXPECT_EQ(profile.id, 7U);
  EXPECT_EQ(profile.dur_ns, 1200);
  ASSERT_EQ(profile.metric_end - profile.metric_begin, 2U);
  const model::Metric& metric = trace->metrics[profile.metric_begin + 1];
  EXPECT_EQ(trace->Text(metric.name), "XveActive");
  EXPECT_EQ(trace->Text(metric.unit), "%");
  EXPECT_EQ(std::get<double>(metric.value), 61.5);
}

TEST(XpuSmi, MidnightAndUnits) {
  auto trace = LoadBytes(
      "Timestamp, DeviceId, GPU Power (W), GPU Memory Used (MiB), Odd Thing (%)\n"
      "23:59:59.000, 1, 10.5, 2, N/A\n00:00:01.250, 1, 11, 2, 7\n",
      "x.csv");
  ASSERT_TRUE(trace.ok()) << trace.status().message();
  ASSERT_EQ(trace->readings.size(), 6U);
  EXPECT_EQ(trace->readings[0].time_ns, 0);
  EXPECT_EQ(trace->readings[3].time_ns, 2250000000);
  EXPECT_EQ(trace->Text(trace->readings[0].name), "power_draw");
  EXPECT_EQ(trace->readings[1].value, 2097152.0);
  EXPECT_FALSE(trace->readings[2].value);
  EXPECT_EQ(trace->Text(trace->readings[5].unit), "pct");
}

TEST(IntelGpuTop, StreamWithoutAnEnd) {
  auto trace = LoadBytes(
      R"([{"period":{"duration":500,"unit":"ms"},"frequency":{"actual":900},"engines":{"Render/3D":{"busy":40},"Video":{"busy":90}}}
{"period":{"duration":500},"engines":{"Render/3D":{"busy":41}}},{"per)",
      "x.json");
  ASSERT_TRUE(trace.ok()) << trace.status().message();
  ASSERT_EQ(trace->readings.size(), 6U);
  EXPECT_EQ(trace->readings[5].time_ns, 500000000);
  EXPECT_EQ(trace->readings[3].value, 40.0);
  EXPECT_EQ(trace->ledger.Count(model::LedgerCode::kTruncatedFile), 1U);
}

}  // namespace
}  // namespace warpscope::import::unitrace
