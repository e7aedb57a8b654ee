// The named sets of metrics that exact counters collect. [MT] Constants.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace warpscope::record {

enum class MetricSet : uint8_t { kBasic, kFull };

// In the order of worth; full holds basic.
std::vector<std::string_view> MetricsOf(MetricSet set);

}  // namespace warpscope::record
