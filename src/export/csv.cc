// A folder of CSV files, one a table of the model: for spreadsheets and for tools that read nothing else.
#include "export/csv/tables.h"
#include "export/export.h"

namespace warpscope::exporting {
namespace {

Result<Written> WriteCsv(const model::Trace& trace, const std::string& path, const Options& options) {
  WS_RETURN_IF_ERROR(csv::WriteDimensions(trace, path));
  if (options.progress) options.progress(0.05);
  WS_RETURN_IF_ERROR(csv::WriteTimeline(trace, path));
  if (options.progress) options.progress(0.95);
  WS_RETURN_IF_ERROR(csv::WriteMeasurements(trace, path));
  if (options.progress) options.progress(1);
  Written written;
  written.event_count = trace.host.size() + trace.gpu.size() + trace.gpu_annotations.size() + trace.syncs.size() +
                        trace.memory.size() + trace.counters.size();
  if (!trace.kernel_codes.empty())
    written.left_out.push_back(std::to_string(trace.kernel_codes.size()) + " kernels' code: long listings, no table");
  return written;
}

}  // namespace

extern const Exporter kCsv;
const Exporter kCsv = {.id = "csv",
                       .title = "folder of CSV files",
                       .suffix = ".csv",
                       .layout = Layout::kFolder,
                       .folder_endings = ".csv",
                       .write = &WriteCsv};

}  // namespace warpscope::exporting
