// LogTime: when a log line was written, on the clock that the line shows. [MT] Values and pure functions.
// Times of different clocks are never compared. Decimal text becomes nanoseconds without passing a double.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpscope::faults {

enum class Clock : uint8_t {
  kNone,    // the line shows none
  kBoot,    // since the machine started: dmesg, /dev/kmsg
  kUtc,     // epoch; the line names its zone
  kLocal,   // as epoch of UTC, but of a zone that the line does not name
  kNoYear,  // syslog: month and day, counted from January of a year that the log does not tell
};
std::string_view NameOf(Clock clock);  // "boot", "utc", "local", "no_year", "none"

struct LogTime {
  Clock clock = Clock::kNone;
  int64_t ns = 0;

  bool operator==(const LogTime&) const = default;
};

// "2025-01-21 02:21:33.498 UTC", "Jul 23 13:42:46", "4015.437 s after boot"; "" for kNone.
std::string TextOf(const LogTime& time);

// Each takes a time from the start of `text` and moves past it; absent, and nothing moved, if there is none.
// 2025-01-21T02:21:33,498559+00:00; also a space for the T, a dot, no fraction, Z, +0000, " UTC", or no zone.
std::optional<LogTime> TakeIsoTime(std::string_view& text);
// "Jul 23 13:42:46", with a fraction or not. kNoYear.
std::optional<LogTime> TakeSyslogTime(std::string_view& text);
// "Thu Jul 18 16:03:51 2024" (dmesg -T) and "Dec 18 2024 19:09:50" (Fabric Manager). kLocal.
std::optional<LogTime> TakeCalendarTime(std::string_view& text);
// "7/18/2024 4:03:51 PM" (month first only with "/"), "18.07.2024 16:03:51", "2024/7/18 16:03:51", "2024年7月18日 下午
// 4:03:51".
std::optional<LogTime> TakeNumericTime(std::string_view& text);
// A day's name in any language, and the blanks behind it: a word of letters, as they stand before dates.
bool SkipWeekday(std::string_view& text);
// "4015.437442" -> nanoseconds; at least one digit before the point, at most nine behind it count.
std::optional<int64_t> TakeSeconds(std::string_view& text);

}  // namespace warpscope::faults
