#include "analysis/counter_attribution.h"

#include <algorithm>
#include <bitset>
#include <cmath>
#include <map>
#include <numeric>

#include "analysis/attribution_overlap.h"
#include "analysis/attribution_solve.h"

namespace warpscope::analysis {
namespace {

constexpr size_t kMostColumns = 384;    // groups that are told apart; the others share the last column
constexpr size_t kMostClasses = 16;     // of samples, by what they tell; a recorder has up to five sets of metrics
constexpr double kLeastBusy = 0.05;     // bounds the weight of nearly idle samples
constexpr double kDirectShare = 0.95;   // of a sample that one group fills
constexpr double kMostlyDirect = 0.8;   // of its samples
constexpr double kFewestSamples = 3;    // by the share of each
constexpr double kMostInflation = 100;  // of the variance by what runs beside it (variance inflation factor)
constexpr double kLeastDeviation = 1;   // points, of one sample
constexpr size_t kMostBlocks = 256, kLeastBlock = 32;
constexpr size_t kFewestIdle = 5;
constexpr double kMostPct = 100;

constexpr Sampled kNoWeight = Sampled::kCount;
Sampled WeightOf(Sampled quantity) { return model::InfoOf(quantity).weight; }

constexpr uint32_t kAbsent = UINT32_MAX;
// Which of a window's metrics tells each quantity.
using Layout = std::array<uint32_t, kSampledCount>;

Layout LayoutOf(const model::Trace& trace, const model::CounterWindow& window) {
  Layout layout;
  layout.fill(kAbsent);
  for (uint32_t i = window.metric_begin; i < window.metric_end; ++i) {
    const auto quantity = model::SampledQuantityOf(trace.Text(trace.sampled_metrics[i].name));
    if (!quantity) continue;
    uint32_t& at = layout[static_cast<size_t>(*quantity)];
    if (at == kAbsent) at = i - window.metric_begin;
  }
  return layout;
}

// A solution for one quantity, by column.
struct Solution {
  std::vector<double> values, errors;
  std::vector<double> samples;  // by share
};

class Solver {
 public:
  Solver(const model::Trace& trace, const Overlaps& overlaps) : trace_(trace), overlaps_(overlaps) {
    ChooseColumns();
    for (const model::CounterWindow& window : trace.counter_windows) layouts_.push_back(LayoutOf(trace, window));
    for (size_t row = 0; row < overlaps.rows.size(); ++row) Accumulate(row);
  }

  size_t columns() const { return columns_; }
  uint32_t column_of(size_t group) const { return column_of_[group]; }
  bool is_own(size_t group) const { return column_of_[group] < own_columns_; }

  // Empty: no window has it.
  const Solution& Solve(Sampled quantity) {
    Solution& solution = solutions_[static_cast<size_t>(quantity)];
    if (!solution.values.empty()) return solution;
    const std::vector<size_t> used = ClassesWith(quantity);
    if (used.empty()) return solution;
    Fit(quantity, Prepare(used), &solution);
    return solution;
  }
  // Of the matrix that `quantity` was solved by: how much the neighbours of a column blow its variance up.
  double Inflation(Sampled quantity, uint32_t column) {
    const Prepared& prepared = Prepare(ClassesWith(quantity));
    return prepared.a.at(column, column) * prepared.inverse.at(column, column);
  }

 private:
  struct Prepared {
    Matrix a, inverse;
  };

  // The quantities that a sample tells. A set has metrics of which single samples, or all, are without a value: those
  // samples are no equations of that quantity, so samples that tell the same have a matrix together.
  using Told = std::bitset<kSampledCount>;

  // kMostClasses: one too many.
  size_t ClassOf(const SampleRow& row) {
    Told told;
    for (size_t i = 0; i < kSampledCount; ++i) told[i] = std::isfinite(ValueOf(row, static_cast<Sampled>(i)));
    const auto it = std::find(classes_.begin(), classes_.end(), told);
    if (it != classes_.end()) return static_cast<size_t>(it - classes_.begin());
    if (classes_.size() == kMostClasses) return kMostClasses;
    classes_.push_back(told);
    matrices_.emplace_back(columns_);
    return classes_.size() - 1;
  }
  std::vector<size_t> ClassesWith(Sampled quantity) const {
    std::vector<size_t> with;
    for (size_t i = 0; i < classes_.size(); ++i) {
      if (classes_[i][static_cast<size_t>(quantity)]) with.push_back(i);
    }
    return with;
  }

