// Chrome trace events: what torch.profiler writes, ui.perfetto.dev and chrome://tracing open, and most tools read.
#include <fmt/format.h>

#include "export/chrome/writer.h"
#include "export/export.h"
#include "export/text/left_out.h"

namespace warpscope::exporting {
namespace {

Result<Written> WriteChrome(const model::Trace& trace, const std::string& path, const Options& options) {
  Sink sink(path, options.place.ends_with(".gz"));
  chrome::Writer writer(trace, &sink);
  writer.Run(options.progress);
  WS_RETURN_IF_ERROR(sink.Close());
  Written written;
  written.event_count = writer.event_count();
  written.left_out = WithoutTimeline(trace);
  if (writer.lost_counters() > 0) {
    written.left_out.push_back(
        fmt::format("{} counter samples that are no number (inf, nan): JSON has none", writer.lost_counters()));
  }
  return written;
}

}  // namespace

extern const Exporter kChrome;
const Exporter kChrome = {.id = "chrome",
                          .title = "chrome trace events (JSON)",
                          .suffix = ".trace.json.gz",
                          .layout = Layout::kText,
                          .write = &WriteChrome};

}  // namespace warpscope::exporting
