// Lines of a table that `nsys stats` prints: columns under a dashed ruler, or comma-separated.
// [MT] Values and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/measurements.h"

namespace warpscope::import::nsys_stats {

// What a report is about, by its title and name: " ** CUDA API Summary (cuda_api_sum):", "cudaapisum.py", "CUDA Kernel
// Statistics". Absent: a report of sizes, or one that is not known.
std::optional<model::SummaryKind> KindOf(std::string_view title);

// "--------  ---------------  ---": where each column stands.
struct Ruler {
  struct Span {
    size_t begin = 0, end = 0;
  };
  std::vector<Span> columns;
};
std::optional<Ruler> ParseRuler(std::string_view line);

std::vector<std::string> SplitByRuler(std::string_view line, const Ruler& ruler);
std::vector<std::string> SplitByCommas(std::string_view line);  // with quotes and doubled quotes

// Which column holds what, and how many nanoseconds one of its units is.
struct Layout {
  std::optional<size_t> total, count, min, max, name, style;
  double unit_ns = 1;
};
// Absent where the header is not that of a table of totals.
std::optional<Layout> ParseHeader(const std::vector<std::string>& header);

// "1,234,567" and "12.5"; absent for anything else. In units of `unit_ns`.
std::optional<int64_t> Nanoseconds(std::string_view text, double unit_ns);
std::optional<uint64_t> Whole(std::string_view text);

}  // namespace warpscope::import::nsys_stats
