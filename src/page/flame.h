// The flame graphs of a report: device time below the host's stacks, the host's own time, device time by module.
// [one thread]
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/index.h"
#include "page/stack_tree.h"

namespace warpscope::page {

inline constexpr size_t kMaxFlameNodes = 20'000;  // a tree

struct Flame {
  std::string_view id;     // "host_by_device", "host_by_host", "kernels_by_module", "kernels_by_category"
  std::string_view title;  // for people
  std::unique_ptr<StackTree> tree;
};

struct Flames {
  std::vector<Flame> trees;  // only those with time in them
  uint64_t nodes_left_out = 0;
};

// REQUIRES: names are not finished yet: the names that the graphs show are counted.
Flames MakeFlames(const analysis::Index& index, Names* names);
// {"trees": [{"id", "title", "root"}]}. REQUIRES: names are finished.
std::string FlamesJson(const Flames& flames, const Names& names, StackTree::NameForm form = StackTree::NameForm::kId);

}  // namespace warpscope::page
