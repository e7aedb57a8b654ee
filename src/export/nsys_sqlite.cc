// SQLite in the tables, column names and units of Nsight Systems' own export. See docs/formats/nsys.md.
#include <algorithm>

#include "export/export.h"
#include "export/nsys/job.h"

namespace warpscope::exporting {
namespace {

constexpr int64_t kEpochNs = 946684800LL * 1000 * 1000 * 1000;  // 2000-01-01: later times are epoch times

// The first moment of the trace if its clock is the epoch's, else 0: nsys tells times since the session's start.
int64_t BaseOf(const model::Trace& trace) {
  int64_t first_ns = INT64_MAX;
  for (const int64_t start_ns : trace.host.start_ns) first_ns = std::min(first_ns, start_ns);
  for (const int64_t start_ns : trace.gpu.start_ns) first_ns = std::min(first_ns, start_ns);
  return first_ns == INT64_MAX || first_ns < kEpochNs ? 0 : first_ns;
}

// Rows that a collective names get their place noted while they are written.
void MarkCollectives(Job& job) {
  if (job.trace.collectives.empty()) return;
  job.nvtx_row.assign(job.trace.host.size(), 0);
  job.device_row.assign(job.trace.gpu.size(), 0);
  for (const model::Collective& row : job.trace.collectives) {
    if (row.host_row != model::kNone) job.nvtx_row[row.host_row] = 1;
    if (row.gpu_row != model::kNone) job.device_row[row.gpu_row] = 1;
  }
}

void NameWhatIsLeftOut(Job& job) {
  const model::Trace& trace = job.trace;
  const auto note = [&](size_t count, const char* what) {
    if (count > 0) job.written.left_out.push_back(std::to_string(count) + " " + what);
  };
  note(trace.kernel_profiles.size(),
       "kernel profiles with their metrics (nsys has no table for counters of single kernels)");
  note(trace.summaries.size(), "summary rows (nsys keeps single events, not totals)");
  note(trace.readings.size(), "readings of a device monitor");
}

Result<Written> Write(const model::Trace& trace, const std::string& path, const Options& options) {
  if (!trace.has_timeline()) {
    return Status(StatusCode::kUnsupported,
                  "this recording has no timeline, and the tables of Nsight Systems hold nothing else. "
                  "Choose another format; see: warpscope convert --help");
  }
  SqliteFile file(path);
  Job job{trace, file, GlobalIds(trace), Texts(trace.strings), BaseOf(trace), {}, {}, {}};
  MarkCollectives(job);
  const auto done = [&](double ratio) {
    if (options.progress) options.progress(ratio);
  };
  WriteEnums(file);
  WriteTarget(job);
  WriteHostRows(job);
  done(0.6);
  WriteDeviceRows(job);
  done(0.9);
  WriteSyncs(job);
  WriteSamples(job);
  WriteOwnTables(job);
  job.texts.Write(file);
  NameWhatIsLeftOut(job);
  WS_RETURN_IF_ERROR(file.Close());
  done(1);
  return std::move(job.written);
}

}  // namespace

extern const Exporter kNsysSqlite;
const Exporter kNsysSqlite = {
    .id = "sqlite",
    .title = "SQLite database in the tables of Nsight Systems",
    .suffix = ".sqlite",
    .layout = Layout::kBinary,
    .folder_endings = "",
    .write = Write,
};

}  // namespace warpscope::exporting
