// StackTree: stacks with their times, common beginnings shared: what a flame graph draws.
// [one thread]
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "page/names.h"
#include "report/json_writer.h"

namespace warpscope::page {

class StackTree {
 public:
  StackTree() { nodes_.push_back({}); }

  static constexpr uint32_t kRoot = 0;
  uint32_t Child(uint32_t parent, Names::Key name);
  void Add(uint32_t node, int64_t time_ns) {
    nodes_[node].self_ns += time_ns > 0 ? time_ns : 0;
    ++nodes_[node].count;
  }
  int64_t total_ns() const { return nodes_[kRoot].value_ns; }  // once finished

  // Sums up, and chooses the `max_nodes` nodes of most time, at most kMaxDepth deep, that are shown; the rest of each
  // is one child named `other`. Counts the names shown. Returns how many nodes went into others.
  uint64_t Finish(Names* names, Names::Key other, size_t max_nodes);
  // {"name", "value_ns", "self_ns", "count", "children"}, children by time, then in order of appearance. Names are page
  // ids, or themselves.
  enum class NameForm : uint8_t { kId, kText };
  void Write(report::JsonWriter* json, const Names& names, NameForm form = NameForm::kId) const;

  static constexpr uint32_t kMaxDepth = 200;

 private:
  struct Node {
    Names::Key name = 0;
    uint32_t parent = UINT32_MAX;
    uint32_t depth = 0;
    uint64_t count = 0;
    int64_t self_ns = 0, value_ns = 0;
    bool shown = false;
  };
  std::vector<Node> nodes_;  // parents before their children
  std::unordered_map<uint64_t, uint32_t> child_;
  Names::Key other_ = 0;
  struct Hidden {
    uint64_t count = 0;
    int64_t value_ns = 0;
  };
  std::vector<Hidden> hidden_;                   // by node: what its other holds
  std::vector<std::vector<uint32_t>> children_;  // shown ones
};

}  // namespace warpscope::page
