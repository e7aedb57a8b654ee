// One line of Prometheus' text format: NAME{LABEL="VALUE",...} NUMBER [MILLISECONDS].
// [MT] Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpscope::import::prometheus {

struct SeriesPoint {
  std::string_view name;
  std::vector<std::pair<std::string_view, std::string>> labels;  // escapes resolved
  std::optional<double> value;                                   // absent: NaN, infinite
  std::optional<int64_t> time_ms;
  std::string_view identity;  // name and labels as written

  std::string_view Label(std::string_view name) const;  // "" if there is none
};

// Nothing if the line is no series.
std::optional<SeriesPoint> ParseSeries(std::string_view line);

}  // namespace warpscope::import::prometheus
