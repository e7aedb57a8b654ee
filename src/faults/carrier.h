// Carrier: what stands around a kernel message - time, host, program, level - in every form in which logs are kept:
// dmesg (plain, -T, -x, --time-format), /dev/kmsg, journalctl (short, ISO, precise, monotonic, unix, full, cat,
// verbose, JSON, export), JSON of containers and collectors, syslog of 1164 and 5424, Fabric Manager's log, pstore, or
// nothing. Lines may change form from one to the next, as the parts of a bug report do. [one thread]
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "faults/log_time.h"

namespace warpscope::faults {

struct LogLine {
  LogTime time;
  std::string_view tag;      // the program that wrote it: "kernel", "nv-fabricmanager"; "" where the form has none
  std::string_view message;  // without all that
};

class Carrier {
 public:
  // Views point into `line` or into this object and hold until the next call. Absent: a line that only carries fields
  // of the next or last message.
  std::optional<LogLine> Read(std::string_view line);

 private:
  std::optional<LogLine> ReadJson(std::string_view line);
  std::string_view WithoutColours(std::string_view line);
  std::optional<LogLine> ReadField(std::string_view line);
  LogLine ReadStamped(std::string_view line);
  void AfterHost(std::string_view rest, LogLine* out) const;
  LogTime WithYear(LogTime time);

  std::string decoded_;                 // of a JSON message
  std::string plain_;                   // a line without its colours
  std::optional<LogTime> export_time_;  // fields of one entry come line by line
  std::string export_tag_;
  LogTime last_no_year_;
  int64_t years_passed_ns_ = 0;
};

// The value of a string or number `key` of a flat JSON object, decoded into `to`; false if it has none. Journald writes
// messages that are not UTF-8 as lists of bytes: those are decoded as well.
bool JsonField(std::string_view object, std::string_view key, std::string* to);

}  // namespace warpscope::faults