  void ChooseColumns() {
    std::vector<double> weight(overlaps_.groups.size(), 0);
    for (size_t row = 0; row < overlaps_.rows.size(); ++row) {
      if (overlaps_.rows[row].concurrent) continue;
      for (const GroupShare* share = overlaps_.begin(row); share != overlaps_.end(row); ++share)
        weight[share->group] += share->share;
    }
    std::vector<uint32_t> order(weight.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return weight[a] > weight[b]; });
    column_of_.assign(weight.size(), 0);
    for (size_t i = 0; i < order.size(); ++i) column_of_[order[i]] = static_cast<uint32_t>(std::min(i, kMostColumns));
    own_columns_ = static_cast<uint32_t>(std::min(order.size(), kMostColumns));
    columns_ = std::min(order.size(), kMostColumns + 1);
  }

  double RowWeight(const SampleRow& row) const { return 1 / std::max<double>(row.busy, kLeastBusy); }

  void Accumulate(size_t row) {
    const SampleRow& of = overlaps_.rows[row];
    class_of_row_.push_back(of.concurrent || of.busy == 0 ? kMostClasses : ClassOf(of));
    if (class_of_row_.back() == kMostClasses) return;
    Matrix& a = matrices_[class_of_row_.back()];
    const double weight = RowWeight(of);
    for (const GroupShare* i = overlaps_.begin(row); i != overlaps_.end(row); ++i) {
      for (const GroupShare* j = overlaps_.begin(row); j != overlaps_.end(row); ++j)
        a.at(column_of_[i->group], column_of_[j->group]) += weight * i->share * j->share;
    }
  }

  const Prepared& Prepare(const std::vector<size_t>& used) {
    const auto [it, is_new] = prepared_.try_emplace(used);
    if (!is_new) return it->second;
    Matrix a(columns_);
    for (const size_t each : used) {
      for (size_t cell = 0; cell < a.cells.size(); ++cell) a.cells[cell] += matrices_[each].cells[cell];
    }
    it->second.inverse = Inverse(a);
    it->second.a = std::move(a);
    return it->second;
  }

  // What a sample says of the quantity; NaN: nothing. Of a ratio: of the part of its weight.
  double ValueOf(const SampleRow& row, Sampled quantity) const {
    const Layout& layout = layouts_[row.window];
    const uint32_t at = layout[static_cast<size_t>(quantity)];
    if (at == kAbsent) return NAN;
    const uint64_t begin = trace_.device_samples[row.sample].value_begin;
    const double value = trace_.sampled_values[begin + at];
    const Sampled weight = WeightOf(quantity);
    if (weight == kNoWeight) return value;
    const uint32_t other = layout[static_cast<size_t>(weight)];
    if (other == kAbsent) return NAN;
    const double whole = trace_.sampled_values[begin + other];
    return whole == 0 ? 0 : value / kMostPct * whole;  // a ratio of nothing is NaN
  }

  double IdleLevel(Sampled quantity) const {
    double sum = 0;
    size_t count = 0;
    for (const SampleRow& row : overlaps_.rows) {
      if (row.busy > 0) continue;
      const double value = ValueOf(row, quantity);
      if (!std::isfinite(value)) continue;
      sum += value;
      ++count;
    }
    return count < kFewestIdle ? 0 : sum / static_cast<double>(count);
  }

  void Fit(Sampled quantity, const Prepared& prepared, Solution* solution) const {
    const double idle = IdleLevel(quantity);
    std::vector<double> b(columns_, 0);
    solution->samples.assign(columns_, 0);
    std::vector<std::pair<size_t, double>> rows;  // and what is above the idle level
    for (size_t row = 0; row < overlaps_.rows.size(); ++row) {
      const SampleRow& of = overlaps_.rows[row];
      if (class_of_row_[row] == kMostClasses || !classes_[class_of_row_[row]][static_cast<size_t>(quantity)]) continue;
      const double value = ValueOf(of, quantity);
      rows.emplace_back(row, value - idle * (1 - of.busy));
      const double weight = RowWeight(of);
      for (const GroupShare* share = overlaps_.begin(row); share != overlaps_.end(row); ++share) {
        b[column_of_[share->group]] += weight * share->share * rows.back().second;
        solution->samples[column_of_[share->group]] += share->share;
      }
    }
    solution->values = SolveBounded(prepared.a, b, kMostPct);
    solution->errors = Errors(prepared, rows, solution->values);
  }

