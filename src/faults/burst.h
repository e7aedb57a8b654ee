// Burst: the same fault on the same device again and again within a short time, told once with its count. Bursts()
// folds events as they come, in memory that does not grow with the log. [one thread]
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "faults/event.h"

namespace warpscope::faults {

struct Program {
  uint64_t pid = 0;  // 0: unknown
  std::string name;  // "" likewise

  auto operator<=>(const Program&) const = default;
};

struct Burst {
  Event first;  // the first event whole
  LogTime last_time;
  uint64_t last_line = 0;
  uint64_t count = 0;
  uint64_t header_count = 0;   // of lines that only announce (Event::is_header)
  std::set<Program> programs;  // at most kMostPrograms
  uint64_t programs_left_out = 0;
  std::set<int64_t> links;
  std::set<std::string> units;  // Event::unit, at most kMostLinks

  static constexpr size_t kMostPrograms = 16;
  static constexpr size_t kMostLinks = 64;
};

// Where an event stands in its log, in ns: its time, or its line as if one came a second.
int64_t PositionOf(const LogTime& time, uint64_t line);
// True if positions of the two can be subtracted: the same clock, and the same log unless the clock is UTC.
bool Comparable(const Burst& left, const Burst& right);

class BurstFolder {
 public:
  void Add(Event event);
  // In the order in which they began: by log, by line; those of one clock over several logs by time.
  std::vector<Burst> Take();
  uint64_t repeated_count() const { return repeated_count_; }  // events that another log, or a second copy, told again
  uint64_t folded_late_count() const { return folded_late_count_; }  // beyond kMostBursts

  static constexpr size_t kMostBursts = 4096;

 private:
  struct Key {
    const Entry* entry;
    int code;
    uint32_t log;
    uint32_t boot;
    Severity severity;
    bool has_device;
    PciAddress device;
    std::string place, kind;
    auto operator<=>(const Key&) const = default;
  };
  bool IsCopy(const Event& event);

  std::vector<Burst> bursts_;
  std::map<Key, size_t> open_;
  std::map<uint64_t, std::pair<uint32_t, uint64_t>> seen_;  // hash of an event -> its log and line
  uint64_t repeated_count_ = 0;
  uint64_t folded_late_count_ = 0;
};

}  // namespace warpscope::faults
