// A run folder: every table of the trace as Parquet, which every command reads again. See docs/schema/parquet.md.
#include "export/export.h"
#include "store/run_writer.h"

namespace warpscope::exporting {
namespace {

Result<Written> Write(const model::Trace& trace, const std::string& path, const Options& options) {
  store::WriteOptions write_options;
  write_options.progress = options.progress;
  WS_ASSIGN_OR_RETURN(const store::WrittenRun run, store::WriteRun(trace, {path, "", path}, write_options));
  Written written;
  written.event_count = uint64_t{trace.host.size()} + trace.gpu.size() + trace.gpu_annotations.size() +
                        trace.syncs.size() + trace.memory.size() + trace.counters.size();
  if (run.repaired_texts_count > 0) {
    written.left_out.push_back("the bytes of " + std::to_string(run.repaired_texts_count) +
                               " texts that are not UTF-8 (they were replaced)");
  }
  return written;
}

}  // namespace

extern const Exporter kParquet;
const Exporter kParquet = {
    .id = "parquet",
    .title = "run folder of Parquet files",
    .suffix = ".run",
    .layout = Layout::kFolder,
    .folder_endings = ".parquet|manifest.json",
    .write = Write,
};

}  // namespace warpscope::exporting
