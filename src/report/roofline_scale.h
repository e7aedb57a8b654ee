// Logarithmic axes of a roofline chart, and where its roofs run. [MT] Pure.
#pragma once

#include <algorithm>
#include <cmath>

#include "view/roofline.h"

namespace warpscope::report {

// 0 at `from`, 1 at `to`; values beyond lie on the border. REQUIRES: 0 < from < to, value > 0.
inline double LogPlace(double value, double from, double to) {
  return std::clamp((std::log10(value) - std::log10(from)) / (std::log10(to) - std::log10(from)), 0.0, 1.0);
}

struct RoofLine {
  double x_from = 0, y_from = 0, x_to = 0, y_to = 0;  // in the chart's units, inside its axes
};

// From the sloping roof (or the left border) to the right border.
inline RoofLine CeilingLine(const view::RooflineChart& chart, double flop_per_s) {
  const double start = chart.bytes_per_s ? flop_per_s / *chart.bytes_per_s : chart.x_from;
  return {std::clamp(start, chart.x_from, chart.x_to), flop_per_s, chart.x_to, flop_per_s};
}

// From the border up to the highest ceiling. REQUIRES: bytes_per_s.
inline RoofLine SlopeLine(const view::RooflineChart& chart) {
  const double slope = *chart.bytes_per_s;
  const double top = chart.ceilings.empty() ? chart.y_to : chart.ceilings.front().flop_per_s;
  const double x_from = std::clamp(chart.y_from / slope, chart.x_from, chart.x_to);
  const double x_to = std::clamp(top / slope, chart.x_from, chart.x_to);
  return {x_from, x_from * slope, x_to, x_to * slope};
}

}  // namespace warpscope::report
