#include "record/counters/metric_sets.h"

namespace warpscope::record {

std::vector<std::string_view> MetricsOf(MetricSet set) {
  struct Row {
    MetricSet from;
    std::string_view name;
  };
  static constexpr Row kRows[] = {
#define WS_METRIC(from, name) {MetricSet::from, name},
#include "record/counters/metric_sets.def"
#undef WS_METRIC
  };
  std::vector<std::string_view> metrics;
  for (const Row& row : kRows) {
    if (row.from <= set) metrics.push_back(row.name);
  }
  return metrics;
}

}  // namespace warpscope::record
