#include "analysis/diff/pool.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "analysis/diff/pair.h"

namespace warpscope::analysis {
namespace {

constexpr std::string_view kPrefix = "small kernels: ";

struct Pool {
  uint32_t word = 0;
  double ns = 0;  // a step
};
using Pools = std::map<KernelCategory, Pool>;

double StepNs(const Work& work) {
  const auto sum = static_cast<double>(std::accumulate(work.step_ns.begin(), work.step_ns.end(), int64_t{0}));
  return work.step_ns.empty() ? 0 : sum / static_cast<double>(work.step_ns.size());
}

Pools PoolsOf(const StepParts& parts, const Words& words) {
  Pools pools;
  for (const Work& work : parts.works) {
    if (!IsPool(work, words)) continue;
    Pool& pool = pools[work.kernel_class.category];
    pool.word = work.name, pool.ns += StepNs(work);
  }
  return pools;
}

void AddTo(Work* sum, const Work& work) {
  sum->count += work.count;
  sum->own_ns += work.own_ns;
  sum->bytes += work.bytes;
  for (size_t i = 0; i < std::min(sum->step_ns.size(), work.step_ns.size()); ++i) sum->step_ns[i] += work.step_ns[i];
}

// Rows of `parts` that may lie in `other`'s pools.
std::vector<char> RowsToPool(const StepParts& parts, const std::vector<char>& partnered, const Pools& other,
                             const Words& words) {
  constexpr double kMost = 2;
  std::vector<char> rows(parts.works.size());
  for (uint32_t row = 0; row < parts.works.size(); ++row) {
    const Work& work = parts.works[row];
    if (work.kind != WorkKind::kKernel || partnered[row] != 0 || IsPool(work, words)) continue;
    const auto pool = other.find(work.kernel_class.category);
    rows[row] = pool != other.end() && StepNs(work) <= kMost * pool->second.ns ? 1 : 0;
  }
  return rows;
}

void PoolRows(const std::vector<char>& rows, const Pools& own, const Pools& other, StepParts* parts,
              const Words& words) {
  std::map<KernelCategory, size_t> sums;  // row of kept
  std::vector<Work> kept;
  for (uint32_t row = 0; row < parts->works.size(); ++row) {
    Work& work = parts->works[row];
    const bool is_pool = IsPool(work, words);
    if (rows[row] == 0 && !is_pool) {
      kept.push_back(std::move(work));
      continue;
    }
    const KernelCategory category = work.kernel_class.category;
    const auto [it, fresh] = sums.try_emplace(category, kept.size());
    if (!fresh) {
      AddTo(&kept[it->second], work);
      continue;
    }
    if (!is_pool) {
      const auto mine = own.find(category);
      work.name = work.loose = mine != own.end() ? mine->second.word : other.at(category).word;
      work.place = {}, work.geometry = 0, work.kernel_class = {};
      work.kernel_class.category = category;
    }
    kept.push_back(std::move(work));
  }
  parts->works = std::move(kept);
}

// A partner by its place or its name; the kind of kernel alone says nothing of which one it is.
void MarkPartners(const StepParts& a, const StepParts& b, std::vector<char>* of_a, std::vector<char>* of_b) {
  for (const WorkPair& pair : PairWorks(a, b)) {
    if (pair.match == Match::kClass || pair.a.empty() || pair.b.empty()) continue;
    for (const uint32_t row : pair.a) (*of_a)[row] = 1;
    for (const uint32_t row : pair.b) (*of_b)[row] = 1;
  }
}

}  // namespace

std::string PoolName(KernelCategory category) {
  return std::string(kPrefix) + std::string(KernelCategoryName(category));
}

bool IsPool(const Work& work, const Words& words) {
  return work.kind == WorkKind::kKernel && work.geometry == 0 && work.place.op == 0 && work.place.module == 0 &&
         words.Text(work.name).starts_with(kPrefix);
}

bool HasPool(const RunSide& side, const Words& words) {
  return std::any_of(side.parts.works.begin(), side.parts.works.end(),
                     [&](const Work& work) { return IsPool(work, words); });
}

void AlignPools(RunSide* a, RunSide* b, const Words& words) {
  const Pools pools_a = PoolsOf(a->parts, words), pools_b = PoolsOf(b->parts, words);
  if (pools_a.empty() && pools_b.empty()) return;
  std::vector<char> partners_a(a->parts.works.size()), partners_b(b->parts.works.size());
  MarkPartners(a->parts, b->parts, &partners_a, &partners_b);
  const std::vector<char> rows_a = RowsToPool(a->parts, partners_a, pools_b, words);
  const std::vector<char> rows_b = RowsToPool(b->parts, partners_b, pools_a, words);
  PoolRows(rows_a, pools_a, pools_b, &a->parts, words);
  PoolRows(rows_b, pools_b, pools_a, &b->parts, words);
}

void AlignPools(const std::vector<RunSide*>& sides, size_t middle, const Words& words) {
  // In the second round the middle one pools all that any side does.
  for (int round = 0; round < 2; ++round) {
    for (size_t i = 0; i < sides.size(); ++i) {
      if (i != middle) AlignPools(sides[i], sides[middle], words);
    }
  }
}

}  // namespace warpscope::analysis
