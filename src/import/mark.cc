#include "import/mark.h"

namespace warpscope::import {
namespace {

// Every table that an importer appends rows to; host and gpu are columns and handled apart.
template <typename F>
void VisitTables(model::Trace& trace, F&& visit) {
  visit(trace.gpu_annotations), visit(trace.syncs), visit(trace.memory), visit(trace.counters);
  visit(trace.collectives), visit(trace.kernel_profiles), visit(trace.metrics), visit(trace.advice);
  visit(trace.kernel_codes), visit(trace.summaries), visit(trace.readings);
  visit(trace.sampled_metrics), visit(trace.counter_windows), visit(trace.device_samples);
  visit(trace.sampled_values);
  visit(trace.pc_samples), visit(trace.pc_windows), visit(trace.pauses), visit(trace.breaks);
  visit(trace.op_details), visit(trace.annotation_details), visit(trace.launch_configs), visit(trace.copy_details);
  visit(trace.sources), visit(trace.devices), visit(trace.processes), visit(trace.threads), visit(trace.streams);
}

}  // namespace

Mark::Mark(model::Trace* trace) : trace_(trace) {
  size_t at = 0;
  VisitTables(*trace, [&](const auto& table) { sizes_.at(at++) = table.size(); });
  host_rows_ = trace->host.size();
  gpu_rows_ = trace->gpu.size();
}

void Mark::TakeBack() {
  size_t at = 0;
  VisitTables(*trace_, [&](auto& table) {
    const size_t size = sizes_.at(at++);
    table.erase(table.begin() + static_cast<std::ptrdiff_t>(size), table.end());
  });
  const auto cut = [](auto& columns, size_t rows) {
    columns.VisitColumns([rows](auto& column) {
      if (column.size() > rows) column.resize(rows);
    });
  };
  cut(trace_->host, host_rows_);
  cut(trace_->gpu, gpu_rows_);
}

}  // namespace warpscope::import
