// The roofline chart: which points, roofs and axes it has, and their texts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "view/format.h"
#include "view/roofline.h"
#include "view/tables/shared.h"

namespace warpscope::view {
namespace {

using analysis::FlopKind;
using analysis::RooflinePlace;
using analysis::RooflinePoint;

// Beyond these many decades from the ridge a point is drawn at the edge.
constexpr double kDecadesLeft = 4, kDecadesRight = 3, kDecadesDown = 6;

double FloorDecade(double value) { return std::pow(10, std::floor(std::log10(value) + 1e-9)); }
double CeilDecade(double value) { return std::pow(10, std::ceil(std::log10(value) - 1e-9)); }

std::string DecadeLabel(double value) {
  return value < 1 ? fmt::format("{:g}", value) : FormatCount(std::llround(value));
}

// "10 T": the unit stands at the axis. Of whole decades, so that no digits are lost.
std::string RateLabel(double value) {
  constexpr std::string_view kUnit = "FLOP/s";
  std::string text = FormatFlopPerSecond(value);
  if (text.ends_with(kUnit)) text.resize(text.size() - kUnit.size());
  if (const size_t dot = text.find('.'); dot != std::string::npos) text.erase(dot, text.find(' ') - dot);
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

std::vector<RooflineChart::Tick> Decades(double from, double to, std::string (*label)(double)) {
  std::vector<RooflineChart::Tick> ticks;
  constexpr size_t kMost = 40;
  for (double value = from; value <= to * 1.01 && ticks.size() < kMost; value *= 10)
    ticks.push_back({value, label(value)});
  return ticks;
}

struct Drawn {
  const RooflinePoint* point;
  RooflinePlace place;
};

// Roofs as high as the highest among the points: those of one device differ by the clocks of their runs.
void AddRoofs(const std::vector<Drawn>& drawn, RooflineChart* chart) {
  std::array<double, analysis::kFlopKinds> peaks = {};
  double bandwidth = 0;
  for (const Drawn& item : drawn) {
    const auto kind = static_cast<size_t>(item.place.kind);
    if (const auto& roof = item.point->rates.flop_roofs[kind]; roof && item.place.flops_per_s > 0)
      peaks[kind] = std::max(peaks[kind], roof->per_s);
    if (const auto& roof = item.point->rates.byte_roofs[static_cast<size_t>(item.place.level)])
      bandwidth = std::max(bandwidth, roof->per_s);
  }
  for (size_t i = 0; i < peaks.size(); ++i) {
    if (peaks[i] > 0)
      chart->ceilings.push_back(
          {peaks[i], fmt::format("{} {}", FlopKindName(static_cast<FlopKind>(i)), FormatFlopPerSecond(peaks[i]))});
  }
  std::stable_sort(chart->ceilings.begin(), chart->ceilings.end(),
                   [](const auto& a, const auto& b) { return a.flop_per_s > b.flop_per_s; });
  if (bandwidth > 0) {
    chart->bytes_per_s = bandwidth;
    chart->slope_label =
        fmt::format("{} {}", RoofLevelName(drawn.front().place.level), FormatBytesPerSecond(bandwidth));
  }
}

void AddAxes(RooflineChart* chart) {
  double x_low = INFINITY, x_high = 0, y_low = INFINITY, y_high = 0;
  for (const auto& point : chart->points) {
    x_low = std::min(x_low, point.intensity), x_high = std::max(x_high, point.intensity);
    y_low = std::min(y_low, point.flop_per_s), y_high = std::max(y_high, point.flop_per_s);
  }
  if (!chart->ceilings.empty()) {
    y_high = std::max(y_high, chart->ceilings.front().flop_per_s);
    if (chart->bytes_per_s) {
      const double ridge = chart->ceilings.front().flop_per_s / *chart->bytes_per_s;
      x_low = std::max(std::min(x_low, ridge / 10), ridge * std::pow(10, -kDecadesLeft));
      x_high = std::min(std::max(x_high, ridge * 10), ridge * std::pow(10, kDecadesRight));
    }
  }
  y_low = std::max(std::min(y_low, y_high / 100), y_high * std::pow(10, -kDecadesDown));
  chart->x_from = FloorDecade(x_low), chart->x_to = CeilDecade(x_high);
  chart->y_from = FloorDecade(y_low), chart->y_to = CeilDecade(y_high);
  if (chart->x_to <= chart->x_from) chart->x_to = chart->x_from * 10;
  if (chart->y_to <= chart->y_from) chart->y_to = chart->y_from * 10;
  chart->x_ticks = Decades(chart->x_from, chart->x_to, DecadeLabel);
  chart->y_ticks = Decades(chart->y_from, chart->y_to, RateLabel);
}

// "A, B and 3 more"
std::string Marks(const std::vector<std::string>& marks) {
  constexpr size_t kMost = 12;
  std::string text;
  for (size_t i = 0; i < marks.size() && i < kMost; ++i) text += (i > 0 ? ", " : "") + marks[i];
  return marks.size() > kMost ? fmt::format("{} and {} more", text, marks.size() - kMost) : text;
}

std::string NoteOf(const RooflineChart& chart, const std::vector<std::string>& undrawn) {
  std::vector<std::string> beyond;
  for (const auto& point : chart.points) {
    if (point.intensity < chart.x_from || point.intensity > chart.x_to || point.flop_per_s < chart.y_from)
      beyond.push_back(point.mark);
  }
  std::string note;
  if (!undrawn.empty()) note = "Without arithmetic or bytes, so not drawn: " + Marks(undrawn) + ".";
  if (!beyond.empty())
    note += (note.empty() ? "" : " ") + ("Beyond the axes, drawn at the border: " + Marks(beyond)) + ".";
  return note;
}

std::string Words(const RooflinePlace& place, const RooflinePoint& point) {
  std::string words = fmt::format("{} at {} FLOP/byte", FormatFlopPerSecond(place.flops_per_s),
                                  FormatNumber(place.intensity.value_or(0)));
  if (place.roof_pct) words += fmt::format(", {} of the roof", FormatPct(*place.roof_pct));
  if (point.share_pct) words += fmt::format(", {} of the time", FormatPct(*point.share_pct));
  return words;
}

}  // namespace

RooflineChart ChartOf(const Subject& subject, const analysis::Roofline& roofline, const RooflineQuery& query,
                      const Table& table, size_t max_points) {
  const size_t rows = max_points == 0 ? table.rows.size() : std::min(max_points, table.rows.size());
  std::set<std::string> shown;
  for (size_t i = 0; i < rows; ++i) {
    if (const auto* mark = std::get_if<std::string>(&table.rows[i].front())) shown.insert(*mark);
  }
  const model::Trace& trace = subject.trace();
  RooflineChart chart;
  std::vector<Drawn> drawn;
  std::vector<std::string> undrawn;
  std::set<uint32_t> devices;
  for (size_t i = 0; i < roofline.points.size(); ++i) {
    const RooflinePoint& point = roofline.points[i];
    const auto result = PlaceOf(point, query.level, query.kind);
    const std::string mark = RooflineMark(i);
    if (!shown.contains(mark) || !result.place) continue;
    if (!result.place->intensity || !(*result.place->intensity > 0)) {
      undrawn.push_back(mark);  // nothing is 0 on logarithmic axes
      continue;
    }
    drawn.push_back({&point, *result.place});
    devices.insert(point.device);
    chart.points.push_back({mark, ShortKernel(trace.Text(point.name)), *result.place->intensity,
                            result.place->flops_per_s, point.share_pct.value_or(0) / 100,
                            result.place->memory_side.value_or(false), Words(*result.place, point)});
  }
  if (drawn.empty()) return chart;
  AddRoofs(drawn, &chart);
  AddAxes(&chart);
  chart.note = NoteOf(chart, undrawn);
  std::string device;
  if (devices.size() == 1 && *devices.begin() != model::kNone && *devices.begin() < trace.devices.size())
    device = trace.devices[*devices.begin()].name;
  chart.title = fmt::format("Roofline at {}{}{}", RoofLevelName(query.level), device.empty() ? "" : " of " + device,
                            roofline.from_shapes ? ", estimated from shapes" : "");
  chart.description = fmt::format("{}: arithmetic reached by {} against FLOP a byte, under the roofs of the device.",
                                  chart.title, Plural(chart.points.size(), "kernel"));
  chart.x_label = fmt::format("FLOP/byte ({})", RoofLevelName(query.level));
  chart.y_label = "FLOP/s";
  return chart;
}

}  // namespace warpscope::view
