// Sorting what is nearly sorted: recorders write rows in a few long ascending runs (operators, then Python frames, then
// calls), so runs are found and merged, and only where they overlap.
// [MT] pure functions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace warpscope::model {

struct Keyed {
  int64_t key;
  uint32_t row;
};

// Merges items [low, mid) and [mid, high), both in order; stable. `scratch` is reused.
template <typename Less>
void MergeRuns(std::vector<Keyed>& items, size_t low, size_t mid, size_t high, const Less& less,
               std::vector<Keyed>& scratch) {
  const auto at = [&](size_t i) { return items.begin() + static_cast<std::ptrdiff_t>(i); };
  // What already stands right on either side is left alone.
  const auto first = std::upper_bound(at(low), at(mid), items[mid], less);
  if (first == at(mid)) return;
  const auto last = std::lower_bound(at(mid), at(high), items[mid - 1], less);
  scratch.assign(first, at(mid));
  auto to = first;
  auto right = at(mid);
  auto left = scratch.begin();
  while (left != scratch.end() && right != last) *to++ = less(*right, *left) ? *right++ : *left++;
  std::copy(left, scratch.end(), to);
}

// Stable. Near linear for few runs, O(n log n) at worst. `less` orders items by key and then by whatever it likes.
template <typename Less>
void SortRuns(std::vector<Keyed>& items, size_t begin, size_t end, const Less& less) {
  struct Run {
    size_t begin, end;
  };
  std::vector<Run> runs;
  std::vector<Keyed> scratch;
  const auto size = [&](size_t from_top) {
    return runs[runs.size() - from_top].end - runs[runs.size() - from_top].begin;
  };
  const auto merge_top = [&] {
    const Run upper = runs.back();
    runs.pop_back();
    MergeRuns(items, runs.back().begin, upper.begin, upper.end, less, scratch);
    runs.back().end = upper.end;
  };
  for (size_t at = begin; at < end;) {
    size_t next = at + 1;
    while (next < end && !less(items[next], items[next - 1])) ++next;
    runs.push_back({at, next});
    at = next;
    // Sizes fall at least twofold from bottom to top, so each item is merged O(log n) times.
    while (runs.size() > 1 && size(2) <= 2 * size(1)) merge_top();
  }
  while (runs.size() > 1) merge_top();
}

}  // namespace warpscope::model
