#include "view/roofline.h"

#include <gtest/gtest.h>

#include "model/testing/trace_builder.h"

namespace warpscope::view {
namespace {

using analysis::FlopKind;
using analysis::RoofLevel;

// Two kernels under roofs of 10 TFLOP/s and 1 TB/s, one that only copies and one of which nothing is known.
struct Made {
  model::testing::TraceBuilder b;
  analysis::Roofline roofline;

  Made() {
    Add("near", 0.5, 4e11, 8e11);
    Add("products", 0.3, 9e12, 1e10);
    Add("copy", 0.1, 0, 5e11);
    Add("unknown", 0.1, {}, {});
  }
  void Add(std::string_view name, double share, std::optional<double> flops, std::optional<double> bytes) {
    analysis::RooflinePoint point;
    point.name = b.trace().strings.Intern(name);
    point.device = 0;
    point.launch_count = 1;
    point.total_ns = static_cast<int64_t>(1000 * share);
    point.share_pct = 100 * share;
    const auto kind = static_cast<size_t>(FlopKind::kFp32), level = static_cast<size_t>(RoofLevel::kDram);
    if (flops) point.rates.flops[kind] = analysis::FlopRate{*flops, analysis::CountedBy::kInstructions};
    if (bytes) point.rates.bytes[level] = analysis::ByteRate{*bytes, "dram__bytes", false};
    point.rates.flop_roofs[kind] = analysis::Roof{10e12, analysis::RoofSource::kReport};
    point.rates.byte_roofs[level] = analysis::Roof{1e12, analysis::RoofSource::kReport};
    roofline.points.push_back(point);
  }
};

TEST(Roofline, TableAndChartShareTheirMarks) {
  Made made;
  const analysis::Index index(made.b.Finish());
  const analysis::Steps steps;
  const Subject subject{index, steps, {}, {}};
  Table table = RooflineTable(subject, made.roofline, {});
  ASSERT_EQ(table.rows.size(), 4U);
  for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size());
  ASSERT_FALSE(table.summary.empty());
  EXPECT_NE(table.summary[0].find("60.0 % of the kernel time is on the memory side"), std::string::npos);
  EXPECT_NE(table.summary[0].find("30.0 % on the compute side"), std::string::npos);
  EXPECT_NE(table.summary[0].find("10.0 % has no side"), std::string::npos);
  const RooflineChart chart = ChartOf(subject, made.roofline, {}, table, 0);
  ASSERT_EQ(chart.points.size(), 2U);
  EXPECT_EQ(chart.points[0].mark, "A");
  EXPECT_EQ(chart.points[0].name, "near");
  EXPECT_TRUE(chart.points[0].memory_side);
  EXPECT_FALSE(chart.points[1].memory_side);
  EXPECT_NE(chart.note.find("not drawn: C."), std::string::npos);
  ASSERT_EQ(chart.ceilings.size(), 1U);
  EXPECT_EQ(chart.ceilings[0].label, "fp32 10.0 TFLOP/s");
  EXPECT_EQ(chart.slope_label, "dram 1.00 TB/s");
  EXPECT_LE(chart.x_from, 0.5);
  EXPECT_GE(chart.x_to, 900);
  EXPECT_EQ(chart.y_ticks.back().label, "10 T");
  // A filter of the table is one of the chart.
  KeepMatching(table, "products");
  EXPECT_EQ(ChartOf(subject, made.roofline, {}, table, 0).points.size(), 1U);
}

TEST(Roofline, NothingToDrawIsEmpty) {
  model::testing::TraceBuilder b;
  const analysis::Index index(b.Finish());
  const analysis::Steps steps;
  const Subject subject{index, steps, {}, {}};
  const Table table = RooflineTable(subject, {}, {});
  EXPECT_TRUE(table.rows.empty());
  EXPECT_FALSE(table.empty_text.empty());
  EXPECT_TRUE(ChartOf(subject, {}, {}, table, 0).empty());
}

TEST(Roofline, MarksAreLettersFirst) {
  EXPECT_EQ(RooflineMark(0), "A");
  EXPECT_EQ(RooflineMark(26), "a");
  EXPECT_EQ(RooflineMark(52), "53");
}

}  // namespace
}  // namespace warpscope::view
