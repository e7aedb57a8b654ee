// The details page names metrics by labels ("Duration"); the model by the metric's own name.
// [MT] Pure function.
#pragma once

#include <string_view>

namespace warpscope::import::ncu_csv {

// The metric behind a label; the label itself if it is a metric's name already, or unknown. `is_share`: its unit is
// "%", which tells apart labels that two sections use for different metrics.
std::string_view MetricOfLabel(std::string_view label, bool is_share);

}  // namespace warpscope::import::ncu_csv
