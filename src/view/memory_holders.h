// Who holds memory at a moment: `memory --by stack`. [MT] Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "view/tables.h"

namespace warpscope::view {

// `at_ns`: the moment, on the trace's clock; absent: each device's peak.
Table MemoryHoldersTable(const Subject& subject, std::optional<int64_t> at_ns = std::nullopt);

}  // namespace warpscope::view
