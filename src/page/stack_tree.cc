#include "page/stack_tree.h"

#include <algorithm>

namespace warpscope::page {

uint32_t StackTree::Child(uint32_t parent, Names::Key name) {
  const auto [it, fresh] = child_.try_emplace(uint64_t{parent} << 32 | name, 0);
  if (fresh) {
    it->second = static_cast<uint32_t>(nodes_.size());
    Node node;
    node.name = name;
    node.parent = parent;
    node.depth = nodes_[parent].depth + 1;
    nodes_.push_back(node);
  }
  return it->second;
}

uint64_t StackTree::Finish(Names* names, Names::Key other, size_t max_nodes) {
  other_ = other;
  for (Node& node : nodes_) node.value_ns = node.self_ns;
  for (size_t i = nodes_.size(); i-- > 1;) nodes_[nodes_[i].parent].value_ns += nodes_[i].value_ns;
  std::vector<uint32_t> order(nodes_.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return nodes_[a].value_ns != nodes_[b].value_ns ? nodes_[a].value_ns > nodes_[b].value_ns
                                                    : nodes_[a].depth < nodes_[b].depth;
  });
  size_t shown = 0;
  for (const uint32_t i : order) {
    Node& node = nodes_[i];
    const bool wanted = node.value_ns > 0 || i == kRoot;
    node.shown = wanted && shown < max_nodes && node.depth <= kMaxDepth && (i == kRoot || nodes_[node.parent].shown);
    shown += node.shown;
  }
  hidden_.assign(nodes_.size(), {});
  children_.assign(nodes_.size(), {});
  uint64_t left_out = 0;
  for (uint32_t i = 1; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    if (node.shown) {
      children_[node.parent].push_back(i);
      names->Count(node.name);
      continue;
    }
    if (node.value_ns == 0) continue;
    ++left_out;
    if (!nodes_[node.parent].shown) continue;
    if (hidden_[node.parent].count++ == 0) names->Count(other);
    hidden_[node.parent].value_ns += node.value_ns;
  }
  for (auto& children : children_) {
    std::stable_sort(children.begin(), children.end(),
                     [&](uint32_t a, uint32_t b) { return nodes_[a].value_ns > nodes_[b].value_ns; });
  }
  return left_out;
}

void StackTree::Write(report::JsonWriter* json, const Names& names, NameForm form) const {
  const auto open = [&](Names::Key name, int64_t value_ns, int64_t self_ns, uint64_t count) {
    json->BeginObject(report::JsonWriter::Layout::kCompact);
    json->Key("name");
    form == NameForm::kId ? json->UInt(names.PageId(name)) : json->String(names.Text(name));
    json->Key("value_ns");
    json->Int(value_ns);
    json->Key("self_ns");
    json->Int(self_ns);
    json->Key("count");
    json->UInt(count);
    json->Key("children");
    json->BeginArray();
  };
  const auto close = [&] {
    json->EndArray();
    json->EndObject();
  };
  struct Open {
    uint32_t node;
    size_t next;
  };
  std::vector<Open> stack;
  const auto enter = [&](uint32_t i) {
    open(nodes_[i].name, nodes_[i].value_ns, nodes_[i].self_ns, nodes_[i].count);
    stack.push_back({i, 0});
  };
  enter(kRoot);
  while (!stack.empty()) {
    Open& at = stack.back();
    if (at.next < children_[at.node].size()) {
      enter(children_[at.node][at.next++]);
      continue;
    }
    const Hidden& hidden = hidden_[at.node];
    if (hidden.count > 0) {
      open(other_, hidden.value_ns, hidden.value_ns, hidden.count);
      close();
    }
    close();
    stack.pop_back();
  }
}

}  // namespace warpscope::page
