// Fragment: what one block of text became - rows with ids of the worker that parsed it, and what that worker's tables
// gained since its previous fragment. Merged in file order, then freed.
// [one thread] at a time: filled by a worker, then read by whoever merges. The text views point into the worker's
// string pool, whose bytes never move.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "import/kineto/interner.h"
#include "model/trace.h"

namespace warpscope::import::kineto {

inline constexpr int64_t kNoNumber = INT64_MIN;

// A row of the host side as a file numbers it: (pid, tid). Words are kept as text (number = kNoNumber).
struct LaneKey {
  int64_t pid = kNoNumber, tid = kNoNumber;
  model::StringId pid_text = model::kNoString, tid_text = model::kNoString;
  int64_t rank = kNoNumber;  // merged files say it with every event
  bool operator==(const LaneKey&) const = default;
};

// Annotations on the device side name neither device nor context; SourceBuilder finds the stream they mean.
struct StreamKey {
  int64_t device = kNoNumber, context = -1, stream = 0;
  LaneKey lane;  // pid and rank only: who the row belongs to where files were merged
  bool operator==(const StreamKey&) const = default;
};

struct RowHash {
  uint64_t operator()(const LaneKey& key) const {
    uint64_t hash = MixHash(1, static_cast<uint64_t>(key.pid));
    hash = MixHash(hash, static_cast<uint64_t>(key.tid));
    hash = MixHash(hash, uint64_t{key.pid_text} << 32 | key.tid_text);
    return MixHash(hash, static_cast<uint64_t>(key.rank));
  }
  uint64_t operator()(const StreamKey& key) const {
    uint64_t hash = MixHash((*this)(key.lane), static_cast<uint64_t>(key.device));
    hash = MixHash(hash, static_cast<uint64_t>(key.context));
    return MixHash(hash, static_cast<uint64_t>(key.stream));
  }
  uint64_t operator()(const model::OpDetail& detail) const {
    uint64_t hash = MixHash(1, uint64_t{detail.input_dims} << 32 | detail.input_types);
    hash = MixHash(hash, uint64_t{detail.input_strides} << 32 | detail.concrete_inputs);
    return MixHash(hash, detail.call_stack);
  }
  uint64_t operator()(const model::LaunchConfig& config) const {
    uint64_t hash = 1;
    for (int i = 0; i < 3; ++i) hash = MixHash(hash, uint64_t{config.grid[i]} << 32 | config.block[i]);
    const auto mixed = [](std::optional<uint32_t> value) { return value ? uint64_t{*value} + 1 : 0; };
    hash = MixHash(hash, mixed(config.registers_per_thread) << 32 ^ mixed(config.shared_bytes));
    hash = MixHash(hash, mixed(config.recorded_occupancy_pct));
    return MixHash(MixHash(hash, config.graph_id), config.graph_node_id);
  }
  uint64_t operator()(const model::CopyDetail& detail) const {
    const auto kinds = static_cast<uint64_t>(detail.kind) << 16 | static_cast<uint64_t>(detail.src) << 8 |
                       static_cast<uint64_t>(detail.dst);
    return MixHash(MixHash(1, kinds), detail.bytes ? *detail.bytes + 1 : 0);
  }
};

struct HostRow {
  int64_t start_ns, dur_ns;
  uint64_t correlation, external_id;
  model::StringId name;
  uint32_t lane;
  uint32_t forward_thread;
  uint32_t detail;
  model::HostKind kind;
};

struct GpuRow {
  int64_t start_ns, dur_ns;
  uint64_t correlation, external_id;
  model::StringId name;
  uint32_t stream;
  uint32_t detail;
  model::GpuKind kind;
};

// What an event of another tool says beside the columns; for the dialects of src/import/chrome/.
struct ExtraRow {
  uint32_t row;  // of the fragment's, later the trace's, host or gpu table
  bool is_gpu;
  model::StringId task_type, details, dtype;
  uint64_t connection, elements, bytes;
};

// Half of a pair: ph B, E (per lane) or b, e (per name and id).
struct OpenRow {
  char phase;
  bool is_gpu;
  bool named;         // an end need not repeat the name
  uint64_t async_id;  // hash of category and id; 0 for B and E
  HostRow host;       // host.lane and host.start_ns hold for both
  GpuRow gpu;
  bool has_extra = false;
  ExtraRow extra{};
};

// ph s, t, f of categories that Kineto does not write.
struct FlowRow {
  char phase;
  uint32_t lane;
  model::StringId kind;  // its category without the number that some tools put behind it
  int64_t time_ns;
  uint64_t id;  // hash of category and id
};

// What an API call of AMD's recorder says about the device work that it issued.
struct CallHint {
  uint64_t correlation;
  int64_t rank;
  uint32_t launch;  // row of launch configurations; kNone if none
  std::optional<uint64_t> bytes;
};

// process_name, process_labels, thread_name.
struct NameRow {
  enum class What : uint8_t { kProcess, kProcessLabels, kThread } what;
  uint32_t lane;
  model::StringId name;
};

struct AnnotationRow {
  int64_t start_ns, dur_ns;
  model::StringId name;
  uint32_t stream;
};
struct SyncRow {
  model::Sync sync;
  uint32_t stream, wait_on_stream;
};  // rows of the worker's streams; kNone
struct MemoryRow {
  model::MemoryEvent event;
  int64_t device_id;
  uint32_t lane;
};
struct CounterRow {
  int64_t time_ns;
  model::StringId name;
  int64_t device_id;
  double value;
  model::StringId unit;
};
// Where a flow that follows would belong: recorders without correlation ids (MTIA, HPU) write the flow of a call or a
// device row right behind it, with the same id on both sides.
struct LastRow {
  enum class What : uint8_t { kNone, kCall, kDevice } what = What::kNone;
  uint32_t row = 0;  // of the fragment's host or gpu table
};
struct HeaderValue {
  std::string key, json;
};

struct Fragment {
  uint32_t worker = 0;
  uint32_t epoch = 0;                      // of the worker's tables; a new one starts from empty tables
  std::shared_ptr<const void> keep_alive;  // what new_strings points into

