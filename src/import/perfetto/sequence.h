// State of one packet sequence: interned texts, defaults and clocks, which later packets of the sequence refer to.
// [one thread]
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "import/protobuf/wire.h"
#include "model/string_pool.h"

namespace warpscope::import::perfetto {

using model::StringId;

struct Sequence {
  bool seen = false;
  bool intact = true;  // false between lost packets and the next cleared state
  std::unordered_map<uint64_t, StringId> categories, names, annotation_names, annotation_strings;
  std::unordered_map<uint64_t, StringId> gpu_specifications, kernels;
  std::unordered_map<uint64_t, bool> is_compute;  // of gpu_specifications
  std::unordered_map<uint64_t, int64_t> context_pids;
  std::optional<uint32_t> default_clock;
  std::optional<uint64_t> default_track;

  struct OwnClock {
    bool incremental = false;
    uint64_t unit_ns = 1;
    uint64_t last = 0;      // of an incremental clock
    int64_t offset_ns = 0;  // to the trace's clock
  };
  std::map<uint32_t, OwnClock> clocks;

  // Forgets what a cleared incremental state makes invalid; clocks are sent anew as well.
  void Clear();
  void AddInterned(std::string_view interned_data, model::StringPool* strings);
  void AddDefaults(std::string_view trace_packet_defaults);
};

// Clocks of the whole trace, told by clock snapshots.
class Clocks {
 public:
  void AddSnapshot(std::string_view clock_snapshot, Sequence* sequence);
  // A packet's timestamp as ns of the trace's clock; moves an incremental clock on.
  int64_t ToTraceNs(uint64_t timestamp, std::optional<uint32_t> clock_id, Sequence* sequence);
  // What to add for epoch times, from the first snapshot that holds the real time.
  std::optional<int64_t> epoch_offset_ns() const { return epoch_offset_ns_; }

 private:
  std::map<uint32_t, int64_t> offsets_ns_;
  std::optional<int64_t> epoch_offset_ns_;
};

}  // namespace warpscope::import::perfetto
