#include "import/nsys/nsys_sqlite.h"

#include <algorithm>

#include "import/nsys/reader.h"

namespace warpscope::import::nsys {
namespace {

Confidence Sniff(Database& database) {
  if (!database.HasTable("StringIds") && !database.HasTable("META_DATA_EXPORT")) return Confidence::kNo;
  for (const char* table : {"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_RUNTIME", "NVTX_EVENTS", "OSRT_API",
                            "META_DATA_EXPORT", "EXPORT_META_DATA", "TARGET_INFO_GPU", "META_DATA_CAPTURE"}) {
    if (database.HasTable(table)) return Confidence::kYes;
  }
  return Confidence::kNo;
}

bool HasWork(const model::Trace& trace, size_t first_host_row, size_t first_gpu_row, size_t first_counter) {
  if (trace.gpu.size() > first_gpu_row || trace.counters.size() > first_counter) return true;
  return std::any_of(trace.host.kind.begin() + static_cast<std::ptrdiff_t>(first_host_row), trace.host.kind.end(),
                     [](model::HostKind kind) { return kind != model::HostKind::kOverhead; });
}

Status Read(Database& database, const std::string& path, const Options& options, model::Trace* trace) {
  const size_t host_rows = trace->host.size(), gpu_rows = trace->gpu.size(), counters = trace->counters.size();
  Appender appender(trace, path, kSqlite.id);
  Reader reader(database, appender, options);
  reader.ReadSession();
  reader.ReadDevices();
  reader.ReadCalls();
  reader.ReadDeviceWork();
  reader.ReadSyncs();
  reader.ReadOwnDetails();
  reader.ReadNvtx();
  reader.ReadLibraries();
  reader.ReadSamples();
  reader.ReadLabels();
  reader.ReadOwnTables();
  const std::string complaint = reader.ReadDiagnostics();
  reader.CountUnread();
  if (!HasWork(*trace, host_rows, gpu_rows, counters)) {
    return Status(StatusCode::kUnsupported,
                  path + ": this Nsight Systems export holds no CUDA call, no kernel, no NVTX range and no counter" +
                      (complaint.empty() ? std::string(". ") : ": nsys itself says \"" + complaint + "\". ") +
                      "Record again with nsys profile --trace=cuda,nvtx,osrt PROGRAM, let the program end by itself, "
                      "and see that it runs on the GPU.");
  }
  trace->sources[appender.source_row()].text_bytes = database.size_bytes();
  if (options.progress) options.progress(1);
  return Status::Ok();
}

}  // namespace

const SqliteFormat kSqlite = {"nsys", "Nsight Systems export", &Sniff, &Read};

}  // namespace warpscope::import::nsys
