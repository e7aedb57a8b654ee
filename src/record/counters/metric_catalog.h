// MetricCatalog: every metric that CUPTI can measure on a chip, with unit and description; from libcupti's host
// library, which needs no device. [one thread]
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "cupti/profiler_abi.h"
#include "record/system.h"

namespace warpscope::record {

struct CatalogMetric {
  std::string name;  // "dram__bytes"; with its rollup, "dram__bytes.sum.per_second", where those were asked for
  cupti::MetricType type = cupti::kCounterMetric;
  std::string unit, hardware_unit, description;
};

struct MetricCatalog {
  std::string chip;      // "GH100"
  std::string library;   // that told it
  size_t all_count = 0;  // metrics of the chip, without rollups
  std::vector<CatalogMetric> metrics;
};

// Metrics whose name holds `pattern` (case aside); a pattern with a point asks for rollups too. `chip` "": that of the
// first device here. Sorted by type, then name. kNotFound: no libcupti; kUnsupported: one before 12.6;
// kInvalidArgument: no such chip, with those that there are.
Result<MetricCatalog> ListMetrics(const System& system, std::string chip, std::string_view pattern);

}  // namespace warpscope::record
