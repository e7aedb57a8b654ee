// The roofline chart as an SVG document.
#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "report/roofline_report.h"
#include "report/roofline_scale.h"
#include "report/text.h"
#include "report/xml.h"

namespace warpscope::report {
namespace {

// Pixels of the document; text of 12 px and more.
constexpr double kWidth = 800, kLeft = 70, kRight = 40, kTop = 50, kPlotHeight = 400;
constexpr double kPlotWidth = kWidth - kLeft - kRight;
constexpr double kLegendLine = 18;
constexpr size_t kLegendRows = 20, kNameColumns = 30;

// Blue and orange of the Okabe-Ito palette: told apart by colour-blind readers too.
constexpr std::string_view kMemoryColor = "#0072b2", kComputeColor = "#b35c00";

class Document {
 public:
  Document(const view::RooflineChart& chart, double height) : chart_(chart) {
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-labelledby=\"title desc\" width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" font-size=\"13\" "
        "fill=\"#1a1a1a\">\n<title id=\"title\">{2}</title>\n<desc id=\"desc\">{3}</desc>\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
        kWidth, height, XmlText(chart.title.empty() ? "Roofline" : chart.title), XmlText(chart.description));
  }
  double X(double value) const { return kLeft + LogPlace(value, chart_.x_from, chart_.x_to) * kPlotWidth; }
  double Y(double value) const { return kTop + (1 - LogPlace(value, chart_.y_from, chart_.y_to)) * kPlotHeight; }

  void Text(double x, double y, std::string_view anchor, std::string_view text, std::string_view more = "") {
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor, more,
                        XmlText(text));
  }
  void Line(double x0, double y0, double x1, double y1, std::string_view stroke, double width) {
    out_ += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" stroke-width=\"{:.1f}\"/>\n", x0,
        y0, x1, y1, stroke, width);
  }
  void Roof(const RoofLine& line, double width) {
    Line(X(line.x_from), Y(line.y_from), X(line.x_to), Y(line.y_to), "#404040", width);
  }
  void Raw(std::string_view text) { out_ += text; }
  std::string Done() { return out_ + "</svg>\n"; }

 private:
  const view::RooflineChart& chart_;
  std::string out_;
};

void DrawAxes(const view::RooflineChart& chart, Document* svg) {
  const double bottom = kTop + kPlotHeight;
  for (const auto& tick : chart.x_ticks) {
    svg->Line(svg->X(tick.value), kTop, svg->X(tick.value), bottom, "#e0e0e0", 1);
    svg->Text(svg->X(tick.value), bottom + 18, "middle", tick.label);
  }
  for (const auto& tick : chart.y_ticks) {
    svg->Line(kLeft, svg->Y(tick.value), kLeft + kPlotWidth, svg->Y(tick.value), "#e0e0e0", 1);
    svg->Text(kLeft - 8, svg->Y(tick.value) + 4, "end", tick.label);
  }
  svg->Text(kLeft + kPlotWidth / 2, bottom + 38, "middle", chart.x_label);
  svg->Text(kLeft - 8, kTop - 10, "end", chart.y_label);
}

void DrawRoofs(const view::RooflineChart& chart, Document* svg) {
  double last_y = -100;
  for (const auto& ceiling : chart.ceilings) {
    svg->Roof(CeilingLine(chart, ceiling.flop_per_s),
              ceiling.flop_per_s == chart.ceilings.front().flop_per_s ? 2 : 1.2);
    // Roofs close to each other: the second label goes below its line.
    double y = svg->Y(ceiling.flop_per_s) - 5;
    if (y - last_y < 15) y += 20;
    svg->Text(kLeft + kPlotWidth - 4, y, "end", ceiling.label, " font-size=\"12\"");
    last_y = y;
  }
  if (!chart.bytes_per_s) return;
  const RoofLine slope = SlopeLine(chart);
  svg->Roof(slope, 2);
  const double x = (svg->X(slope.x_from) + svg->X(slope.x_to)) / 2, y = (svg->Y(slope.y_from) + svg->Y(slope.y_to)) / 2;
  svg->Text(x - 10, y - 6, "end", chart.slope_label, " font-size=\"12\"");
}

// Areas are in proportion to time.
double Radius(double share_ratio) { return 6 + 14 * std::sqrt(std::clamp(share_ratio, 0.0, 1.0)); }

void DrawPoints(const view::RooflineChart& chart, Document* svg) {
  // Most time first in the chart: large circles are drawn first and small ones on top of them.
  for (const auto& point : chart.points) {
    const double x = svg->X(point.intensity), y = svg->Y(point.flop_per_s), radius = Radius(point.share_ratio);
    svg->Raw(fmt::format(
        "<g><title>{}: {}</title><circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"{}\" fill-opacity=\"0.8\" "
        "stroke=\"#ffffff\"/><text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" font-size=\"12\" "
        "font-weight=\"bold\" fill=\"#ffffff\">{}</text></g>\n",
        XmlText(point.name), XmlText(point.words), x, y, std::max(radius, 8.0),
        point.memory_side ? kMemoryColor : kComputeColor, x, y + 4, XmlText(point.mark)));
  }
}

std::vector<std::string> NoteLines(const view::RooflineChart& chart) {
  constexpr size_t kNoteColumns = 100;
  return chart.note.empty() ? std::vector<std::string>() : Wrap(Clean(chart.note, true), kNoteColumns);
}

void DrawLegend(const view::RooflineChart& chart, Document* svg) {
  double y = kTop + kPlotHeight + 66;
  svg->Text(kLeft, y, "start", "blue: memory side of the ridge", fmt::format(" fill=\"{}\"", kMemoryColor));
  svg->Text(kLeft + 220, y, "start", "orange: compute side", fmt::format(" fill=\"{}\"", kComputeColor));
  for (size_t i = 0; i < chart.points.size() && i < kLegendRows; ++i) {
    const auto& point = chart.points[i];
    y += kLegendLine;
    svg->Text(kLeft, y, "start", point.mark, " font-weight=\"bold\"");
    svg->Text(kLeft + 26, y, "start", CutMiddle(Clean(point.name, true), kNameColumns, true), " font-size=\"12\"");
    svg->Text(kLeft + kPlotWidth, y, "end", point.words, " font-size=\"12\"");
  }
  if (chart.points.size() > kLegendRows)
    svg->Text(kLeft, y += kLegendLine, "start", fmt::format("and {} more", chart.points.size() - kLegendRows));
  for (const std::string& line : NoteLines(chart))
    svg->Text(kLeft, y += kLegendLine, "start", line, " font-size=\"12\"");
}

}  // namespace

std::string RooflineSvg(const view::RooflineChart& chart) {
  if (chart.empty()) {
    Document svg(chart, 80);
    svg.Text(20, 45, "start", "No kernel has a place on this roofline.");
    return svg.Done();
  }
  const size_t rows = std::min(chart.points.size(), kLegendRows + 1) + NoteLines(chart).size();
  Document svg(chart, kTop + kPlotHeight + 84 + kLegendLine * static_cast<double>(rows));
  svg.Text(kLeft, 24, "start", chart.title, " font-size=\"16\" font-weight=\"bold\"");
  DrawAxes(chart, &svg);
  DrawRoofs(chart, &svg);
  DrawPoints(chart, &svg);
  DrawLegend(chart, &svg);
  return svg.Done();
}

}  // namespace warpscope::report
