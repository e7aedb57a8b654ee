// The roofline chart in a terminal.
#include <fmt/format.h>

#include <array>
#include <string_view>
#include <vector>

#include "report/roofline_report.h"
#include "report/roofline_scale.h"
#include "report/text.h"

namespace warpscope::report {
namespace {

constexpr size_t kRows = 20;
constexpr size_t kLabelColumns = 6;  // "100 T"
constexpr size_t kLeastColumns = 24;

// Character cells, with finer dots below them: eight a cell (Braille) on terminals that show them, else one.
class Canvas {
 public:
  Canvas(size_t columns, const Terminal& terminal)
      : columns_(columns),
        terminal_(terminal),
        dots_(columns * kRows),
        cells_(columns * kRows),
        inks_(columns * kRows) {}

  size_t columns() const { return columns_; }
  size_t ColumnOf(double x_ratio) const { return Index(x_ratio, columns_); }
  static size_t RowOf(double y_ratio) { return Index(1 - y_ratio, kRows); }

  // A point of a line.
  void Dot(double x_ratio, double y_ratio) {
    constexpr std::array<std::array<uint8_t, 2>, 4> kBits = {{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}};
    const size_t x = Index(x_ratio, columns_ * 2), y = Index(1 - y_ratio, kRows * 4);
    dots_[(y / 4) * columns_ + x / 2] |= kBits[y % 4][x % 2];
  }
  // Text that gives way to what stands there, and touches no mark. False if it does not fit.
  bool Label(size_t row, size_t column, std::string_view text) {
    if (row >= kRows || column + text.size() > columns_) return false;
    for (size_t i = 0; i < text.size(); ++i) {
      const size_t at = row * columns_ + column + i;
      if (!cells_[at].empty() || dots_[at] != 0) return false;
    }
    const size_t begin = row * columns_ + column, end = begin + text.size();
    if (column > 0 && !cells_[begin - 1].empty()) return false;
    if (column + text.size() < columns_ && !cells_[end].empty()) return false;
    for (size_t i = 0; i < text.size(); ++i) Put(row, column + i, std::string(1, text[i]), Ink::kDim);
    return true;
  }
  void Put(size_t row, size_t column, std::string text, Ink ink) {
    cells_[row * columns_ + column] = std::move(text);
    inks_[row * columns_ + column] = ink;
  }
  const std::string& At(size_t row, size_t column) const { return cells_[row * columns_ + column]; }
  bool IsBold(size_t row, size_t column) const { return inks_[row * columns_ + column] == Ink::kBold; }

  std::string Line(size_t row) const {
    std::string line, run;
    Ink ink = Ink::kPlain;
    size_t last = columns_;
    while (last > 0 && cells_[row * columns_ + last - 1].empty() && dots_[row * columns_ + last - 1] == 0) --last;
    for (size_t column = 0; column < last; ++column) {
      const size_t at = row * columns_ + column;
      const Ink here = cells_[at].empty() ? Ink::kCommand : inks_[at];
      if (here != ink) line += terminal_.Paint(run, ink), run.clear(), ink = here;
      run += !cells_[at].empty() ? cells_[at] : dots_[at] == 0 ? std::string(" ") : DotText(dots_[at]);
    }
    return line + terminal_.Paint(run, ink);
  }

 private:
  static size_t Index(double ratio, size_t size) {
    return std::min(static_cast<size_t>(std::clamp(ratio, 0.0, 1.0) * static_cast<double>(size)), size - 1);
  }
  std::string DotText(uint8_t bits) const {
    if (!terminal_.utf8) return ".";
    const unsigned code = 0x2800U + bits;  // U+2800..U+28FF
    return {static_cast<char>(0xE0 | (code >> 12)), static_cast<char>(0x80 | ((code >> 6) & 0x3F)),
            static_cast<char>(0x80 | (code & 0x3F))};
  }

