// What the debug annotations of one event tell. Names of several recorders for the same thing are one field here.
// [one thread]
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "import/perfetto/sequence.h"
#include "model/trace.h"

namespace warpscope::import::perfetto {

// One annotation with a name and a plain value.
struct Value {
  std::string_view name;
  std::optional<int64_t> whole;  // of whole numbers; uint64 keeps its bits
  std::optional<double> number;  // of any number
  std::string_view text;         // of strings; views into the string pool or the packet
  std::vector<int64_t> list;     // of an array of whole numbers
};

Value ReadAnnotation(std::string_view debug_annotation, const Sequence& sequence, const model::StringPool& strings);

struct Args {
  std::optional<uint64_t> correlation, external_id;
  std::optional<int64_t> device, queue, stream, forward_thread;
  std::optional<uint64_t> bytes;
  uint32_t grid[3] = {0, 0, 0}, block[3] = {0, 0, 0};
  bool grid_is_threads = false;  // AMD counts work items, not blocks
  std::optional<uint32_t> registers_per_thread, shared_bytes, occupancy_pct;
  uint64_t graph_id = model::kNoId, graph_node_id = model::kNoId;
  model::OpDetail operation;
  model::AnnotationDetail range;  // of an annotation; has_range if it was told
  bool has_range = false;
  std::optional<int64_t> copy_kind, source_memory, target_memory;  // as this program writes them

  // Takes the value if its name is known.
  void Add(const Value& value, model::StringPool* strings);
  model::LaunchConfig Launch() const;
  model::CopyDetail Copy(std::string_view name) const;
};

// Takes the value if it describes a collective, as Kineto names its fields.
bool AddToCollective(const Value& value, model::StringPool* strings, std::optional<model::Collective>* collective);

}  // namespace warpscope::import::perfetto
