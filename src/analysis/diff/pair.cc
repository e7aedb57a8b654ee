#include "analysis/diff/pair.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

namespace warpscope::analysis {
namespace {

using Key = std::array<uint64_t, 6>;

uint64_t CategoryOf(const Work& work) {
  return work.kind == WorkKind::kKernel ? static_cast<uint64_t>(work.kernel_class.category) : 0;
}

bool IsLayout(const Work& work) {
  return work.kind == WorkKind::kKernel && work.kernel_class.category == KernelCategory::kLayout;
}

// Kinds of kernels of which one can stand for another: not layout changes, fills and what the name does not tell.
bool IsClassed(const Work& work) {
  if (work.kind != WorkKind::kKernel) return false;
  switch (work.kernel_class.category) {
    case KernelCategory::kOther:
    case KernelCategory::kLayout:
    case KernelCategory::kMemory:
    case KernelCategory::kIndexing:
    case KernelCategory::kRandom: return false;
    default: return true;
  }
}

struct Pass {
  Match match;
  // The key of a work in this pass; absent: the pass does not look at it.
  std::optional<Key> (*key)(const Work& work);
  bool new_shapes = false;  // only works whose operator never has these shapes on the other side
};

constexpr Pass kPasses[] = {
    {Match::kSame,
     [](const Work& w) -> std::optional<Key> {
       return Key{w.place.path, w.place.op, w.place.dims, w.name, w.geometry, w.place.module};
     }},
    {Match::kGeometry,
     [](const Work& w) -> std::optional<Key> {
       return Key{w.place.path, w.place.op, w.place.dims, w.name, w.place.module};
     }},
    {Match::kOther,
     [](const Work& w) -> std::optional<Key> {
       if (w.place.op == 0) return std::nullopt;
       return Key{w.place.path, w.place.op, w.place.dims, CategoryOf(w), w.place.module};
     }},
    {Match::kOther,
     [](const Work& w) -> std::optional<Key> {
       if (w.place.op == 0 || IsLayout(w)) return std::nullopt;
       return Key{w.place.path, w.place.op, w.place.dims, w.place.module};
     }},
    {Match::kSame,
     [](const Work& w) -> std::optional<Key> {
       return Key{w.place.op, w.place.dims, w.name, w.geometry};
     }},
    {Match::kShapes,
     [](const Work& w) -> std::optional<Key> {
       if (w.place.op == 0) return std::nullopt;
       return Key{w.place.path, w.place.op, CategoryOf(w), w.place.module};
     },
     true},
    {Match::kOther,
     [](const Work& w) -> std::optional<Key> {
       if (w.place.op == 0 || w.place.dims == 0) return std::nullopt;
       return Key{w.place.op, w.place.dims, CategoryOf(w)};
     }},
    {Match::kSame,
     [](const Work& w) -> std::optional<Key> {
       return Key{w.name, w.geometry};
     }},
    {Match::kOther,
     [](const Work& w) -> std::optional<Key> {
       if (w.place.module == 0 || w.place.dims == 0 || IsLayout(w)) return std::nullopt;
       return Key{w.place.module, w.place.dims};
     }},
    {Match::kPlace, [](const Work& w) -> std::optional<Key> { return Key{w.name}; }},
    {Match::kPlace, [](const Work& w) -> std::optional<Key> { return Key{w.loose}; }},
    {Match::kPlace,
     [](const Work& w) -> std::optional<Key> {
       if (w.place.module == 0 || IsLayout(w)) return std::nullopt;
       return Key{w.place.module};
     }},
    {Match::kClass,
     [](const Work& w) -> std::optional<Key> {
       if (!IsClassed(w) || w.place.dims == 0) return std::nullopt;
       return Key{CategoryOf(w) + 1, w.place.dims};
     }},
    {Match::kClass,
     [](const Work& w) -> std::optional<Key> {
       if (!IsClassed(w)) return std::nullopt;
       return Key{CategoryOf(w) + 1};
     }},
};

}  // namespace

std::vector<WorkPair> PairWorks(const StepParts& a, const StepParts& b) {
  std::vector<WorkPair> out;
  const std::array<const std::vector<Work>*, 2> works = {&a.works, &b.works};
  std::array<std::vector<uint32_t>, 2> left;
  for (size_t side = 0; side < 2; ++side) {
    for (uint32_t row = 0; row < works[side]->size(); ++row) {
      const WorkKind kind = (*works[side])[row].kind;
      if (kind == WorkKind::kKernel || kind == WorkKind::kCommunication) left[side].push_back(row);
    }
  }
  std::array<std::set<std::pair<uint32_t, uint32_t>>, 2> shapes;  // operator, dims
  for (size_t side = 0; side < 2; ++side) {
    for (const Work& work : *works[side]) shapes[side].insert({work.place.op, work.place.dims});
  }
  for (const Pass& pass : kPasses) {
    if (left[0].empty() || left[1].empty()) break;
    std::map<std::pair<uint8_t, Key>, WorkPair> groups;
    for (size_t side = 0; side < 2; ++side) {
      for (const uint32_t row : left[side]) {
        const Work& work = (*works[side])[row];
        const auto key = pass.key(work);
        if (!key || (pass.new_shapes && shapes[1 - side].count({work.place.op, work.place.dims}) > 0)) continue;
        WorkPair& group = groups[{static_cast<uint8_t>(work.kind), *key}];
        (side == 0 ? group.a : group.b).push_back(row);
      }
    }
    std::array<std::vector<char>, 2> taken = {std::vector<char>(a.works.size()), std::vector<char>(b.works.size())};
    for (auto& [key, group] : groups) {
      if (group.a.empty() || group.b.empty()) continue;
      for (const uint32_t row : group.a) taken[0][row] = 1;
      for (const uint32_t row : group.b) taken[1][row] = 1;
      group.match = pass.match;
      out.push_back(std::move(group));
    }
    for (size_t side = 0; side < 2; ++side)
      std::erase_if(left[side], [&](uint32_t row) { return taken[side][row] != 0; });
  }
  for (const uint32_t row : left[0]) out.push_back({Match::kOnlyA, {row}, {}});
  for (const uint32_t row : left[1]) out.push_back({Match::kOnlyB, {}, {row}});
  return out;
}

}  // namespace warpscope::analysis
