#include "analysis/allocations.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "analysis/call_tree.h"
#include "analysis/memory_level.h"

namespace warpscope::analysis {
namespace {

using model::HostKind;
using model::kNone;
using model::MemoryEvent;

constexpr size_t kMaxDepth = 512;

// Stacks as nodes, found in the host rows.
class Stacks {
 public:
  Stacks(const Index& index, std::vector<StackNode>* nodes) : index_(index), trace_(index.trace()), nodes_(*nodes) {}

  uint32_t Of(const MemoryEvent& event) {
    return event.thread == kNone ? kNone : OfRow(InnermostAt(trace_, event.thread, event.time_ns));
  }

 private:
  uint32_t OfRow(uint32_t row) {
    std::vector<uint32_t> chain;
    auto known = of_row_.end();
    for (; row != kNone && chain.size() < kMaxDepth; row = trace_.host.parent[row]) {
      known = of_row_.find(row);
      if (known != of_row_.end()) break;
      chain.push_back(row);
    }
    uint32_t node = row == kNone || known == of_row_.end() ? kNone : known->second;
    for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
      if (IsFrame(*it)) node = Child(node, trace_.host.name[*it]);
      of_row_[*it] = node;
    }
    return node;
  }
  bool IsFrame(uint32_t row) const {
    const HostKind kind = trace_.host.kind[row];
    if (kind == HostKind::kOverhead || kind == HostKind::kOsCall) return false;
    return kind != HostKind::kAnnotation || index_.host_label(row) != HostLabel::kStepMarker;
  }
  uint32_t Child(uint32_t parent, model::StringId name) {
    const auto [it, fresh] = child_.try_emplace(uint64_t{parent} << 32 | name, static_cast<uint32_t>(nodes_.size()));
    if (fresh) nodes_.push_back({name, parent});
    return it->second;
  }

  const Index& index_;
  const model::Trace& trace_;
  std::vector<StackNode>& nodes_;
  std::unordered_map<uint32_t, uint32_t> of_row_;
  std::unordered_map<uint64_t, uint32_t> child_;
};

struct PerDevice {
  int64_t first_ns = 0;
  int64_t base_bytes = 0;  // in use before the first event, of which no release came yet
  bool seen = false, absolute = false;
};

bool IsPython(std::string_view name) {
  return name.find(".py(") != std::string_view::npos || name.starts_with("<") || name.starts_with("nn.Module");
}

}  // namespace

Allocations FindAllocations(const Index& index, const Scope& scope) {
  const model::Trace& trace = index.trace();
  Allocations out;
  if (trace.memory.empty()) return out;
  Stacks stacks(index, &out.nodes);
  MemoryLevels levels(index, scope);
  std::map<uint32_t, PerDevice> devices;
  std::map<std::tuple<uint32_t, uint32_t, uint64_t>, size_t> live;  // device, link domain, address
  for (const MemoryEvent& event : trace.memory) {
    if (!levels.InScope(event)) continue;
    PerDevice& device = devices[event.device];
    if (!device.seen) {
      const MemoryLevel& level = levels.Of(event.device);
      device = {event.time_ns, level.absolute ? level.allocated_bytes : 0, true, level.absolute};
    }
    const auto key = std::make_tuple(event.device, levels.DomainOf(event), event.address);
    if (event.bytes > 0) {
      // The same address again: a release between the two was not recorded.
      if (const auto it = live.find(key); it != live.end()) out.rows[it->second].end_ns = event.time_ns;
      live[key] = out.rows.size();
      out.rows.push_back({event.device, stacks.Of(event), event.time_ns, kNotFreed, event.bytes, false});
    } else if (const auto it = live.find(key); it != live.end()) {
      out.rows[it->second].end_ns = event.time_ns;
      live.erase(it);
    } else if (event.bytes < 0) {  // allocated before the recording began
      const int64_t bytes = SaturatingSubtract(0, event.bytes);
      out.rows.push_back({event.device, kNone, device.first_ns, event.time_ns, bytes, true});
      device.base_bytes = SaturatingSubtract(device.base_bytes, bytes);
    }
  }
  for (const auto& [row, device] : devices) {
    if (device.base_bytes > 0) out.rows.push_back({row, kNone, device.first_ns, kNotFreed, device.base_bytes, true});
  }
  std::stable_sort(out.rows.begin(), out.rows.end(),
                   [](const Allocation& a, const Allocation& b) { return a.begin_ns < b.begin_ns; });
  out.has_stacks = !out.nodes.empty();
  return out;
}

