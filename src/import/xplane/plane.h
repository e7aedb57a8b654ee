// One XPlane taken apart: its lines, and the names that its events and stats refer to by number. Field numbers are
// those of tensorflow/core/profiler/protobuf/xplane.proto (docs/formats/xplane.md). [one thread]. Views point into the
// bytes given, which must outlive the plane.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "import/protobuf/wire.h"

namespace warpscope::import::xplane {

// The stats that are read, by name in xplane_schema.cc of XLA.
enum class StatKind : uint8_t {
  kOther,
  kCorrelationId,
  kKernelDetails,
  kMemcpyDetails,
  kMemsetDetails,
  kMemory,  // memalloc_details and others: no copy
  kHloOp,
  kHloModule,
  kTfOp,
  kStepNum,
  kDeviceId,
  kDeviceVendor,
  kDeviceType,
  kCoreCount,
  kMemorySize,
  kComputeCapMajor,
  kComputeCapMinor,
  kProfileStart,
  kAllocatorName,
  kBytesAllocated,
  kBytesReserved,
  kAllocationBytes,
  kAddress,
};

struct Stat {
  StatKind kind = StatKind::kOther;
  std::optional<int64_t> number;  // whole numbers; what exceeds int64 keeps its bits
  std::string_view text;          // of str_value, or the text that ref_value means
};

// What is known of one event, own stats before those of its metadata.
struct Stats {
  std::optional<int64_t> correlation_id, step_num, device_id, allocation_bytes, address, bytes_allocated,
      bytes_reserved;
  std::string_view kernel_details, memcpy_details, memset_details, hlo_op, hlo_module, tf_op, allocator;
};

struct Line {
  int64_t id = 0, timestamp_ns = 0;
  std::string_view name, display_name;
  std::string_view bytes;
};

struct Event {
  std::string_view name, display_name;
  int64_t offset_ps = 0;
  std::optional<int64_t> duration_ps;
  bool aggregated = false;  // a count of occurrences: no place in time
  Stats stats;
};

class Plane {
 public:
  explicit Plane(std::string_view bytes);

  int64_t id() const { return id_; }
  std::string_view name() const { return name_; }
  bool damaged() const { return damaged_; }
  const std::vector<Line>& lines() const { return lines_; }
  std::vector<Stat> stats() const;  // of the plane itself: what the device is

  // Calls visit(const Event&) for each event of the line in order; returns how many are damaged and left out.
  template <typename Visit>
  uint64_t ForEachEvent(const Line& line, const Visit& visit) const {
    protobuf::Fields fields(line.bytes);
    Event event;
    uint64_t broken = 0;
    while (fields.Next()) {
      if (fields->number != 4 || !fields->is_bytes()) continue;
      if (ReadEvent(fields->bytes, &event)) visit(event);
      else ++broken;
    }
    return broken + (fields.damaged() ? 1 : 0);
  }

 private:
  struct EventName {
    std::string_view name, display_name;
    std::string_view bytes;  // of the metadata; holds stats
    bool has_stats = false;
  };

  bool ReadEvent(std::string_view bytes, Event* event) const;
  void AddStat(std::string_view bytes, Stats* stats) const;
  Stat ReadStat(std::string_view bytes) const;
  void ReadEventName(std::string_view entry);
  void ReadStatName(std::string_view entry);
  void ReadLine(std::string_view bytes);

  int64_t id_ = 0;
  std::string_view name_;
  bool damaged_ = false;
  std::vector<Line> lines_;
  std::vector<std::string_view> stats_;
  std::unordered_map<int64_t, EventName> event_names_;
  std::unordered_map<int64_t, std::pair<std::string_view, StatKind>> stat_names_;
};

}  // namespace warpscope::import::xplane
