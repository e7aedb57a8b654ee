// What the model keeps in columns of its own is told by metrics: launch geometry, registers, shared memory, duration,
// device. Shared by the readers of reports and of CSV pages.
// [one thread]
#pragma once

#include "import/appender.h"

namespace warpscope::import::ncu {

// Fills config, dur_ns and device of profiles [first, end of table) from their metrics, where they are not set.
// `config`: geometry as the file tells it beside the metrics, by profile (same count); all 0 where it does not.
void FillFromMetrics(Appender& out, size_t first_profile, std::vector<model::LaunchConfig> configs);

// Fills a device's columns from the attributes at [attribute_begin, attribute_end).
void FillFromAttributes(Appender& out, uint32_t device_row);

}  // namespace warpscope::import::ncu
