// MonthNames: months as `dmesg -T`, `journalctl` and syslog write them in the languages of a system (strftime's %b).
// [MT] Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace warpscope::faults {

// "Jul", "Juli", "juil.", "июл", "7月" at the start of `text`, past it: 1 to 12. Absent, and nothing moved, for others.
std::optional<int64_t> TakeMonthName(std::string_view& text);

}  // namespace warpscope::faults