  std::vector<double> Errors(const Prepared& prepared, const std::vector<std::pair<size_t, double>>& rows,
                             const std::vector<double>& values) const {
    const size_t block_size = std::max(kLeastBlock, rows.size() / kMostBlocks + 1);
    std::vector<double> score(columns_, 0), clustered(columns_, 0), squares(columns_, 0), shares(columns_, 0);
    size_t blocks = 0;
    for (size_t i = 0; i < rows.size(); ++i) {
      const auto& [row, value] = rows[i];
      double residual = value;
      for (const GroupShare* share = overlaps_.begin(row); share != overlaps_.end(row); ++share)
        residual -= share->share * values[column_of_[share->group]];
      const double weight = RowWeight(overlaps_.rows[row]);
      for (const GroupShare* share = overlaps_.begin(row); share != overlaps_.end(row); ++share) {
        const uint32_t column = column_of_[share->group];
        score[column] += weight * share->share * residual;
        squares[column] += weight * share->share * residual * residual;
        shares[column] += share->share;
      }
      if ((i + 1) % block_size != 0 && i + 1 != rows.size()) continue;
      for (size_t column = 0; column < columns_; ++column) {
        double moved = 0;
        const double* const inverse = prepared.inverse.cells.data() + column * columns_;
        for (size_t other = 0; other < columns_; ++other) moved += inverse[other] * score[other];
        clustered[column] += moved * moved;
      }
      std::fill(score.begin(), score.end(), 0);
      ++blocks;
    }
    const double correction = blocks > 1 ? static_cast<double>(blocks) / static_cast<double>(blocks - 1) : 1;
    std::vector<double> errors(columns_);
    for (size_t column = 0; column < columns_; ++column) {
      // Kernels differ in how even they are: each has the variance of the samples that it is in.
      const double own = shares[column] > 1 ? squares[column] / (shares[column] - 1) : squares[column];
      const double classical = std::max(own, kLeastDeviation * kLeastDeviation) * prepared.inverse.at(column, column);
      errors[column] = 2 * std::sqrt(std::max({classical, clustered[column] * correction, 0.0}));
    }
    return errors;
  }

  const model::Trace& trace_;
  const Overlaps& overlaps_;
  size_t columns_ = 0;
  uint32_t own_columns_ = 0;
  std::vector<uint32_t> column_of_;  // by group
  std::vector<Layout> layouts_;      // by window
  std::vector<Told> classes_;
  std::vector<Matrix> matrices_;      // by class
  std::vector<size_t> class_of_row_;  // kMostClasses: it is no equation
  std::map<std::vector<size_t>, Prepared> prepared_;
  std::array<Solution, kSampledCount> solutions_;
};

// How much of its samples a group filled, and shared with others at the same time.
struct Presence {
  double all = 0, alone = 0, direct = 0;  // by share; alone: without kernels beside it
};

std::vector<Presence> Presences(const Overlaps& overlaps) {
  std::vector<Presence> presences(overlaps.groups.size());
  for (size_t row = 0; row < overlaps.rows.size(); ++row) {
    for (const GroupShare* share = overlaps.begin(row); share != overlaps.end(row); ++share) {
      Presence& presence = presences[share->group];
      presence.all += share->share;
      if (overlaps.rows[row].concurrent) continue;
      presence.alone += share->share;
      if (share->share >= kDirectShare) presence.direct += share->share;
    }
  }
  return presences;
}

void TakeValues(Solver& solver, uint32_t column, AttributedKernel* kernel) {
  for (size_t i = 0; i < kSampledCount; ++i) {
    const Solution& solution = solver.Solve(static_cast<Sampled>(i));
    if (solution.values.empty() || solution.samples[column] < kFewestSamples) continue;
    SampledValue value{solution.values[column], solution.errors[column]};
    if (const Sampled weight = WeightOf(static_cast<Sampled>(i)); weight != kNoWeight) {
      const double whole = solver.Solve(weight).values[column];
      if (whole < 1) continue;  // a share of next to nothing
      value = {std::clamp(value.pct / whole * kMostPct, 0.0, kMostPct), value.error_pct / whole * kMostPct};
    }
    if (value.error_pct <= kMostErrorPct) kernel->values[i] = value;
  }
}

void Judge(Solver& solver, size_t group, const Presence& presence, AttributedKernel* kernel) {
  kernel->samples = presence.all;
  if (presence.all == 0) return;  // unmet
  const uint32_t column = solver.column_of(group);
  Sampled first = Sampled::kSmActive;  // a quantity that was sampled: all sets have the core ones
  while (first != Sampled::kCount && solver.Solve(first).values.empty())
    first = static_cast<Sampled>(static_cast<size_t>(first) + 1);
  if (first == Sampled::kCount) return;
  if (presence.alone < kFewestSamples || !solver.is_own(group)) {
    kernel->how = presence.all >= kFewestSamples && presence.alone < presence.all / 2 ? Attribution::kConcurrent
                                                                                      : Attribution::kFew;
    return;
  }
  if (solver.Inflation(first, column) > kMostInflation) {
    kernel->how = Attribution::kTogether;
    return;
  }
  TakeValues(solver, column, kernel);
  const bool any =
      std::any_of(kernel->values.begin(), kernel->values.end(), [](const auto& v) { return v.has_value(); });
  if (!any) kernel->how = Attribution::kUncertain;
  else kernel->how = presence.direct >= kMostlyDirect * presence.alone ? Attribution::kDirect : Attribution::kSolved;
}

}  // namespace

