// Place: where in a program a kernel comes from, in words that two recordings share, so that the same work is found
// again on the other side although names, correlation ids and row numbers differ.
// [one thread] Words and Places fill caches as they are asked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/index.h"
#include "analysis/operators.h"
#include "analysis/steps.h"

namespace warpscope::analysis {

// Numbers for texts and chains of texts; 0 is "nothing". One for both sides of a comparison.
class Words {
 public:
  uint32_t Of(std::string_view text);              // 0 for ""
  uint32_t Chain(uint32_t outer, uint32_t inner);  // a chain with one more link
  std::string_view Text(uint32_t word) const;      // of Of(); "" for 0
  uint32_t Last(uint32_t chain) const;             // innermost word of a chain; 0 for 0
  uint32_t Outer(uint32_t chain) const;            // the chain without its innermost word; 0 for 0

 private:
  std::unordered_map<std::string, uint32_t> words_;
  std::vector<const std::string*> texts_{nullptr};
  std::unordered_map<uint64_t, uint32_t> chains_;
  std::vector<uint32_t> last_{0}, outer_{0};
};

// All numbers of Words.
struct Place {
  uint32_t path = 0;    // chain of modules, annotations and operators around the innermost operator, outermost first
  uint32_t module = 0;  // chain of modules and annotations alone; of backward work that of its forward operator
  uint32_t op = 0;      // innermost operator
  uint32_t dims = 0;    // its recorded input dims
};

class Places {
 public:
  // Markers of steps are no part of a place, and numbers in annotations neither ("batch 17").
  Places(const Index& index, const Steps& steps, Words* words);
  // Of what a call launched; all 0 for kNone. Amortised O(depth of rows not seen before).
  Place Of(uint32_t call_row);

 private:
  struct Node {
    uint32_t path = 0, module = 0, op = 0, dims = 0, above_op = 0;
  };
  const Node& NodeOf(uint32_t row);
  Node Below(const Node& parent, uint32_t row);
  uint32_t WordOf(model::StringId name, bool folded);

  const Index& index_;
  Words& words_;
  const BackwardLinks links_;
  std::vector<model::StringId> markers_;
  std::unordered_map<uint32_t, Node> nodes_;
  std::unordered_map<uint64_t, uint32_t> word_of_;  // name id * 2 + folded
};

}  // namespace warpscope::analysis
