#include "cli/list_metrics.h"

#include <fmt/format.h>

#include "cli/table_command.h"
#include "import/ncu/units.h"
#include "record/counters/metric_catalog.h"
#include "view/table.h"

namespace warpscope::cli {
namespace {

std::string_view KindOf(cupti::MetricType type) {
  switch (type) {
    case cupti::kCounterMetric: return "counter";
    case cupti::kRatioMetric: return "ratio";
    case cupti::kThroughputMetric: return "throughput";
  }
  return "";
}

view::Table TableOf(const record::MetricCatalog& catalog, bool with_rollups) {
  using view::Kind;
  view::Table table;
  table.name = "counter-metrics";
  table.title = "Metrics of " + catalog.chip;
  table.summary.push_back(fmt::format("{} of {} metrics that CUPTI measures on {}.", catalog.metrics.size(),
                                      catalog.all_count, catalog.chip));
  table.columns = {{"metric", "metric", Kind::kText},
                   {"kind", "kind", Kind::kText, 3},
                   {"unit", "unit", Kind::kText, 2},
                   {"hardware_unit", "of", Kind::kText, 4},
                   {"description", "what it is", Kind::kSentence, 1}};
  for (const record::CatalogMetric& metric : catalog.metrics) {
    // As the values are shown; CUPTI tells only the dimension.
    const std::string unit = with_rollups ? import::ncu::MetricUnit(metric.name) : metric.unit;
    table.rows.push_back({view::Text(metric.name), view::Text(KindOf(metric.type)),
                          view::Text(unit.empty() ? metric.unit : unit), view::Text(metric.hardware_unit),
                          view::Text(metric.description)});
  }
  if (!with_rollups)
    table.notes.push_back(
        "A metric is measured with a rollup (.sum, .avg, .pct, .ratio ...): --list-metrics NAME. shows those of NAME.");
  table.empty_text = "No metric's name holds that.";
  return table;
}

}  // namespace

Status ListMetrics(const Args& args, Io& io) {
  if (args.operands().size() > 1)
    return {StatusCode::kInvalidArgument,
            "--list-metrics takes one pattern; for example: warpscope counters "
            "--list-metrics dram"};
  const std::string pattern = args.operands().empty() ? "" : args.operands().front();
  const record::RealSystem system;
  WS_ASSIGN_OR_RETURN(const record::MetricCatalog catalog,
                      record::ListMetrics(system, args.Text("--chip").value_or(""), pattern));
  return PrintTable(TableOf(catalog, pattern.find('.') != std::string::npos), args, io);
}

}  // namespace warpscope::cli
