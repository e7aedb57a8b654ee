// Host work with the device work that it caused: operators, shapes, modules, lines, ranges.
#include "analysis/operators.h"

#include <algorithm>

#include "view/tables/shared.h"

namespace warpscope::view {
namespace {

using analysis::HostTimeRow;

// Rows by own device time, then by own host time; the analysis' order (a total one) breaks ties.
template <typename Row, typename First, typename Second>
void OrderBy(std::vector<Row>& rows, First first, Second second) {
  std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
    return first(a) != first(b) ? first(a) > first(b) : second(a) > second(b);
  });
}

bool HasMemory(const std::vector<HostTimeRow>& rows) {
  return std::any_of(rows.begin(), rows.end(),
                     [](const HostTimeRow& row) { return row.device_memory_self_bytes.has_value(); });
}

Table HostTimeTable(const Subject& subject, std::vector<HostTimeRow> rows, bool shapes, std::string_view heading) {
  OrderBy(
      rows, [](const HostTimeRow& row) { return row.device_self_ns; },
      [](const HostTimeRow& row) { return row.host_self_ns; });
  Table table;
  int64_t device_ns = 0, host_ns = 0;
  for (const HostTimeRow& row : rows) {
    device_ns += row.device_self_ns;
    host_ns += row.host_self_ns;
  }
  const int memory = HasMemory(rows) ? 6 : kDataOnly;
  table.columns = {{"name", std::string(heading), Kind::kName},
                   {"count", "calls", Kind::kCount},
                   {"self_device_ns", "device self", Kind::kDurationNs},
                   {"self_device_pct", "%", Kind::kPct, 3},
                   {"total_device_ns", "device total", Kind::kDurationNs, 2},
                   {"self_host_ns", "host self", Kind::kDurationNs},
                   {"self_host_pct", "host %", Kind::kPct, 4},
                   {"total_host_ns", "host total", Kind::kDurationNs, 2},
                   {"kernels_self", "launched", Kind::kCount, 5},
                   {"kernels_total", "launched in all", Kind::kCount, kDataOnly},
                   {"device_memory_self_bytes", "device memory", Kind::kBytes, memory},
                   {"host_memory_self_bytes", "host memory", Kind::kBytes, kDataOnly},
                   {"device_memory_total_bytes", "device memory total", Kind::kBytes, kDataOnly},
                   {"host_memory_total_bytes", "host memory total", Kind::kBytes, kDataOnly}};
  if (shapes) {
    table.columns.insert(table.columns.begin() + 1,
                         {{"input_dims", "input sizes", Kind::kName}, {"input_types", "input types", Kind::kName, 7}});
  }
  for (const HostTimeRow& row : rows) {
    std::vector<Cell> cells = {NameCell(subject, row.name),
                               Int(row.calls),
                               Int(row.device_self_ns),
                               PctOf(static_cast<double>(row.device_self_ns), static_cast<double>(device_ns)),
                               Int(row.device_total_ns),
                               Int(row.host_self_ns),
                               PctOf(static_cast<double>(row.host_self_ns), static_cast<double>(host_ns)),
                               Int(row.host_total_ns),
                               Int(row.kernels_self),
                               Int(row.kernels_total),
                               Maybe(row.device_memory_self_bytes),
                               Maybe(row.host_memory_self_bytes),
                               Maybe(row.device_memory_total_bytes),
                               Maybe(row.host_memory_total_bytes)};
    if (shapes)
      cells.insert(cells.begin() + 1, {NameCell(subject, row.input_dims), NameCell(subject, row.input_types)});
    table.rows.push_back(std::move(cells));
  }
  table.notes = {
      "self: without what it calls. device: work that it launched, whenever that ran. host: time on the CPU."};
  return table;
}

Table ModuleTable(const Subject& subject) {
  Table table;
  table.columns = {{"name", "module", Kind::kName, kDataOnly},
                   {"path", "module", Kind::kName},
                   {"count", "calls", Kind::kCount},
                   {"total_device_ns", "device total", Kind::kDurationNs},
                   {"self_device_ns", "device self", Kind::kDurationNs, 3},
                   {"backward_device_ns", "its backward", Kind::kDurationNs, 2},
                   {"total_host_ns", "host total", Kind::kDurationNs},
                   {"self_host_ns", "host self", Kind::kDurationNs, 4},
                   {"backward_host_ns", "backward host", Kind::kDurationNs, 6},
                   {"kernels_total", "launched", Kind::kCount, 5}};
  for (const auto& row : analysis::SummarizeModules(subject.index, subject.host_scope)) {
    table.rows.push_back({NameCell(subject, row.name), Text(row.path), Int(row.calls), Int(row.device_total_ns),
                          Int(row.device_self_ns), Int(row.backward_device_ns), Int(row.host_total_ns),
                          Int(row.host_self_ns), Int(row.backward_host_ns), Int(row.kernels_total)});
  }
  table.empty_text = "No modules were recorded. For PyTorch: record with with_stack=True (or with_modules=True).";
  return table;
}

Table LineTable(const Subject& subject) {
  Table table;
  table.columns = {{"name", "source line", Kind::kName},
                   {"count", "calls", Kind::kCount},
                   {"self_device_ns", "device self", Kind::kDurationNs},
                   {"backward_device_ns", "its backward", Kind::kDurationNs, 2},
                   {"self_host_ns", "host self", Kind::kDurationNs},
                   {"total_host_ns", "host total", Kind::kDurationNs, 3},
                   {"kernels_self", "launched", Kind::kCount, 4}};
  for (const auto& row : analysis::SummarizeSourceLines(subject.index, subject.host_scope)) {
    table.rows.push_back({NameCell(subject, row.frame), Int(row.calls), Int(row.device_self_ns),
                          Int(row.backward_device_ns), Int(row.host_self_ns), Int(row.host_total_ns),
                          Int(row.kernels_self)});
  }
  table.notes = {
      "self: while this was the innermost line of your own code; installed packages count for the line that called "
      "them."};
  table.empty_text = "No Python source lines were recorded. For PyTorch: record with with_stack=True.";
  return table;
}

}  // namespace

Table OperatorTable(const Subject& subject, OpsBy by) {
  Table table;
  switch (by) {
    case OpsBy::kOp:
      table =
          HostTimeTable(subject, analysis::SummarizeOperators(subject.index, subject.host_scope), false, "operator");
      table.name = "ops";
      table.title = "Operators, most own device time first";
      break;
    case OpsBy::kShape:
      table =
          HostTimeTable(subject, analysis::SummarizeOperators(subject.index, subject.host_scope, {.by_shape = true}),
                        true, "operator");
      table.name = "ops.shape";
      table.title = "Operators by input sizes, most own device time first";
      break;
    case OpsBy::kAnnotation:
      table = HostTimeTable(subject, analysis::SummarizeAnnotations(subject.index, subject.host_scope), false, "range");
      table.name = "ops.annotation";
      table.title = "Annotated ranges, most own device time first";
      table.empty_text = "No ranges were recorded. For PyTorch: with torch.profiler.record_function(\"name\"): ...";
      break;
    case OpsBy::kModule:
      table = ModuleTable(subject);
      table.name = "ops.module";
      table.title = "Modules, most device time first";
      break;
    case OpsBy::kLine:
      table = LineTable(subject);
      table.name = "ops.line";
      table.title = "Source lines, most device time first";
      break;
  }
  if (table.empty_text.empty())
    table.empty_text = "No operators were recorded. For PyTorch: record with ProfilerActivity.CPU.";
  return table;
}

}  // namespace warpscope::view
