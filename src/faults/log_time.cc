#include "faults/log_time.h"

#include <fmt/format.h>

#include <array>

#include "faults/month_names.h"
#include "faults/scan_text.h"

namespace warpscope::faults {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kDay = 86400 * kSecond;
constexpr int64_t kLeapYear = 1972;  // stands for the year that syslog leaves out: it has a 29th of February
constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

struct Date {
  int64_t year;
  int64_t month;  // 1-12
  int64_t day;
};

// Days since 1970-01-01 and back: the arithmetic of H. Hinnant's "chrono-compatible low-level date algorithms", which
// counts in eras of 400 years that begin on the first of March.
int64_t DaysOf(const Date& date) {
  const int64_t year = date.year - (date.month <= 2 ? 1 : 0);
  const int64_t era = (year >= 0 ? year : year - 399) / 400;
  const int64_t year_of_era = year - era * 400;
  const int64_t day_of_year = (153 * (date.month + (date.month > 2 ? -3 : 9)) + 2) / 5 + date.day - 1;
  return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

Date DateOf(int64_t days) {
  days += 719468;
  const int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  const int64_t day_of_era = days - era * 146097;
  const int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t month = (5 * day_of_year + 2) / 153;
  return {year_of_era + era * 400 + (month >= 10 ? 1 : 0), month < 10 ? month + 3 : month - 9,
          day_of_year - (153 * month + 2) / 5 + 1};
}

// Exactly `digits` digits.
std::optional<int64_t> TakeFixed(std::string_view& text, size_t digits) {
  if (text.size() < digits) return {};
  int64_t value = 0;
  for (size_t at = 0; at < digits; ++at) {
    if (!IsDigit(text[at])) return {};
    value = value * 10 + (text[at] - '0');
  }
  text.remove_prefix(digits);
  return value;
}

std::optional<int64_t> TakeSmall(std::string_view& text, uint64_t most) {
  const auto value = TakeNumber(text);
  if (!value || *value > most) return {};
  return static_cast<int64_t>(*value);
}

// The fraction's digits behind "." or ","; 0 if there is none.
int64_t TakeFraction(std::string_view& text) {
  if (text.size() < 2 || (text[0] != '.' && text[0] != ',') || !IsDigit(text[1])) return 0;
  text.remove_prefix(1);
  int64_t ns = 0, unit = kSecond / 10;
  while (!text.empty() && IsDigit(text[0])) {
    ns += (text[0] - '0') * unit;
    unit /= 10;
    text.remove_prefix(1);
  }
  return ns;
}

// "13:42:46" with a fraction or not, as ns of the day.
std::optional<int64_t> TakeClockTime(std::string_view& text) {
  const auto hour = TakeSmall(text, 23);
  if (!hour || !Skip(text, ":")) return {};
  const auto minute = TakeFixed(text, 2);
  if (!minute || *minute > 59 || !Skip(text, ":")) return {};
  const auto second = TakeFixed(text, 2);
  if (!second || *second > 60) return {};
  return (*hour * 3600 + *minute * 60 + *second) * kSecond + TakeFraction(text);
}

bool IsDate(const Date& date) {
  return date.year >= 1970 && date.year <= 2200 && date.month >= 1 && date.month <= 12 && date.day >= 1 &&
         date.day <= 31;
}

// Z, +00:00, -0600, " UTC": what to subtract to get UTC. Absent, and nothing moved, without a zone.
std::optional<int64_t> TakeZone(std::string_view& text) {
  if (Skip(text, "Z") || Skip(text, " UTC") || Skip(text, " GMT")) return 0;
  if (text.empty() || (text[0] != '+' && text[0] != '-')) return {};
  std::string_view rest = text.substr(1);
  const auto hours = TakeFixed(rest, 2);
  Skip(rest, ":");
  const auto minutes = TakeFixed(rest, 2);
  if (!hours || !minutes || *hours > 15 || *minutes > 59) return {};
  const int64_t ns = (*hours * 3600 + *minutes * 60) * kSecond;
  const bool west = text[0] == '-';
  text = rest;
  return west ? -ns : ns;
}

}  // namespace

std::string_view NameOf(Clock clock) {
  switch (clock) {
    case Clock::kNone: return "none";
    case Clock::kBoot: return "boot";
    case Clock::kUtc: return "utc";
    case Clock::kLocal: return "local";
    case Clock::kNoYear: return "no_year";
  }
  return "none";
}

std::string TextOf(const LogTime& time) {
  if (time.clock == Clock::kNone) return "";
  if (time.clock == Clock::kBoot)
    return fmt::format("{}.{:03} s after boot", time.ns / kSecond, time.ns % kSecond / 1'000'000);
  const int64_t days = time.ns / kDay;
  const Date date = DateOf(days);
  const int64_t in_day = time.ns - days * kDay, second = in_day / kSecond, ms = in_day % kSecond / 1'000'000;
  std::string clock = fmt::format("{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60);
  if (ms != 0) clock += fmt::format(".{:03}", ms);
  if (time.clock == Clock::kNoYear)
    return fmt::format("{} {} {}", kMonths[static_cast<size_t>(date.month - 1)], date.day, clock);
  return fmt::format("{:04}-{:02}-{:02} {}{}", date.year, date.month, date.day, clock,
                     time.clock == Clock::kUtc ? " UTC" : "");
}

std::optional<LogTime> TakeIsoTime(std::string_view& text) {
  std::string_view rest = text;
  const auto year = TakeFixed(rest, 4);
  if (!year || !Skip(rest, "-")) return {};
  const auto month = TakeFixed(rest, 2);
  if (!month || !Skip(rest, "-")) return {};
  const auto day = TakeFixed(rest, 2);
  if (!day || !IsDate({*year, *month, *day}) || (!Skip(rest, "T") && !Skip(rest, " "))) return {};
  const auto clock = TakeClockTime(rest);
  if (!clock) return {};
  const auto zone = TakeZone(rest);
  text = rest;
  const int64_t ns = DaysOf({*year, *month, *day}) * kDay + *clock;
  return LogTime{zone ? Clock::kUtc : Clock::kLocal, ns - zone.value_or(0)};
}

std::optional<LogTime> TakeSyslogTime(std::string_view& text) {
  std::string_view rest = text;
  const auto month = TakeMonthName(rest);
  if (!month || !Skip(rest, " ")) return {};
  SkipSpaces(rest);
  const auto day = TakeSmall(rest, 31);
  if (!day || *day == 0 || !Skip(rest, " ")) return {};
  const auto clock = TakeClockTime(rest);
  if (!clock) return {};
  text = rest;
  return LogTime{Clock::kNoYear, DaysOf({kLeapYear, *month, *day}) * kDay + *clock};
}

bool SkipWeekday(std::string_view& text) {
  constexpr size_t kMost = 20;
  const size_t space = text.substr(0, kMost).find(' ');
  if (space == std::string_view::npos || space == 0) return false;
  for (const char byte : text.substr(0, space)) {
    const bool is_letter = static_cast<unsigned char>(byte) >= 0x80 || (Lower(byte) >= 'a' && Lower(byte) <= 'z');
    if (!is_letter && byte != '.' && byte != ',') return false;
  }
  text.remove_prefix(space);
  SkipSpaces(text);
  return true;
}

std::optional<LogTime> TakeCalendarTime(std::string_view& text) {
  std::string_view rest = text;
  auto month = TakeMonthName(rest);
  if (!month && SkipWeekday(rest)) month = TakeMonthName(rest);
  std::optional<int64_t> day;
  if (!month) {  // "18 Jul 2024 16:03:51"
    day = TakeSmall(rest, 31);
    if (!day || !Skip(rest, " ")) return {};
    month = TakeMonthName(rest);
  }
  if (!month || !Skip(rest, " ")) return {};
  if (!day) {
    SkipSpaces(rest);
    day = TakeSmall(rest, 31);
    if (!day || !Skip(rest, " ")) return {};
  }
  std::string_view year_first = rest;
  std::optional<int64_t> year = TakeFixed(year_first, 4), clock;
  if (year && Skip(year_first, " ")) {
    clock = TakeClockTime(year_first);
    rest = year_first;
  } else {
    clock = TakeClockTime(rest);
    year = clock && Skip(rest, " ") ? TakeFixed(rest, 4) : std::nullopt;
  }
  if (!year || !clock || !IsDate({*year, *month, *day})) return {};
  text = rest;
  return LogTime{Clock::kLocal, DaysOf({*year, *month, *day}) * kDay + *clock};
}

namespace {

// "/", ".", "-" or "年" and "月"; one kind in a date.
bool SkipDateSeparator(std::string_view& text, std::string_view* separator) {
  for (const std::string_view one : {"/", ".", "-", "年", "月"}) {
    if (!Skip(text, one)) continue;
    if (separator->empty()) *separator = one;
    return *separator == one || (*separator == "年" && one == "月");
  }
  return false;
}

enum class Half : uint8_t { kNone, kMorning, kAfternoon };

Half TakeHalf(std::string_view& text) {
  std::string_view rest = text;
  SkipSpaces(rest);
  for (const std::string_view word : {"AM", "am", "a.m.", "上午", "午前", "오전"}) {
    if (Skip(rest, word)) {
      text = rest;
      return Half::kMorning;
    }
  }
  for (const std::string_view word : {"PM", "pm", "p.m.", "下午", "午後", "오후"}) {
    if (Skip(rest, word)) {
      text = rest;
      return Half::kAfternoon;
    }
  }
  return Half::kNone;
}

}  // namespace

std::optional<LogTime> TakeNumericTime(std::string_view& text) {
  std::string_view rest = text, separator;
  const auto first = TakeSmall(rest, 2200);
  const size_t digits = text.size() - rest.size();
  if (!first || !SkipDateSeparator(rest, &separator)) return {};
  const auto second = TakeSmall(rest, 31);
  if (!second || !SkipDateSeparator(rest, &separator)) return {};
  const auto third = TakeSmall(rest, 2200);
  if (!third) return {};
  Date date{*first, *second, *third};
  if (digits != 4) {
    // The day comes first but in the United States, which write "/"; 13 and more is no month.
    const bool is_month_first = separator == "/" && *first <= 12;
    date = is_month_first ? Date{*third, *first, *second} : Date{*third, *second, *first};
  }
  if (!IsDate(date)) return {};
  Skip(rest, "日");
  Skip(rest, ",");
  if (!Skip(rest, " ") && !Skip(rest, "T")) return {};
  Half half = TakeHalf(rest);
  SkipSpaces(rest);
  auto clock = TakeClockTime(rest);
  if (!clock) return {};
  if (half == Half::kNone) half = TakeHalf(rest);
  if (half == Half::kMorning && *clock >= kDay / 2) *clock -= kDay / 2;
  if (half == Half::kAfternoon && *clock < kDay / 2) *clock += kDay / 2;
  text = rest;
  return LogTime{Clock::kLocal, DaysOf(date) * kDay + *clock};
}

std::optional<int64_t> TakeSeconds(std::string_view& text) {
  std::string_view rest = text;
  constexpr uint64_t kMost = 8'000'000'000;  // beyond it nanoseconds leave 64 bits
  const auto seconds = TakeSmall(rest, kMost);
  if (!seconds) return {};
  const int64_t ns = *seconds * kSecond + TakeFraction(rest);
  text = rest;
  return ns;
}

}  // namespace warpscope::faults
