#include "faults/carrier.h"

#include "faults/scan_text.h"

namespace warpscope::faults {
namespace {

constexpr int64_t kMicrosecond = 1000;
constexpr int64_t kDayNs = 86400'000'000'000;

// "1737426093498559", microseconds since 1970.
std::optional<LogTime> EpochMicroseconds(std::string_view text) {
  const auto us = TakeNumber(text);
  if (!us || *us > 8'000'000'000'000'000) return {};
  return LogTime{Clock::kUtc, static_cast<int64_t>(*us) * kMicrosecond};
}

// "[ 4015.437442]", "[ 4015.437442][ T1234]", "[Thu Jul 18 16:03:51 2024]", "[  +0.000012]" (a step, no time).
bool TakeBracket(std::string_view& text, LogTime* time) {
  std::string_view rest = text;
  if (!Skip(rest, "[")) return false;
  const auto inside = TakeUntil(rest, "]");
  if (!inside || inside->size() > 40) return false;
  std::string_view words = Trim(*inside);
  if (words.starts_with('+')) {
    std::string_view step = words.substr(1);
    if (!TakeSeconds(step) || !step.empty()) return false;
  } else {
    std::string_view number = words;
    const auto seconds = TakeSeconds(number);
    const size_t used = words.size() - number.size();
    if (seconds && number.empty() && Has(words.substr(0, used), ".")) {
      *time = {Clock::kBoot, *seconds};
    } else if (const auto calendar = TakeCalendarTime(words)) {
      *time = *calendar;
    } else if (const auto iso = TakeIsoTime(words)) {
      *time = *iso;
    } else if (const auto numeric = TakeNumericTime(words)) {
      *time = *numeric;
    } else if (words != "..." && !(words.size() > 5 && TakeSyslogTime(words))) {
      return false;
    }
  }
  text = rest;
  // Kernels that tell the caller: "[ T1234]" or "[   C0]".
  std::string_view caller = text;
  if (Skip(caller, "[")) {
    SkipSpaces(caller);
    if ((Skip(caller, "T") || Skip(caller, "C")) && TakeNumber(caller) && Skip(caller, "]")) text = caller;
  }
  SkipSpaces(text);
  return true;
}

// "kern  :warn  : " of dmesg --decode.
void SkipDecodedLevel(std::string_view& text) {
  std::string_view rest = text;
  const std::string_view facility = rest.substr(0, rest.find_first_of(" :"));
  if (facility != "kern" && facility != "user" && facility != "daemon" && facility != "syslog") return;
  rest.remove_prefix(facility.size());
  SkipSpaces(rest);
  if (!Skip(rest, ":")) return;
  while (!rest.empty() && IsWordByte(rest[0])) rest.remove_prefix(1);
  SkipSpaces(rest);
  if (!Skip(rest, ":")) return;
  SkipSpaces(rest);
  text = rest;
}

// "6,3964,206764307,-;" or with further fields before the semicolon.
bool TakeKmsg(std::string_view& text, LogTime* time) {
  std::string_view rest = text;
  if (!TakeNumber(rest) || !Skip(rest, ",") || !TakeNumber(rest) || !Skip(rest, ",")) return false;
  const auto us = TakeNumber(rest);
  if (!us || *us > INT64_MAX / kMicrosecond || !Skip(rest, ",")) return false;
  const auto flags = TakeUntil(rest, ";");
  if (!flags || flags->size() > 80) return false;
  *time = {Clock::kBoot, static_cast<int64_t>(*us) * kMicrosecond};
  text = rest;
  return true;
}

// "<6>" or, in RFC 5424, "<4>1 ".
void SkipPriority(std::string_view& text) {
  std::string_view rest = text;
  if (!Skip(rest, "<")) return;
  const auto priority = TakeNumber(rest);
  if (!priority || *priority > 191 || !Skip(rest, ">")) return;
  Skip(rest, "1 ");
  text = rest;
}

// Forms that are none of the above put their time somewhere before the driver's words: in quotes, behind a level or a
// key.
LogTime TimeBefore(std::string_view line) {
  constexpr size_t kMost = 160;
  const size_t words = line.substr(0, kMost).find("NVRM: ");
  if (words == std::string_view::npos) return {};
  for (size_t at = 0; at + 8 < words; ++at) {
    if (!IsDigit(line[at]) || (at > 0 && IsWordByte(line[at - 1]))) continue;
    std::string_view rest = line.substr(at, words - at);
    if (const auto iso = TakeIsoTime(rest)) return *iso;
    if (const auto numeric = TakeNumericTime(rest)) return *numeric;
  }
  return {};
}

// Program names have no spaces: "kernel", "systemd", "nvidia-persistenced", "nv_fabric.sh".
bool IsTag(std::string_view word) {
  if (word.empty() || word.size() > 48) return false;
  for (const char byte : word) {
    if (!IsWordByte(byte) && byte != '-' && byte != '.' && byte != '/' && byte != '@') return false;
  }
  return true;
}

}  // namespace

// "host kernel: message", "host program[123]: message", "host kernel - - - message".
void Carrier::AfterHost(std::string_view rest, LogLine* out) const {
  SkipSpaces(rest);
  const std::string_view whole = rest;
  const std::string_view host = TakeWord(rest);
  std::string_view word = TakeWord(rest);
  // Without a host, as `dmesg --time-format iso` writes it, the message itself begins here.
  const bool is_first_word_the_end = host.ends_with(':');
  std::string_view tag = word;
  if (tag.ends_with(':')) tag.remove_suffix(1);
  else if (word != "kernel" || !rest.starts_with("- ")) tag = {};
  if (tag.ends_with(']') && tag.find('[') != std::string_view::npos) tag = tag.substr(0, tag.find('['));
  if (is_first_word_the_end || !IsTag(tag) || !IsTag(host)) {
    out->message = whole;
    return;
  }
  while (Skip(rest, "- ")) {
  }
  out->tag = tag;
  out->message = rest;
  LogTime inner;  // syslog repeats the kernel's own stamp
  TakeBracket(out->message, &inner);
}

LogTime Carrier::WithYear(LogTime time) {
  if (time.clock != Clock::kNoYear) return time;
  constexpr int64_t kHalfYear = 182 * kDayNs;
  if (last_no_year_.clock == Clock::kNoYear && last_no_year_.ns - time.ns > kHalfYear)
    years_passed_ns_ += 366 * kDayNs;  // December, then January
  last_no_year_ = time;
  time.ns += years_passed_ns_;
  return time;
}

LogLine Carrier::ReadStamped(std::string_view line) {
  LogLine out;
  std::string_view rest = line;
  SkipPriority(rest);
  SkipDecodedLevel(rest);
  if (TakeBracket(rest, &out.time)) {
    out.message = rest;
    // `journalctl -o short-monotonic` puts host and program behind the bracket.
    if (out.time.clock == Clock::kBoot) {
      std::string_view host_and_tag = rest;
      const std::string_view host = TakeWord(host_and_tag);
      if (IsTag(host) && host_and_tag.starts_with("kernel: ")) AfterHost(rest, &out);
    }
    const auto has_level = [&] {
      return out.message.starts_with("[INFO] ") || out.message.starts_with("[ERROR] ") ||
             out.message.starts_with("[WARNING] ") || out.message.starts_with("[tid ") ||
             out.message.starts_with("[FATAL] ");
    };
    while (has_level() && TakeUntil(out.message, "] ")) {  // a line may be cut within a bracket
    }
    return out;
  }
  if (TakeKmsg(rest, &out.time)) {
    out.message = rest;
    return out;
  }
  std::string_view unix_time = rest;
  std::string_view weekday = rest;
  if (SkipWeekday(weekday) && !weekday.empty() && !IsDigit(weekday[0])) weekday = rest;  // short-full
  if (const auto iso = TakeIsoTime(weekday)) {
    out.time = *iso;
    AfterHost(weekday, &out);
  } else if (const auto numeric = TakeNumericTime(rest)) {
    out.time = *numeric;
    AfterHost(Trim(rest), &out);
  } else if (const auto calendar = TakeCalendarTime(rest)) {
    out.time = *calendar;
    AfterHost(rest, &out);
  } else if (const auto syslog = TakeSyslogTime(rest)) {
    out.time = WithYear(*syslog);
    AfterHost(rest, &out);
  } else if (const auto seconds = TakeSeconds(unix_time);
             seconds && *seconds > 1'000'000'000'000'000'000 && unix_time.starts_with(' ')) {
    out.time = {Clock::kUtc, *seconds};  // short-unix
    AfterHost(unix_time, &out);
  } else {
    out.message = rest;
    out.time = TimeBefore(rest);
  }
  return out;
}

// Journald's, and what containers and log collectors make of a line: its time stands beside it, or in it.
std::optional<LogLine> Carrier::ReadJson(std::string_view line) {
  LogTime time;
  std::string value;
  if (JsonField(line, "__REALTIME_TIMESTAMP", &value)) time = EpochMicroseconds(value).value_or(LogTime{});
  for (const std::string_view key : {"@timestamp", "timestamp", "time", "ts"}) {
    if (time.clock != Clock::kNone || !JsonField(line, key, &value)) continue;
    std::string_view words = value;
    if (const auto iso = TakeIsoTime(words)) time = *iso;
  }
  if (JsonField(line, "SYSLOG_IDENTIFIER", &value)) export_tag_ = value;
  else export_tag_.clear();
  bool has_message = false;
  for (const std::string_view key : {"MESSAGE", "message", "msg", "log"})
    has_message = has_message || JsonField(line, key, &decoded_);
  if (!has_message) return {};
  LogLine out = ReadStamped(Trim(decoded_));
  if (time.clock != Clock::kNone) out.time = time;
  if (!export_tag_.empty()) out.tag = export_tag_;
  return out;
}

// Colours that dmesg and terminals put between the parts of a line (ECMA-48).
std::string_view Carrier::WithoutColours(std::string_view line) {
  if (line.find('\x1b') == std::string_view::npos) return line;
  plain_.clear();
  for (size_t at = 0; at < line.size(); ++at) {
    if (line[at] != '\x1b') {
      plain_ += line[at];
    } else if (at + 1 < line.size() && line[at + 1] == '[') {
      at += 2;
      while (at < line.size() && !(line[at] >= 0x40 && line[at] <= 0x7e)) ++at;
    }
  }
  return plain_;
}

// `journalctl -o export` and `-o verbose`: FIELD=value lines.
std::optional<LogLine> Carrier::ReadField(std::string_view line) {
  std::string_view rest = Trim(line);
  if (Skip(rest, "__REALTIME_TIMESTAMP=")) {
    export_time_ = EpochMicroseconds(rest);
    return {};
  }
  if (Skip(rest, "SYSLOG_IDENTIFIER=")) return {};
  if (!Skip(rest, "MESSAGE=")) return {};
  LogLine out;
  out.time = export_time_.value_or(LogTime{});
  out.message = rest;
  return out;
}

std::optional<LogLine> Carrier::Read(std::string_view whole) {
  const std::string_view line = WithoutColours(whole);
  if (line.starts_with('{')) {
    if (const auto json = ReadJson(line)) return json;
  }
  const std::string_view word = Trim(line);
  if (word.starts_with("__REALTIME_TIMESTAMP=") || word.starts_with("MESSAGE=") ||
      word.starts_with("SYSLOG_IDENTIFIER="))
    return ReadField(line);
  LogLine out = ReadStamped(line);
  if (out.time.clock == Clock::kUtc && Has(line, " [s=")) export_time_ = out.time;  // heading of -o verbose
  return out;
}

}  // namespace warpscope::faults