namespace {

// "at::_ops::mm" -> "mm", "/a/b/nn/linear.py(3): forward" -> "nn/linear.py(3): forward".
std::string_view Short(std::string_view name) {
  for (const std::string_view space :
       {"at::_ops::", "aten::", "torch::autograd::generated::", "autograd::engine::evaluate_function: "}) {
    if (name.starts_with(space)) return name.substr(space.size());
  }
  if (!IsPython(name)) return name;
  const PythonFrame frame = ParsePythonFrame(name);
  const size_t file = frame.file.find_last_of("/\\");
  const size_t folder = file == std::string_view::npos || file == 0 ? file : frame.file.find_last_of("/\\", file - 1);
  return folder == std::string_view::npos ? name : name.substr(folder + 1);
}

// The words for a stack; see Holder.
struct Words {
  std::string where, caller;
};
Words WordsOf(const model::Trace& trace, const Allocations& allocations, uint32_t stack) {
  std::string_view python, user, below, outermost;
  for (uint32_t node = stack; node != kNone; node = allocations.nodes[node].parent) {
    const std::string_view name = trace.Text(allocations.nodes[node].name);
    if (IsPython(name)) {
      const PythonFrame frame = ParsePythonFrame(name);
      if (python.empty() && frame.line != 0)
        python = name, below = IsPython(outermost) ? std::string_view() : outermost;
      if (user.empty() && frame.line != 0 && !IsLibraryPath(frame.file)) user = name;
    }
    if (outermost.empty() || !IsPython(name)) outermost = name;
  }
  if (python.empty()) return {std::string(Short(outermost)), {}};
  Words words{std::string(Short(python)), user == python ? std::string() : std::string(Short(user))};
  if (!below.empty()) words.where += " > " + std::string(Short(below));
  return words;
}

std::string StackText(const model::Trace& trace, const Allocations& allocations, uint32_t stack) {
  std::string text;
  for (uint32_t node = stack; node != kNone; node = allocations.nodes[node].parent) {
    if (!text.empty()) text += " < ";
    text += trace.Text(allocations.nodes[node].name);
  }
  return text;
}

}  // namespace

std::vector<Holder> HoldersAt(const Index& index, const Allocations& allocations, uint32_t device, int64_t time_ns) {
  const model::Trace& trace = index.trace();
  std::unordered_map<uint32_t, Words> words;  // by stack
  struct Group {
    Holder holder;
    int64_t largest_bytes = -1;
    uint32_t largest = kNone;
  };
  std::map<std::pair<std::string, std::string>, Group> groups;
  for (const Allocation& row : allocations.rows) {
    if (row.begin_ns > time_ns) break;
    if (row.device != device || row.end_ns <= time_ns) continue;
    auto it = words.find(row.stack);
    if (it == words.end()) {
      Words made = row.stack == kNone ? Words{} : WordsOf(trace, allocations, row.stack);
      it = words.emplace(row.stack, std::move(made)).first;
    }
    auto [at, fresh] = groups.try_emplace({it->second.where, it->second.caller});
    Group& group = at->second;
    if (fresh) {
      group.holder.device = device;
      group.holder.where = it->second.where;
      group.holder.caller = it->second.caller;
      group.holder.oldest_ns = row.begin_ns;
    }
    group.holder.bytes = SaturatingAdd(group.holder.bytes, row.bytes);
    ++group.holder.count;
    group.holder.oldest_ns = std::min(group.holder.oldest_ns, row.begin_ns);
    group.holder.from_before |= row.from_before;
    if (row.bytes > group.largest_bytes) group.largest_bytes = row.bytes, group.largest = row.stack;
  }
  std::vector<Holder> out;
  for (auto& [key, group] : groups) {
    group.holder.stack = StackText(trace, allocations, group.largest);
    out.push_back(std::move(group.holder));
  }
  std::stable_sort(out.begin(), out.end(), [](const Holder& a, const Holder& b) { return a.bytes > b.bytes; });
  return out;
}

}  // namespace warpscope::analysis
