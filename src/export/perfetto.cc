// Perfetto protobuf, which ui.perfetto.dev opens. See docs/formats/perfetto.md.
#include <algorithm>

#include "export/export.h"
#include "export/perfetto/job.h"

namespace warpscope::exporting {
namespace {

// Timestamps are unsigned: times before the clock's zero are moved behind it.
int64_t ShiftOf(const model::Trace& trace) {
  int64_t first_ns = 0;
  const auto look = [&](int64_t time_ns) { first_ns = std::min(first_ns, time_ns); };
  for (const int64_t start_ns : trace.host.start_ns) look(start_ns);
  for (const int64_t start_ns : trace.gpu.start_ns) look(start_ns);
  for (const model::GpuAnnotation& row : trace.gpu_annotations) look(row.start_ns);
  for (const model::Sync& row : trace.syncs) look(row.start_ns);
  for (const model::MemoryEvent& row : trace.memory) look(row.time_ns);
  for (const model::CounterSample& row : trace.counters) look(row.time_ns);
  return -first_ns;
}

void NameWhatIsLeftOut(const model::Trace& trace, Written* written) {
  const auto note = [&](size_t count, const char* what) {
    if (count > 0) written->left_out.push_back(std::to_string(count) + " " + what);
  };
  note(trace.kernel_profiles.size(), "kernel profiles with their metrics (they have no place in time)");
  note(trace.summaries.size(), "summary rows (Perfetto keeps single events, not totals)");
  note(trace.readings.size(), "readings of a device monitor");
}

Result<Written> Write(const model::Trace& trace, const std::string& path, const Options& options) {
  if (!trace.has_timeline() && trace.counters.empty() && trace.memory.empty()) {
    return Status(StatusCode::kUnsupported,
                  "this recording has no timeline, and a Perfetto trace holds nothing else. "
                  "Choose another format; see: warpscope convert --help");
  }
  perfetto::PacketFile file(trace.strings, path);
  perfetto::Job job{trace, file, ShiftOf(trace), {}};
  const auto done = [&](double ratio) {
    if (options.progress) options.progress(ratio);
  };
  WriteTracks(job);
  WriteMarks(job);
  WriteHostSlices(job);
  done(0.6);
  WriteDeviceSlices(job);
  done(0.9);
  WriteSamples(job);
  NameWhatIsLeftOut(trace, &job.written);
  WS_RETURN_IF_ERROR(file.Close());
  done(1);
  return std::move(job.written);
}

}  // namespace

extern const Exporter kPerfetto;
const Exporter kPerfetto = {
    .id = "perfetto",
    .title = "Perfetto trace (protobuf), for ui.perfetto.dev",
    .suffix = ".pftrace",
    .layout = Layout::kBinary,
    .folder_endings = "",
    .write = Write,
};

}  // namespace warpscope::exporting