std::string_view AttributionText(Attribution how) {
  switch (how) {
    case Attribution::kDirect: return "direct";
    case Attribution::kSolved: return "solved";
    case Attribution::kUnmet: return "not sampled";
    case Attribution::kFew: return "too few samples";
    case Attribution::kConcurrent: return "beside others";
    case Attribution::kTogether: return "inseparable";
    case Attribution::kUncertain: return "uncertain";
  }
  return "";
}

std::optional<double> AttributedKernel::PerActivePct(Sampled quantity) const {
  const auto value = (*this)[quantity], active = (*this)[Sampled::kSmActive];
  if (!value || !active || active->pct < 1) return std::nullopt;
  // The error of a ratio of two values with errors of their own.
  const double ratio = value->pct / active->pct;
  const double error_pct = std::hypot(value->error_pct, ratio * active->error_pct) / active->pct * kMostPct;
  if (error_pct > kMostErrorPct) return std::nullopt;
  return std::min(ratio * kMostPct, kMostPct);
}

std::optional<double> AttributedKernel::OccupancyPct() const { return PerActivePct(Sampled::kWarpsActive); }

CounterAttribution AttributeCounters(const model::Trace& trace) {
  CounterAttribution result;
  const Overlaps overlaps = FindOverlaps(trace);
  if (overlaps.rows.empty()) return result;
  result.windows = trace.counter_windows.size();
  result.samples = overlaps.rows.size();
  for (const SampleRow& row : overlaps.rows) {
    result.concurrent_samples += row.concurrent ? 1 : 0;
    result.sampled_ns += trace.device_samples[row.sample].dur_ns;
  }
  Solver solver(trace, overlaps);
  const std::vector<Presence> presences = Presences(overlaps);
  int64_t kernel_ns = 0, known_ns = 0;
  for (const WorkGroup& group : overlaps.groups)
    kernel_ns += group.kind == model::GpuKind::kKernel ? group.total_ns : 0;
  for (size_t i = 0; i < overlaps.groups.size(); ++i) {
    const WorkGroup& group = overlaps.groups[i];
    if (group.kind != model::GpuKind::kKernel) continue;
    AttributedKernel kernel;
    kernel.name = group.name, kernel.config = group.config;
    kernel.launches = group.rows, kernel.total_ns = group.total_ns;
    if (kernel_ns > 0) kernel.share_pct = static_cast<double>(group.total_ns) / static_cast<double>(kernel_ns) * 100;
    Judge(solver, i, presences[i], &kernel);
    if (kernel.is_known()) known_ns += group.total_ns;
    result.kernels.push_back(kernel);
  }
  if (kernel_ns > 0) result.known_share_pct = static_cast<double>(known_ns) / static_cast<double>(kernel_ns) * 100;
  std::stable_sort(result.kernels.begin(), result.kernels.end(), [&](const auto& a, const auto& b) {
    if (a.total_ns != b.total_ns) return a.total_ns > b.total_ns;
    return trace.Text(a.name) < trace.Text(b.name);
  });
  return result;
}

}  // namespace warpscope::analysis
