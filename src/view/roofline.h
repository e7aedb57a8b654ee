// A roofline as people see it: a table of kernels and a chart of the same points, ready to be drawn by any renderer.
// [MT] Values and pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/roofline.h"
#include "view/table.h"
#include "view/tables.h"

namespace warpscope::view {

struct RooflineQuery {
  analysis::RoofLevel level = analysis::RoofLevel::kDram;
  std::optional<analysis::FlopKind> kind;  // absent: of each kernel the kind nearest to its peak
};

// Log-log: x is FLOP a byte, y is FLOP/s. All texts are ready but not cleaned: names come from files.
struct RooflineChart {
  struct Tick {
    double value = 0;
    std::string label;
  };
  struct Ceiling {
    double flop_per_s = 0;
    std::string label;  // "tensor-bf16 989 TFLOP/s"
  };
  struct Point {
    std::string mark;  // as in the table's first column
    std::string name;
    double intensity = 0, flop_per_s = 0;  // > 0
    double share_ratio = 0;                // of time, 0-1
    bool memory_side = false;
    std::string words;  // "12.3 TFLOP/s at 4.1 FLOP/byte, 62 % of the roof"
  };
  std::string title, description;
  std::string x_label, y_label;
  double x_from = 0, x_to = 0, y_from = 0, y_to = 0;  // powers of ten, from < to; 0 if there is nothing to draw
  std::vector<Tick> x_ticks, y_ticks;                 // one a decade
  std::vector<Ceiling> ceilings;                      // highest first
  std::optional<double> bytes_per_s;                  // the sloping roof
  std::string slope_label;                            // "dram 4.81 TB/s"
  std::vector<Point> points;                          // most time first
  std::string note;                                   // which rows are not drawn, or lie beyond the axes; may be ""

  bool empty() const { return points.empty() || !(x_from > 0 && x_to > x_from && y_from > 0 && y_to > y_from); }
};

// Of the row-th point: A..Z, a..z, then numbers from 53.
std::string RooflineMark(size_t row);
// One row a point, most time first; the mark of a row is that of the chart's point.
Table RooflineTable(const Subject& subject, const analysis::Roofline& roofline, const RooflineQuery& query);
// Of the points that have a row in `table` (after it was filtered) among its first `max_points`; 0: all.
RooflineChart ChartOf(const Subject& subject, const analysis::Roofline& roofline, const RooflineQuery& query,
                      const Table& table, size_t max_points);

}  // namespace warpscope::view
