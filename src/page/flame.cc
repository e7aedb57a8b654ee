#include "page/flame.h"

#include <unordered_map>

#include "analysis/host_label.h"
#include "analysis/operators.h"
#include "page/groups.h"

namespace warpscope::page {
namespace {

using model::kNone;

class Builder {
 public:
  Builder(const analysis::Index& index, Names* names) : index_(index), trace_(index.trace()), names_(names) {}

  Flames Build() {
    PlaceHost();
    Flames out;
    auto device = std::make_unique<StackTree>(host_);  // the same stacks, no times yet
    AddDevice(device.get());
    AddHost();
    Put(&out, "host_by_device", "Device time by the host's call stack", std::move(device));
    Put(&out, "host_by_host", "Host time by call stack", std::make_unique<StackTree>(std::move(host_)));
    if (HasModules()) Put(&out, "kernels_by_module", "Device time by module", ByModule());
    else Put(&out, "kernels_by_category", "Device time by kind of kernel", ByCategory());
    return out;
  }

 private:
  // Parents stand before their children.
  void PlaceHost() {
    const model::HostTable& host = trace_.host;
    node_.resize(host.size());
    std::vector<uint32_t> root(trace_.threads.size(), kNone);
    for (uint32_t row = 0; row < host.size(); ++row) {
      uint32_t above = host.parent[row] == kNone ? kNone : node_[host.parent[row]];
      if (above == kNone) {
        uint32_t& of_thread = root[host.thread[row]];
        if (of_thread == kNone) of_thread = host_.Child(StackTree::kRoot, ThreadKey(host.thread[row]));
        above = of_thread;
      }
      node_[row] = host_.Child(above, FrameOf(row));
    }
  }
  // Outermost ranges that are numbered ("ProfilerStep#7") are one frame, or no two steps would have a stack in common.
  // Inner ones keep their numbers: "layer 3" is a place in the program.
  Names::Key FrameOf(uint32_t row) {
    const model::StringId name = trace_.host.name[row];
    if (trace_.host.kind[row] != model::HostKind::kAnnotation) return name;
    for (uint32_t above = trace_.host.parent[row]; above != kNone; above = trace_.host.parent[above]) {
      if (trace_.host.kind[above] == model::HostKind::kAnnotation) return name;
    }
    const auto [it, fresh] = folded_.try_emplace(name, name);
    if (fresh) {
      const std::string folded = analysis::FoldDigits(trace_.Text(name));
      if (folded != trace_.Text(name)) it->second = names_->Own(folded);
    }
    return it->second;
  }
  Names::Key ThreadKey(uint32_t thread) {
    return names_->Own(ProcessGroup(index_, trace_.threads[thread].process) + ", " + ThreadName(trace_, thread));
  }

  void AddDevice(StackTree* tree) {
    const model::GpuTable& gpu = trace_.gpu;
    const Names::Key nobody = names_->Own("issued by nothing that was recorded");
    for (uint32_t row = 0; row < gpu.size(); ++row) {
      const uint32_t above = gpu.call[row] == kNone ? tree->Child(StackTree::kRoot, nobody) : node_[gpu.call[row]];
      tree->Add(tree->Child(above, gpu.name[row]), gpu.dur_ns[row]);
    }
  }
  void AddHost() {
    const model::HostTable& host = trace_.host;
    std::vector<int64_t> own(host.dur_ns);
    for (uint32_t row = 0; row < host.size(); ++row) {
      if (host.parent[row] != kNone) own[host.parent[row]] -= host.dur_ns[row];
    }
    for (uint32_t row = 0; row < host.size(); ++row) host_.Add(node_[row], own[row]);
  }