  std::vector<HostRow> host;
  std::vector<GpuRow> gpu;
  std::vector<AnnotationRow> annotations;
  std::vector<SyncRow> syncs;
  std::vector<MemoryRow> memory;
  std::vector<CounterRow> counters;
  std::vector<model::Collective> collectives;  // rows relative to this fragment
  std::vector<OpenRow> open_rows;
  std::vector<CallHint> hints;
  std::vector<NameRow> names;
  std::vector<ExtraRow> extras;
  std::vector<FlowRow> flows;
  bool has_events = false;
  std::optional<uint64_t> first_flow;  // id of the flow that the fragment begins with
  LastRow last_row;                    // a row without correlation that the fragment ends with
  std::vector<HeaderValue> header;
  model::Ledger ledger;  // offsets relative to the block

  // Gains of the worker's tables.
  std::vector<std::string_view> new_strings;
  std::vector<uint64_t> new_hashes;
  std::vector<LaneKey> new_lanes;
  std::vector<StreamKey> new_streams;
  std::vector<model::OpDetail> new_op_details;
  std::vector<model::LaunchConfig> new_launches;
  std::vector<model::CopyDetail> new_copies;

  // Empties it, keeping the room.
  void Clear() {
    keep_alive.reset();
    host.clear(), gpu.clear(), annotations.clear(), syncs.clear(), memory.clear(), counters.clear(),
        collectives.clear();
    open_rows.clear(), hints.clear(), names.clear(), extras.clear(), flows.clear(), header.clear();
    has_events = false;
    first_flow.reset();
    last_row = LastRow();
    ledger = model::Ledger();
    new_strings.clear(), new_hashes.clear(), new_lanes.clear(), new_streams.clear(), new_op_details.clear();
    new_launches.clear(), new_copies.clear();
  }
};

}  // namespace warpscope::import::kineto
