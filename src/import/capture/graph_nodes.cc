// Nodes of CUDA graphs: a kernel that a graph replays is led back to the call that captured its node.
#include "import/capture/record_group.h"

namespace warpscope::import::capture {
namespace {

// A kernel's node belongs to the instantiated graph; it was cloned from one of the graph that was captured, perhaps
// over several steps. The call that made the first becomes a mark on its thread, and its number the external id of the
// mark and of the kernels.
class GraphNodes : public RecordGroup {
 public:
  using RecordGroup::RecordGroup;

  void Read(wire::Tag, wire::BlockReader& in) override {
    const uint64_t node = in.Get();
    Node told;
    told.source = in.Get();
    told.function = state_.Text(in.Get());
    const uint64_t thread = in.Get();
    told.time_ns = in.GetTime();
    if (!in.ok() || !state_.InRange(told.time_ns)) return;
    told.thread = state_.ThreadOf(thread);
    nodes_[node] = told;
  }

  void Finish() override {
    if (nodes_.empty()) return;
    uint64_t mapped = 0, unknown = 0;
    model::Trace& trace = state_.to.trace();
    for (uint32_t row = first_row_; row < trace.gpu.size(); ++row) {
      const uint64_t node = NodeOf(row);
      if (node == model::kNoId) continue;
      const uint64_t origin = OriginOf(node);
      if (origin == 0) {
        ++unknown;
        continue;
      }
      ++mapped;
      trace.gpu.external_id[row] = origin;
      Mark(origin);
    }
    if (mapped + unknown == 0) return;
    state_.to.Note(model::LedgerCode::kRecorderNote, 1, std::nullopt,
                   std::to_string(mapped) + " of " + std::to_string(mapped + unknown) +
                       " kernels in graphs are led back to the call that captured them");
  }

 private:
  struct Node {
    uint64_t source = 0;
    model::StringId function = model::kNoString;
    uint32_t thread = model::kNone;
    int64_t time_ns = 0;
    bool marked = false;
  };

  uint64_t NodeOf(uint32_t row) const {
    const model::Trace& trace = state_.to.trace();
    const uint32_t detail = trace.gpu.detail[row];
    if (trace.gpu.kind[row] != model::GpuKind::kKernel || detail == model::kNone) return model::kNoId;
    return trace.launch_configs[detail].graph_node_id;
  }

  // 0: unknown.
  uint64_t OriginOf(uint64_t node) const {
    constexpr int kMostSteps = 16;  // graphs of graphs; a hostile file may go round
    for (int step = 0; step < kMostSteps; ++step) {
      const auto it = nodes_.find(node);
      if (it == nodes_.end()) return 0;
      if (it->second.source == 0) return node;
      node = it->second.source;
    }
    return 0;
  }

  void Mark(uint64_t origin) {
    Node& node = nodes_.at(origin);
    if (node.marked) return;
    node.marked = true;
    model::AnnotationDetail detail;
    detail.form = model::AnnotationForm::kMark;
    detail.domain = state_.to.Text("CUDA graph capture");
    Appender::Host row;
    row.kind = model::HostKind::kAnnotation;
    row.name = node.function != model::kNoString ? node.function : state_.to.Text("graph node");
    row.thread = node.thread;
    row.start_ns = node.time_ns;
    row.external_id = origin;
    row.detail = state_.to.Annotation(detail);
    state_.to.Add(row);
  }

  const uint32_t first_row_ = state_.to.trace().gpu.size();
  std::unordered_map<uint64_t, Node> nodes_;
};

}  // namespace

std::unique_ptr<RecordGroup> MakeGraphNodes(State* state) { return std::make_unique<GraphNodes>(state); }

}  // namespace warpscope::import::capture
