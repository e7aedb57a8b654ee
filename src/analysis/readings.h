// What a monitor read, by device: series of one reading with their statistics, and looks (everything read at one
// moment). [MT] Pure functions; results refer to rows of the trace, which must outlive them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/reading_names.h"
#include "model/trace.h"

namespace warpscope::analysis {

// One reading of one device of one source, over time.
struct ReadingSeries {
  uint32_t source = 0;
  uint32_t device = model::kNone;
  model::StringId name = model::kNoString, unit = model::kNoString;
  const model::ReadingInfo* info = nullptr;  // null: not in the catalogue
  uint64_t count = 0;                        // looks with a number or a text
  uint64_t numbers = 0;
  double first = 0, last = 0, min = 0, max = 0, mean = 0;  // of the numbers; meaningless without any
  model::StringId first_text = model::kNoString, last_text = model::kNoString;
  uint64_t absent = 0;  // looks at which the tool said that it has no value (told once a file)
};

// Sorted by source, device, name. Within a series looks are in the order of their time, or as they stand without one.
std::vector<ReadingSeries> ReadingSeriesOf(const model::Trace& trace);

// Everything read from one device at one moment.
struct Look {
  std::optional<int64_t> time_ns;
  uint32_t begin = 0, end = 0;  // of DeviceLog::rows
};

// One device of one source: its looks in the order of their time.
class DeviceLog {
 public:
  uint32_t source = 0, device = model::kNone;
  std::vector<uint32_t> rows;  // of Trace::readings
  std::vector<Look> looks;

  std::optional<double> Value(const Look& look, model::ReadingName name) const;
  // The last number of that name in the whole log (for what hardly changes: limits, sizes).
  std::optional<double> Last(model::ReadingName name) const;
  std::optional<double> First(model::ReadingName name) const;
  bool Has(model::ReadingName name) const { return Last(name).has_value(); }
  // Time from the first look to the last; absent without times.
  std::optional<int64_t> span_ns() const;

 private:
  friend std::vector<DeviceLog> DeviceLogsOf(const model::Trace& trace);
  const model::Trace* trace_ = nullptr;
  std::array<model::StringId, static_cast<size_t>(model::ReadingName::kCount)> ids_{};
};

// Sorted by source, then device. Readings of the machine (no device) are left out.
std::vector<DeviceLog> DeviceLogsOf(const model::Trace& trace);

}  // namespace warpscope::analysis
