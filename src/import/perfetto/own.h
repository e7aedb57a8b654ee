// Files that this program's exporter wrote: marks of the category "warpscope" describe sources, devices, processes,
// threads, streams and counters, so that reading gives the same rows again (docs/formats/perfetto.md). [one thread]
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/trace.h"

namespace warpscope::import::perfetto {

// The annotations of one mark.
class Record {
 public:
  void Set(std::string_view name, std::optional<int64_t> whole, std::string_view text) {
    if (whole) wholes_[std::string(name)] = *whole;
    if (!text.empty()) texts_[std::string(name)] = text;
  }
  std::optional<int64_t> Whole(std::string_view name) const {
    const auto it = wholes_.find(name);
    return it == wholes_.end() ? std::nullopt : std::optional(it->second);
  }
  std::string_view Text(std::string_view name) const {
    const auto it = texts_.find(name);
    return it == texts_.end() ? std::string_view() : it->second;
  }

 private:
  std::map<std::string, int64_t, std::less<>> wholes_;
  std::map<std::string, std::string, std::less<>> texts_;
};

// Track uuids of our files: kind, row of the table, and a lane where rows overlap.
enum class OwnTrack : uint8_t {
  kNone = 0,
  kProcess = 1,
  kThread,
  kStream,
  kGpuAnnotation,
  kSync,
  kMemory,
  kCounter,
  kMarks
};
struct OwnUuid {
  OwnTrack kind = OwnTrack::kNone;
  uint32_t row = 0;
};
OwnUuid ParseOwnUuid(uint64_t uuid);

class Own {
 public:
  // A mark: "source", "device", ..., or a row that is no slice: "sync", "memory".
  void Add(std::string_view name, Record record, int64_t time_ns);
  bool any() const { return !tables_.empty(); }

  // Makes the dimension rows. REQUIRES: any(). The first source of the file is the row `first_source`, which exists.
  void MakeTables(model::Trace* trace, const std::string& path, uint32_t first_source);
  // Rows of the trace for rows of the file; kNone if damaged.
  uint32_t Thread(uint32_t row) const { return At(threads_, row); }
  uint32_t Stream(uint32_t row) const { return At(streams_, row); }
  struct Counter {
    uint32_t device = model::kNone;
    model::StringId unit = model::kNoString;
  };
  Counter CounterOf(uint32_t row) const { return row < counters_.size() ? counters_[row] : Counter(); }
  int64_t shift_ns() const { return shift_ns_; }
  // Syncs and memory events; REQUIRES: MakeTables() was called.
  void MakeRows(model::Trace* trace) const;

 private:
  struct Row {
    Record record;
    int64_t time_ns = 0;
  };
  static uint32_t At(const std::vector<uint32_t>& rows, uint64_t row) {
    return row < rows.size() ? rows[row] : model::kNone;
  }
  const std::vector<Row>& Table(std::string_view name) const;
  void MakeSources(model::Trace* trace, const std::string& path, uint32_t first_source);
  void MakeDevices(model::Trace* trace);
  void MakeProcesses(model::Trace* trace);
  void MakeStreams(model::Trace* trace);
  uint32_t Domain(std::optional<int64_t> domain);

  std::map<std::string, std::vector<Row>, std::less<>> tables_;
  std::vector<uint32_t> sources_, devices_, processes_, threads_, streams_;  // rows of the trace
  std::map<int64_t, uint32_t> domains_;                                      // of the trace, by domain of the file
  uint32_t next_domain_ = 0;
  std::vector<Counter> counters_;
  int64_t shift_ns_ = 0;
};

}  // namespace warpscope::import::perfetto
