#include "cli/suggest.h"

#include <algorithm>
#include <vector>

namespace warpscope::cli {
namespace {

// Optimal string alignment distance.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::string_view Nearest(std::string_view word, std::span<const std::string_view> known) {
  std::string_view best;
  size_t best_distance = SIZE_MAX;
  if (word.size() > 64) return best;
  for (const std::string_view candidate : known) {
    const size_t limit = std::max<size_t>(2, candidate.size() / 3);
    // A word that is a beginning of a known one is an abbreviation of it.
    const bool begins = word.size() >= 3 && candidate.starts_with(word);
    const size_t distance = begins ? 1 : Distance(word, candidate);
    if (distance <= limit && distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace warpscope::cli