  size_t columns_;
  const Terminal& terminal_;
  std::vector<uint8_t> dots_;
  std::vector<std::string> cells_;
  std::vector<Ink> inks_;
};

struct Axes {
  const view::RooflineChart& chart;
  double X(double value) const { return LogPlace(value, chart.x_from, chart.x_to); }
  double Y(double value) const { return LogPlace(value, chart.y_from, chart.y_to); }
};

void DrawLine(const Axes& axes, const RoofLine& line, Canvas* canvas) {
  const double x0 = axes.X(line.x_from), x1 = axes.X(line.x_to), y0 = axes.Y(line.y_from), y1 = axes.Y(line.y_to);
  const size_t steps = canvas->columns() * 4;
  for (size_t i = 0; i <= steps; ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(steps);
    canvas->Dot(x0 + part * (x1 - x0), y0 + part * (y1 - y0));
  }
}

void DrawRoofs(const Axes& axes, Canvas* canvas) {
  const view::RooflineChart& chart = axes.chart;
  for (const auto& ceiling : chart.ceilings) DrawLine(axes, CeilingLine(chart, ceiling.flop_per_s), canvas);
  if (chart.bytes_per_s) DrawLine(axes, SlopeLine(chart), canvas);
}

// Above or below its line, as far to the right as the marks leave room.
void LabelCeiling(const Axes& axes, double flop_per_s, const std::string& label, Canvas* canvas) {
  if (label.size() + 1 > canvas->columns()) return;
  constexpr size_t kStep = 4;
  const size_t row = Canvas::RowOf(axes.Y(flop_per_s));
  for (size_t left = canvas->columns() - label.size() - 1;; left -= kStep) {
    if (row > 0 && canvas->Label(row - 1, left, label)) return;
    if (canvas->Label(row + 1, left, label)) return;
    if (left < kStep) return;
  }
}

// After the marks, which they give way to.
void LabelRoofs(const Axes& axes, const Terminal& terminal, Canvas* canvas) {
  const view::RooflineChart& chart = axes.chart;
  for (const auto& ceiling : chart.ceilings)
    LabelCeiling(axes, ceiling.flop_per_s, Clean(ceiling.label, terminal.utf8), canvas);
  if (!chart.bytes_per_s) return;
  // Left of the slope's middle, where nothing else is drawn.
  const RoofLine slope = SlopeLine(chart);
  const std::string label = Clean(chart.slope_label, terminal.utf8);
  const double x = (axes.X(slope.x_from) + axes.X(slope.x_to)) / 2, y = (axes.Y(slope.y_from) + axes.Y(slope.y_to)) / 2;
  const size_t row = Canvas::RowOf(y), column = canvas->ColumnOf(x);
  if (column < label.size() + 3 || !canvas->Label(row, column - label.size() - 3, label))
    canvas->Label(row + 1, column + 4, label);
}

// Marks, most time last, so that it stays visible; marks of one cell are told.
std::string DrawPoints(const Axes& axes, Canvas* canvas) {
  std::string hidden;
  for (const auto& point : axes.chart.points) {
    const size_t row = Canvas::RowOf(axes.Y(point.flop_per_s)), column = canvas->ColumnOf(axes.X(point.intensity));
    if (canvas->IsBold(row, column)) {
      hidden += fmt::format("{}{} lies at {}", hidden.empty() ? "" : ", ", point.mark, canvas->At(row, column));
      continue;
    }
    canvas->Put(row, column, point.mark.size() == 1 ? point.mark : "*", Ink::kBold);
  }
  return hidden;
}

// "  10 T |" of the row that a decade lies in.
std::string RowLabel(const Axes& axes, const Terminal& terminal, size_t row) {
  std::string label;
  for (const auto& tick : axes.chart.y_ticks) {
    if (Canvas::RowOf(axes.Y(tick.value)) == row) label = tick.label;
  }
  return PadLeft(label, kLabelColumns) + std::string(" ") + std::string(terminal.bar());
}

std::string XAxis(const Axes& axes, const Terminal& terminal, size_t columns) {
  const std::string margin(kLabelColumns + 1, ' ');
  std::string line = margin + (terminal.utf8 ? "\xE2\x94\x94" : "+");
  for (size_t i = 0; i < columns; ++i) line += terminal.utf8 ? "\xE2\x94\x80" : "-";
  std::string labels(columns + 1, ' ');
  size_t free_from = 0;
  for (const auto& tick : axes.chart.x_ticks) {
    const auto at = static_cast<size_t>(axes.X(tick.value) * static_cast<double>(columns));
    const size_t from = at + tick.label.size() > labels.size() ? labels.size() - tick.label.size() : at;
    if (from < free_from || tick.label.size() > labels.size()) continue;
    labels.replace(from, tick.label.size(), tick.label);
    free_from = from + tick.label.size() + 1;
  }
  while (labels.ends_with(' ')) labels.pop_back();
  return line + "\n" + margin + labels + "\n" + margin + " " + axes.chart.x_label + "\n";
}

}  // namespace

std::string RooflineText(const view::RooflineChart& chart, const Terminal& terminal) {
  if (chart.empty()) return "";
  const size_t used = kLabelColumns + 3;
  const size_t columns = std::max(kLeastColumns, terminal.columns > used ? terminal.columns - used : 0);
  Canvas canvas(columns, terminal);
  const Axes axes{chart};
  DrawRoofs(axes, &canvas);
  const std::string hidden = DrawPoints(axes, &canvas);
  LabelRoofs(axes, terminal, &canvas);
  std::string out = terminal.Paint(Clean(terminal.Say(chart.title), terminal.utf8), Ink::kBold) + "\n\n";
  out += PadLeft(chart.y_label, kLabelColumns) + "\n";
  for (size_t row = 0; row < kRows; ++row) out += RowLabel(axes, terminal, row) + canvas.Line(row) + "\n";
  out += XAxis(axes, terminal, columns);
  if (!hidden.empty()) AppendWrapped(out, terminal, "", "", hidden + ".", Ink::kDim);
  if (!chart.note.empty()) AppendWrapped(out, terminal, "", "", terminal.Say(chart.note), Ink::kDim);
  return out + "\n";
}

}  // namespace warpscope::report