  bool IsModule(uint32_t row) const {
    return model::IsFrame(trace_.host.kind[row]) && index_.host_label(row) == analysis::HostLabel::kModule;
  }
  bool HasModules() const {
    for (uint32_t row = 0; row < trace_.host.size(); ++row) {
      if (IsModule(row)) return true;
    }
    return false;
  }
  // Modules around the work, outermost first; of the backward pass those around the forward operator.
  std::unique_ptr<StackTree> ByModule() {
    auto tree = std::make_unique<StackTree>();
    const model::GpuTable& gpu = trace_.gpu;
    const analysis::BackwardLinks links(index_);
    const Names::Key outside = names_->Own("outside of modules"), backward = names_->Own("backward pass");
    std::vector<uint32_t> chain;
    for (uint32_t row = 0; row < gpu.size(); ++row) {
      bool is_backward = false;
      ModulesAbove(gpu.call[row], &chain);
      if (chain.empty()) is_backward = ModulesOfForward(links, gpu.call[row], &chain);
      uint32_t node = StackTree::kRoot;
      if (chain.empty()) node = tree->Child(node, outside);
      for (auto it = chain.rbegin(); it != chain.rend(); ++it) node = tree->Child(node, trace_.host.name[*it]);
      if (is_backward) node = tree->Child(node, backward);
      tree->Add(tree->Child(node, gpu.name[row]), gpu.dur_ns[row]);
    }
    return tree;
  }
  void ModulesAbove(uint32_t row, std::vector<uint32_t>* chain) const {
    chain->clear();
    for (uint32_t at = row; at != kNone && chain->size() < StackTree::kMaxDepth; at = trace_.host.parent[at]) {
      if (IsModule(at)) chain->push_back(at);
    }
  }
  bool ModulesOfForward(const analysis::BackwardLinks& links, uint32_t row, std::vector<uint32_t>* chain) const {
    for (uint32_t at = row; at != kNone; at = trace_.host.parent[at]) {
      if (trace_.host.kind[at] != model::HostKind::kOperator) continue;
      const uint32_t forward = links.ForwardOf(at);
      if (forward == kNone) continue;
      ModulesAbove(forward, chain);
      if (!chain->empty()) return true;
    }
    return false;
  }

  std::unique_ptr<StackTree> ByCategory() {
    auto tree = std::make_unique<StackTree>();
    const model::GpuTable& gpu = trace_.gpu;
    for (uint32_t row = 0; row < gpu.size(); ++row) {
      const bool kernel = gpu.kind[row] == model::GpuKind::kKernel;
      const std::string_view category = kernel ? analysis::KernelCategoryName(index_.kernel_class(row).category)
                                        : gpu.kind[row] == model::GpuKind::kCopy   ? "copies"
                                        : gpu.kind[row] == model::GpuKind::kMemset ? "fills of memory"
                                                                                   : "graphs";
      const uint32_t node = tree->Child(StackTree::kRoot, names_->Own(category));
      tree->Add(tree->Child(node, gpu.name[row]), gpu.dur_ns[row]);
    }
    return tree;
  }

  void Put(Flames* out, std::string_view id, std::string_view title, std::unique_ptr<StackTree> tree) {
    const Names::Key other = names_->Own("other");
    out->nodes_left_out += tree->Finish(names_, other, kMaxFlameNodes);
    if (tree->total_ns() > 0) out->trees.push_back({id, title, std::move(tree)});
  }

  const analysis::Index& index_;
  const model::Trace& trace_;
  Names* names_;
  std::vector<uint32_t> node_;  // by host row
  std::unordered_map<model::StringId, Names::Key> folded_;
  StackTree host_;
};

}  // namespace

Flames MakeFlames(const analysis::Index& index, Names* names) { return Builder(index, names).Build(); }

std::string FlamesJson(const Flames& flames, const Names& names, StackTree::NameForm form) {
  report::JsonWriter json;
  json.BeginObject(report::JsonWriter::Layout::kCompact);
  json.Key("trees");
  json.BeginArray();
  for (const Flame& flame : flames.trees) {
    json.BeginObject();
    json.Key("id");
    json.String(flame.id);
    json.Key("title");
    json.String(flame.title);
    json.Key("root");
    flame.tree->Write(&json, names, form);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return json.Take();
}

}  // namespace warpscope::page
