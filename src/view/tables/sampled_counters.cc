// Counters that were sampled beside the timeline, by kernel and geometry.
#include <fmt/format.h>

#include "analysis/counter_attribution.h"
#include "view/format.h"
#include "view/tables/shared.h"

namespace warpscope::view {
namespace {

using analysis::AttributedKernel;
using analysis::Attribution;
using analysis::CounterAttribution;
using analysis::Sampled;

struct Shown {
  Sampled quantity;
  std::string_view heading;
  int rank;
};
// In the order of the columns; what is not here is in JSON and CSV alone.
constexpr Shown kShown[] = {{Sampled::kSmActive, "SM", 0},     {Sampled::kIssue, "issue", 1},
                            {Sampled::kTensor, "tensor", 3},   {Sampled::kFma, "fma", 4},
                            {Sampled::kAlu, "alu", 6},         {Sampled::kFp64, "fp64", 9},
                            {Sampled::kDramRead, "DRAM r", 2}, {Sampled::kDramWrite, "DRAM w", 2},
                            {Sampled::kL2, "L2", 5},           {Sampled::kL1Data, "L1", 8}};

const Shown* FindShown(Sampled quantity) {
  for (const Shown& shown : kShown) {
    if (shown.quantity == quantity) return &shown;
  }
  return nullptr;
}

// Shown ones first, then the others.
std::vector<Sampled> Order() {
  std::vector<Sampled> order;
  for (const Shown& shown : kShown) order.push_back(shown.quantity);
  for (size_t i = 0; i < analysis::kSampledCount; ++i) {
    if (FindShown(static_cast<Sampled>(i)) == nullptr) order.push_back(static_cast<Sampled>(i));
  }
  return order;
}

std::vector<Column> Columns(const std::vector<Sampled>& order) {
  std::vector<Column> columns = {FullName(),
                                 {"kernel", "kernel", Kind::kName},
                                 {"launch_count", "launches", Kind::kCount, 10},
                                 {"total_ns", "total", Kind::kDurationNs, 7},
                                 {"share_of_kernels_pct", "of all", Kind::kPct},
                                 {"mean_ns", "mean", Kind::kDurationNs, 4},
                                 {"grid", "blocks", Kind::kText, 12},
                                 {"block", "threads", Kind::kText, 13},
                                 {"sample_count", "samples", Kind::kCount, 11},
                                 {"attributed", "how", Kind::kText, 1},
                                 {"error_points", "+-", Kind::kNumber, 1},
                                 {"occupancy_pct", "occup.", Kind::kPct, 2}};
  for (const Sampled quantity : order) {
    const Shown* shown = FindShown(quantity);
    const std::string id(model::InfoOf(quantity).id);
    columns.push_back({id + "_pct", shown == nullptr ? id : std::string(shown->heading), Kind::kPct,
                       shown == nullptr ? kDataOnly : shown->rank});
  }
  for (const Sampled quantity : order) {
    const std::string id(model::InfoOf(quantity).id);
    columns.push_back({id + "_error_points", id + " +-", Kind::kNumber, kDataOnly});
  }
  return columns;
}

std::vector<Cell> Cells(const Subject& subject, const AttributedKernel& kernel, const std::vector<Sampled>& order) {
  const model::Trace& trace = subject.trace();
  const model::LaunchConfig* config = kernel.config == model::kNone ? nullptr : &trace.launch_configs[kernel.config];
  // The error bar of a row: the largest of what is shown.
  std::optional<double> error;
  for (const Shown& shown : kShown) {
    if (const auto value = kernel[shown.quantity]) error = std::max(error.value_or(0), value->error_pct);
  }
  std::vector<Cell> cells = {NameCell(subject, kernel.name),
                             Text(ShortKernel(trace.Text(kernel.name))),
                             Int(kernel.launches),
                             Int(kernel.total_ns),
                             Number(kernel.share_pct),
                             Int(kernel.total_ns / static_cast<int64_t>(kernel.launches)),
                             config ? Text(Extent(config->grid)) : Cell{},
                             config ? Text(Extent(config->block)) : Cell{},
                             Int(static_cast<int64_t>(kernel.samples + 0.5)),
                             Text(analysis::AttributionText(kernel.how)),
                             Maybe(error),
                             Maybe(kernel.OccupancyPct())};
  for (const Sampled quantity : order) {
    const auto value = kernel[quantity];
    cells.push_back(value ? Number(value->pct) : Cell{});
  }
  for (const Sampled quantity : order) {
    const auto value = kernel[quantity];
    cells.push_back(value ? Number(value->error_pct) : Cell{});
  }
  return cells;
}

}  // namespace

Table SampledCountersTable(const Subject& subject, const CountersQuery& query) {
  const model::Trace& trace = subject.trace();
  const CounterAttribution all = analysis::AttributeCounters(trace);
  const std::vector<Sampled> order = Order();
  Table table;
  table.name = "counters.sampled";
  table.title = "Kernels by what sampled counters say of them, most time first";
  table.columns = Columns(order);
  for (const AttributedKernel& kernel : all.kernels) {
    if (query.wants_kernel(trace.Text(kernel.name))) table.rows.push_back(Cells(subject, kernel, order));
  }
  if (all.empty()) {
    table.empty_text = "Counters were asked for and none was sampled; why: warpscope ledger RUN.";
    return table;
  }
  table.summary = {fmt::format("{} of the kernel time has counters: {} in {}, {} of the run.",
                               FormatPct(all.known_share_pct), Plural(all.samples, "sample"),
                               Plural(all.windows, "window"), FormatDurationNs(static_cast<double>(all.sampled_ns)))};
  table.notes = {
      "SM, issue, pipes, DRAM, L2, L1: share of the unit's peak while the kernel ran. occup.: warps on an SM that is "
      "active, of the most possible. direct: it fills its samples. solved: from samples that it shares with others. "
      "+-: two standard errors, in points, of the least certain column."};
  if (all.concurrent_samples > 0)
    table.notes.push_back(
        fmt::format("{} of the samples saw kernels beside each other and are left out.",
                    FormatPct(static_cast<double>(all.concurrent_samples) / static_cast<double>(all.samples) * 100)));
  return table;
}

}  // namespace warpscope::view
