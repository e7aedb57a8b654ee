// Kernels by name, by name and geometry, or by kind.
#include "analysis/kernels.h"

#include <fmt/format.h>

#include "view/format.h"
#include "view/tables/shared.h"

namespace warpscope::view {
namespace {

std::vector<Column> KernelColumns() {
  return {FullName(),
          {"kernel", "kernel", Kind::kName},
          {"count", "count", Kind::kCount},
          {"total_ns", "total", Kind::kDurationNs},
          {"share_of_busy_pct", "of busy", Kind::kPct},
          {"share_of_window_pct", "of time", Kind::kPct, 7},
          {"mean_ns", "mean", Kind::kDurationNs, 2},
          {"min_ns", "min", Kind::kDurationNs, 6},
          {"median_ns", "median", Kind::kDurationNs, 8},
          {"max_ns", "max", Kind::kDurationNs, 3},
          {"stddev_ns", "stddev", Kind::kDurationNs, 9},
          {"category", "kind", Kind::kText, 7},
          {"precision", "format", Kind::kText, 9},
          {"grid", "blocks", Kind::kText, 5},
          {"block", "threads", Kind::kText, 5},
          {"registers_per_thread", "regs", Kind::kCount, 8},
          {"shared_bytes", "shared", Kind::kBytes, 8},
          {"occupancy_pct", "occup.", Kind::kPct, 4},
          {"occupancy_limiter", "limited by", Kind::kText, 9},
          {"waves_per_sm", "waves", Kind::kNumber, 5},
          {"tail_efficiency_pct", "tail eff.", Kind::kPct, 10},
          {"recorded_occupancy_pct", "recorded occup.", Kind::kPct, 10},
          {"geometry_count", "geometries", Kind::kCount, 10},
          {"share_of_kernels_pct", "of kernels", Kind::kPct, 10}};
}

std::vector<Cell> KernelCells(const Subject& subject, const analysis::KernelRow& row) {
  const auto* config = row.config ? &*row.config : nullptr;
  const auto pct = [](const std::optional<double>& ratio) { return ratio ? Number(100 * *ratio) : Cell{}; };
  return {NameCell(subject, row.name),
          Text(ShortKernel(subject.trace().Text(row.name))),
          Int(row.count),
          Int(row.total_ns),
          Maybe(row.share_of_busy_pct),
          Maybe(row.share_of_window_pct),
          Number(row.mean_ns),
          Int(row.min_ns),
          Number(row.median_ns),
          Int(row.max_ns),
          Number(row.stddev_ns),
          Text(analysis::KernelCategoryName(row.kernel_class.category)),
          row.kernel_class.precision == analysis::Precision::kUnknown
              ? Cell{}
              : Text(analysis::PrecisionName(row.kernel_class.precision)),
          config ? Text(Extent(config->grid)) : Cell{},
          config ? Text(Extent(config->block)) : Cell{},
          config ? Maybe(config->registers_per_thread) : Cell{},
          config ? Maybe(config->shared_bytes) : Cell{},
          row.occupancy ? Number(row.occupancy->occupancy_pct) : Cell{},
          row.occupancy ? Text(analysis::LimiterText(row.occupancy->limiters)) : Cell{},
          Maybe(row.waves_per_sm),
          pct(row.tail_efficiency_ratio),
          Maybe(row.recorded_occupancy_pct),
          Int(row.config_count),
          Number(row.share_of_kernels_pct)};
}

Table CategoryTable(const Subject& subject) {
  Table table;
  table.name = "kernels.category";
  table.title = "Device time of kernels by kind";
  table.columns = {{"category", "kind", Kind::kText},
                   {"count", "count", Kind::kCount},
                   {"total_ns", "total", Kind::kDurationNs},
                   {"share_of_kernels_pct", "of kernels", Kind::kPct}};
  for (const auto& row : analysis::SummarizeKernelCategories(subject.index, subject.device_scope)) {
    table.rows.push_back({Text(analysis::KernelCategoryName(row.category)), Int(row.count), Int(row.total_ns),
                          Number(row.share_of_kernels_pct)});
  }
  return table;
}

}  // namespace

Table KernelTable(const Subject& subject, KernelsBy by) {
  Table table;
  if (by == KernelsBy::kCategory) {
    table = CategoryTable(subject);
  } else {
    const bool by_geometry = by == KernelsBy::kGeometry;
    table.name = by_geometry ? "kernels.geometry" : "kernels";
    table.title =
        by_geometry ? "Kernels by launch geometry, most device time first" : "Kernels, most device time first";
    table.columns = KernelColumns();
    uint64_t count = 0;
    int64_t total_ns = 0;
    for (const auto& row :
         analysis::SummarizeKernels(subject.index, subject.device_scope, {.by_geometry = by_geometry})) {
      table.rows.push_back(KernelCells(subject, row));
      count += row.count;
      total_ns += row.total_ns;
    }
    if (count > 0) {
      table.summary.push_back(
          fmt::format("{} of {}, {} together, {} on average.", Plural(count, "run"),
                      Plural(table.rows.size(), by_geometry ? "kernel geometry row" : "different kernel"),
                      FormatDurationNs(static_cast<double>(total_ns)),
                      FormatDurationNs(static_cast<double>(total_ns) / static_cast<double>(count))));
    }
    table.notes = {
        "of busy: share of the time in which the device works. occup.: warps that fit on an SM, of the most possible. "
        "waves: how often the grid fills the device."};
  }
  table.empty_text = "No kernels were recorded. For PyTorch: record with ProfilerActivity.CUDA.";
  return table;
}

}  // namespace warpscope::view
