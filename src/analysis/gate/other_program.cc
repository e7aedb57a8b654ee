#include "analysis/gate/other_program.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "analysis/diff/pair.h"
#include "analysis/diff/pool.h"

namespace warpscope::analysis {
namespace {

std::string_view CommandOf(const RunSide& side) {
  for (const Fact& fact : side.facts) {
    if (fact.subject == "machine" && fact.name == "command") return fact.value;
  }
  return "";
}

double PerStep(const RunSide& side) {
  return static_cast<double>(side.parts.kernels) / std::max<uint32_t>(side.parts.totals_of, 1);
}

// Share of the time of kernels (pools left out: their kernels are not known) that has a partner, in %.
std::array<double, 2> PartneredPct(const StepParts& a, const StepParts& b, const Words& words) {
  std::array<double, 2> all{}, partnered{};
  const auto add = [&](const StepParts& parts, const std::vector<uint32_t>& rows, bool has, size_t side) {
    for (const uint32_t row : rows) {
      const Work& work = parts.works[row];
      if (work.kind != WorkKind::kKernel || IsPool(work, words)) continue;
      const double per_step = static_cast<double>(work.own_ns) / std::max<uint32_t>(parts.totals_of, 1);
      all[side] += per_step, partnered[side] += has ? per_step : 0;
    }
  };
  for (const WorkPair& pair : PairWorks(a, b)) {
    const bool has = pair.match != Match::kClass && !pair.a.empty() && !pair.b.empty();
    add(a, pair.a, has, 0), add(b, pair.b, has, 1);
  }
  for (size_t side = 0; side < 2; ++side) partnered[side] = all[side] > 0 ? 100 * partnered[side] / all[side] : 100;
  return partnered;
}

// How much of the kernel time is by the same kinds of kernels: 100 for the same mix, 0 for none in common.
double KindsInCommonPct(const StepParts& a, const StepParts& b) {
  const auto shares = [](const StepParts& parts) {
    std::map<KernelCategory, double> by_kind;
    double all = 0;
    for (const Work& work : parts.works) {
      if (work.kind != WorkKind::kKernel) continue;
      by_kind[work.kernel_class.category] += static_cast<double>(work.own_ns), all += static_cast<double>(work.own_ns);
    }
    for (auto& [kind, share] : by_kind) share /= std::max(all, 1.0);
    return by_kind;
  };
  const auto of_a = shares(a), of_b = shares(b);
  double common = 0;
  for (const auto& [kind, share] : of_a) {
    const auto other = of_b.find(kind);
    if (other != of_b.end()) common += std::min(share, other->second);
  }
  return 100 * common;
}

// A fix may replace every kernel (a fused attention, another layout), but seldom every operator around them.
double OperatorsInCommonPct(const StepParts& a, const StepParts& b) {
  constexpr size_t kFewest = 3;
  const auto operators = [](const StepParts& parts) {
    std::set<uint32_t> names;
    for (const Work& work : parts.works) {
      if (work.place.op != 0) names.insert(work.place.op);
    }
    return names;
  };
  const std::set<uint32_t> of_a = operators(a), of_b = operators(b);
  const auto common =
      static_cast<size_t>(std::count_if(of_a.begin(), of_a.end(), [&](uint32_t name) { return of_b.contains(name); }));
  if (std::min(of_a.size(), of_b.size()) < kFewest) return 0;
  return 100.0 * static_cast<double>(common) / static_cast<double>(of_a.size() + of_b.size() - common);
}

std::string Count(double count) { return std::to_string(std::llround(count)); }

}  // namespace

Likeness LikenessOf(const RunSide& base, const RunSide& next, const Words& words) {
  Likeness out;
  const std::array<double, 2> partnered = PartneredPct(base.parts, next.parts, words);
  out.partnered_pct = std::min(partnered[0], partnered[1]);
  out.kinds_pct = KindsInCommonPct(base.parts, next.parts);
  out.operators_pct = OperatorsInCommonPct(base.parts, next.parts);
  const double a = std::max(PerStep(base), 1.0), b = std::max(PerStep(next), 1.0);
  out.times_as_many = std::max(a, b) / std::min(a, b);
  out.same_command = !CommandOf(base).empty() && CommandOf(base) == CommandOf(next);
  return out;
}

bool HasOtherKernels(const Likeness& likeness) {
  // The worst of recordings known to be of one program, and a margin: refusing a user's own program costs more than
  // comparing two (docs/gate.md, bench/program_likeness).
  constexpr double kLeastPct = 40, kLikeKindsPct = 50, kLikeCounts = 3;
  if (likeness.same_command || likeness.partnered_pct >= kLeastPct) return false;
  return likeness.kinds_pct < kLikeKindsPct || likeness.times_as_many >= kLikeCounts;
}

bool IsOtherProgram(const Likeness& likeness) {
  constexpr double kLikeOperatorsPct = 45;
  return HasOtherKernels(likeness) && likeness.operators_pct < kLikeOperatorsPct;
}

std::optional<Objection> OtherProgram(const RunSide& base, const RunSide& next, const Words& words,
                                      const std::string& base_name, const std::string& next_name) {
  constexpr uint32_t kRefuses = 60, kDoubtful = 30;
  if (base.parts.counted == 0 || next.parts.counted == 0) return std::nullopt;
  const Likeness likeness = LikenessOf(base, next, words);
  if (!HasOtherKernels(likeness)) return std::nullopt;
  const bool other = IsOtherProgram(likeness);
  return Objection{std::string(other ? "another program or another loop: " : "other kernels under alike operators: ") +
                       Count(PerStep(base)) + " kernels a step in " + base_name + ", " + Count(PerStep(next)) + " in " +
                       next_name + ", and only " + Count(likeness.partnered_pct) +
                       " % of the kernel time of one side is by kernels that the other has",
                   other ? kRefuses : kDoubtful};
}

}  // namespace warpscope::analysis
