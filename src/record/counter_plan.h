// The counter plan of a run (wire/counter_plan.h), written before its program starts. [MT]
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace warpscope::record {

// Words and values, in order; none of them holds a line break. kIo: the file cannot be written.
Status WriteCounterPlan(const std::string& run_folder, const std::vector<std::pair<std::string, std::string>>& lines);

}  // namespace warpscope::record
