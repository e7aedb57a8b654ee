// What the groups and tracks of the timeline are called. [MT] Pure.
#pragma once

#include <optional>
#include <string>

#include "analysis/index.h"

namespace warpscope::page {

std::string ProcessGroup(const analysis::Index& index, uint32_t process);  // "rank 0, process 123 python"
std::string DeviceGroup(const analysis::Index& index,
                        uint32_t device);                            // "GPU 0 NVIDIA H200"; of several ranks also which
std::string ThreadName(const model::Trace& trace, uint32_t thread);  // "thread 123 pt_main_thread"
std::string StreamName(const model::Trace& trace, uint32_t stream);  // "stream 7 default"
std::optional<int64_t> RankOfProcess(const analysis::Index& index, uint32_t process);

}  // namespace warpscope::page
