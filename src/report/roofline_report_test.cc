#include "report/roofline_report.h"

#include <gtest/gtest.h>

#include "report/text.h"

namespace warpscope::report {
namespace {

view::RooflineChart Chart() {
  view::RooflineChart chart;
  chart.title = "Roofline at dram of <GPU> & co";
  chart.description = "two kernels";
  chart.x_label = "FLOP/byte (dram)", chart.y_label = "FLOP/s";
  chart.x_from = 0.1, chart.x_to = 1000, chart.y_from = 1e11, chart.y_to = 1e14;
  chart.x_ticks = {{0.1, "0.1"}, {1, "1"}, {10, "10"}, {100, "100"}, {1000, "1,000"}};
  chart.y_ticks = {{1e11, "100 G"}, {1e12, "1 T"}, {1e13, "10 T"}, {1e14, "100 T"}};
  chart.ceilings = {{6e13, "fp32 60.0 TFLOP/s"}};
  chart.bytes_per_s = 4e12;
  chart.slope_label = "dram 4.00 TB/s";
  chart.points = {{"A", "f<int>(\"x\" & y)\x1b[31m", 0.5, 1e12, 0.6, true, "1.00 TFLOP/s"},
                  {"B", "g", 500, 5e13, 0.3, false, "50.0 TFLOP/s"}};
  return chart;
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

size_t RowOf(const std::vector<std::string>& lines, std::string_view word) {
  for (size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].find(word) != std::string::npos) return i;
  }
  return 0;
}

TEST(RooflineText, FitsTheWidthAndPlacesPointsWhereTheyBelong) {
  for (const bool utf8 : {false, true}) {
    for (const size_t columns : {60, 100, 200}) {
      const auto lines = Lines(RooflineText(Chart(), {.columns = columns, .utf8 = utf8}));
      for (const std::string& line : lines) EXPECT_LE(Width(line), columns) << line;
      const size_t a = RowOf(lines, "A"), b = RowOf(lines, "B");
      ASSERT_TRUE(a > 0 && b > 0);
      EXPECT_LT(b, a) << "more arithmetic is higher";
      EXPECT_LT(lines[a].find('A'), lines[b].find('B')) << "more FLOP a byte is further right";
    }
  }
}

TEST(RooflineText, PlainTerminalsGetAscii) {
  const std::string text = RooflineText(Chart(), {.columns = 100});
  for (const char c : text) EXPECT_TRUE(c == '\n' || (c >= 32 && c < 127)) << static_cast<int>(c);
  EXPECT_NE(text.find("fp32 60.0 TFLOP/s"), std::string::npos);
  EXPECT_NE(text.find("dram 4.00 TB/s"), std::string::npos);
}

TEST(RooflineText, PointsOfOneCellAreTold) {
  auto chart = Chart();
  chart.points.push_back({"C", "h", 0.5, 1e12, 0.1, true, ""});
  EXPECT_NE(RooflineText(chart, {.columns = 100}).find("C lies at A."), std::string::npos);
  // Beyond the axes a point lies on the border.
  chart.points.push_back({"D", "far", 1e30, 1e-30, 0.1, true, ""});
  EXPECT_NE(RooflineText(chart, {.columns = 100}).find("D\n"), std::string::npos);
}

// A mark where a roof's label would stand moves the label; neither is drawn over or touched.
TEST(RooflineText, LabelsGiveWayToMarks) {
  auto chart = Chart();
  for (double x = chart.x_to / 30; x < chart.x_to; x *= 1.3)
    chart.points.push_back({"C", "h", x, chart.ceilings.front().flop_per_s / 1.3, 0.1, false, ""});
  const std::string text = RooflineText(chart, {.columns = 100});
  EXPECT_NE(text.find("fp32 60.0 TFLOP/s"), std::string::npos) << text;
  EXPECT_EQ(text.find("TFLOP/sC"), std::string::npos) << text;
  EXPECT_EQ(text.find("Cfp32"), std::string::npos) << text;
}

TEST(RooflineText, NothingToDraw) { EXPECT_EQ(RooflineText({}, {}), ""); }

TEST(RooflineSvg, IsEscapedAndAccessible) {
  const std::string svg = RooflineSvg(Chart());
  EXPECT_NE(svg.find("<title id=\"title\">Roofline at dram of &lt;GPU&gt; &amp; co</title>"), std::string::npos);
  EXPECT_NE(svg.find("<desc id=\"desc\">two kernels</desc>"), std::string::npos);
  EXPECT_NE(svg.find("f&lt;int&gt;(&quot;x&quot; &amp; y)"), std::string::npos);
  EXPECT_EQ(svg.find('\x1b'), std::string::npos);
  EXPECT_NE(svg.find("role=\"img\""), std::string::npos);
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

TEST(RooflineSvg, WithoutPointsSaysSo) { EXPECT_NE(RooflineSvg({}).find("No kernel has a place"), std::string::npos); }

}  // namespace
}  // namespace warpscope::report
