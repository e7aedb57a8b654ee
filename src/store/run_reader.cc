#include "store/run_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "model/adopt.h"
#include "store/manifest.h"
#include "store/table_reader.h"

namespace warpscope::store {
namespace {

using model::kNone;
using model::Trace;

constexpr size_t kMaxManifestBytes = 1 << 20;
constexpr uint64_t kDuckdbBytes = uint64_t{1} << 30;  // for decoding; the rows themselves are ours

// The folder by a number: DuckDB takes stars and brackets in a path for patterns, and this way there are none; and what
// it may open is this folder alone.
class Folder {
 public:
  explicit Folder(const std::string& path) : handle_(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {}
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    if (handle_ >= 0) ::close(handle_);
  }
  bool ok() const { return handle_ >= 0; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(handle_); }
  bool HasFile(const std::string& name) const {
    struct stat info {};
    return ::fstatat(handle_, name.c_str(), &info, 0) == 0 && S_ISREG(info.st_mode);
  }

 private:
  int handle_;
};

Result<Manifest> ReadManifest(const Folder& folder, const RunPlace& place) {
  const std::string path = place.name + "/" + place.ManifestFile();
  if (!folder.HasFile(place.ManifestFile()))
    return Status(StatusCode::kNotFound, path + ": no such file; a run folder has one. Convert the recording again.");
  std::ifstream file(folder.path() + "/" + place.ManifestFile(), std::ios::binary);
  std::string text(kMaxManifestBytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  return ParseManifest(text, path);
}

// Bytes of memory that a row of the table takes, about.
uint64_t RowBytes(const TableSchema& schema) { return 16 * schema.fields.size(); }

// A few bytes of Parquet can stand for billions of rows.
Status CheckSize(const Manifest& manifest, const std::string& name) {
  uint64_t bytes = 0;
  for (const TableSchema& schema : Schema()) bytes += manifest.RowsOf(schema.name) * RowBytes(schema);
  const uint64_t machine =
      static_cast<uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  if (bytes <= machine) return Status::Ok();
  return {StatusCode::kUnsupported, name + ": this run would need " + std::to_string(bytes >> 30) +
                                        " GiB of memory, more than this machine has."};
}

uint32_t NextDomain(const Trace& trace) {
  uint32_t next = 0;
  for (const model::Process& process : trace.processes) next = std::max(next, process.link_domain + 1);
  for (const model::Stream& stream : trace.streams) next = std::max(next, stream.link_domain + 1);
  return next;
}

// Where the rows of the run will stand.
Ranges MakeRanges(const Trace& trace, const Manifest& manifest) {
  Ranges ranges;
  const auto set = [&](Target target, size_t base, std::string_view table) {
    ranges[target] = {static_cast<uint32_t>(base), static_cast<uint32_t>(manifest.RowsOf(table))};
  };
  set(Target::kSources, trace.sources.size(), "sources");
  set(Target::kDevices, trace.devices.size(), "devices");
  set(Target::kProcesses, trace.processes.size(), "processes");
  set(Target::kThreads, trace.threads.size(), "threads");
  set(Target::kStreams, trace.streams.size(), "streams");
  set(Target::kHost, trace.host.size(), "host");
  set(Target::kGpu, trace.gpu.size(), "gpu");
  set(Target::kOpDetails, trace.op_details.size(), "op_details");
  set(Target::kAnnotationDetails, trace.annotation_details.size(), "annotation_details");
  set(Target::kLaunchConfigs, trace.launch_configs.size(), "launch_configs");
  set(Target::kCopyDetails, trace.copy_details.size(), "copy_details");
  set(Target::kMetrics, trace.metrics.size(), "metrics");
  set(Target::kAdvice, trace.advice.size(), "advice");
  set(Target::kKernelCodes, trace.kernel_codes.size(), "kernel_codes");
  // Numbers of domains have no table; there are at most as many as processes and streams.
  ranges[Target::kLinkDomains] = {NextDomain(trace), 1u << 24};
  return ranges;
}

Status CheckRanges(const Trace& trace, size_t first, size_t first_device, const std::string& name) {
  for (size_t row = first_device; row < trace.devices.size(); ++row) {
    if (trace.devices[row].attribute_begin > trace.devices[row].attribute_end)
      return {StatusCode::kCorrupt, name + "/devices.parquet: row " + std::to_string(row - first_device) +
                                        ": a range of rows ends before it begins. Convert the recording again."};
  }
  for (size_t row = first; row < trace.kernel_profiles.size(); ++row) {
    const model::KernelProfile& profile = trace.kernel_profiles[row];
    if (profile.metric_begin > profile.metric_end || profile.advice_begin > profile.advice_end)
      return {StatusCode::kCorrupt, name + "/kernel_profiles.parquet: row " + std::to_string(row - first) +
                                        ": a range of rows ends before it begins. Convert the recording again."};
  }
  return Status::Ok();
}

// What Finish() counts is counted again when it runs again.
bool CountedByFinish(model::LedgerCode code) {
  using enum model::LedgerCode;
  switch (code) {
    case kZeroDuration:
    case kOverlapOnStream:
    case kUnmatchedKernel:
    case kKernelBeforeLaunch:
    case kDuplicateCorrelation:
    case kLaunchWithoutKernel:
    case kGraphUnderRecorded:
    case kClockSkew: return true;
    default: return false;
  }
}

void ForgetFinish(Trace* trace, size_t first_sync) {
  trace->host.parent.clear();
  trace->gpu.call.clear();
  for (size_t i = first_sync; i < trace->syncs.size(); ++i) trace->syncs[i].call = kNone;
}

class RunReader {
 public:
  RunReader(const Folder& folder, const RunPlace& place, const ReadOptions& options, Trace* trace)
      : folder_(folder), place_(place), options_(options), trace_(trace) {}
  Status Read();

 private:
  Status ReadOne(const duckdb::Database& database, const TableSchema& schema);
  Status ReadStrings(duckdb::Connection& connection, const TableSchema& schema, const TableFile& file);
  TableFile FileOf(const TableSchema& schema) const {
    const std::string file = "/" + place_.TableFile(schema.name);
    return {folder_.path() + file, place_.name + file, manifest_.RowsOf(schema.name)};
  }

  const Folder& folder_;
  const RunPlace& place_;
  const ReadOptions& options_;
  Trace* trace_;
  Manifest manifest_;
  Ranges ranges_;
  std::vector<model::LedgerEntry> ledger_;
  bool has_strings_ = false;
};

// In the file's order, so that every text gets the id that it had.
Status RunReader::ReadStrings(duckdb::Connection& connection, const TableSchema& schema, const TableFile& file) {
  const auto corrupt = [&](const std::string& what) {
    return Status(StatusCode::kCorrupt, file.name + ": " + what + ". Convert the recording again.");
  };
  auto rows = connection.Query("SELECT text::VARCHAR FROM read_parquet(" + duckdb::Quote(file.path) + ")", {},
                               duckdb::Connection::Mode::kStreamed);
  if (!rows.ok()) return corrupt(rows.status().message());
  Reading reading{trace_, &ranges_, nullptr, nullptr};
  uint64_t read = 0;
  for (;;) {
    auto chunk = rows->Next();
    if (!chunk.ok()) return corrupt(chunk.status().message());
    if (!chunk->has_value()) break;
    const Cells cells{(*chunk)->Data<duckdb::c::String>(0), (*chunk)->Validity(0), (*chunk)->size()};
    const size_t bad = schema.fields[0].read(cells, 0, reading);
    if (bad < cells.count) return corrupt("row " + std::to_string(read + bad) + " holds no text");
    read += cells.count;
    if (read > file.rows) break;
  }
  if (read != file.rows) return corrupt("it has other than " + std::to_string(file.rows) + " rows");
  return Status::Ok();
}

Status RunReader::ReadOne(const duckdb::Database& database, const TableSchema& schema) {
  const TableFile file = FileOf(schema);
  const bool has_file = folder_.HasFile(place_.TableFile(schema.name));
  if (file.rows == 0 && has_file && !manifest_.rows.contains(std::string(schema.name))) {
    return {StatusCode::kCorrupt, file.name +
                                      ": the file is there, but the manifest does not name this table: it was "
                                      "edited or belongs to another run. Convert the recording again."};
  }
  if (file.rows == 0) return Status::Ok();
  if (!has_file) {
    return {StatusCode::kCorrupt, file.name + ": no such file, but the manifest says that it has " +
                                      std::to_string(file.rows) + " rows. Copy the whole folder."};
  }
  WS_ASSIGN_OR_RETURN(duckdb::Connection connection, database.Connect());
  if (schema.name == "strings") {
    has_strings_ = true;
    return ReadStrings(connection, schema, file);
  }
  uint64_t first_row = 0;
  if (schema.grow != nullptr) {
    first_row = schema.rows(*trace_);
    schema.grow(trace_, file.rows);
  } else {
    ledger_.resize(file.rows);
  }
  const Reading reading{trace_, &ranges_, nullptr, &ledger_};
  return ReadTable(connection, schema, file, first_row, reading, !has_strings_);
}

Status RunReader::Read() {
  WS_ASSIGN_OR_RETURN(manifest_, ReadManifest(folder_, place_));
  WS_RETURN_IF_ERROR(CheckSize(manifest_, place_.name));
  if (manifest_.RowsOf("sources") == 0)
    return {StatusCode::kCorrupt, place_.name + ": this run names no source. Convert the recording again."};
  const bool alone = options_.keep_finish && trace_->sources.empty();
  const size_t first_profile = trace_->kernel_profiles.size(), first_sync = trace_->syncs.size();
  const size_t first_device = trace_->devices.size();
  ranges_ = MakeRanges(*trace_, manifest_);
  duckdb::Options database_options;
  // Without the table of texts the ids follow the order of reading, which only one thread keeps.
  database_options.threads = manifest_.RowsOf("strings") == 0 ? 1 : options_.threads;
  database_options.memory_bytes = kDuckdbBytes;
  database_options.folders = {folder_.path()};
  WS_ASSIGN_OR_RETURN(const duckdb::Database database, duckdb::Database::Open(database_options));
  for (const TableSchema& schema : Schema()) WS_RETURN_IF_ERROR(ReadOne(database, schema));
  WS_RETURN_IF_ERROR(CheckRanges(*trace_, first_profile, first_device, place_.name));
  const bool finished = alone && model::AdoptFinished(trace_);
  if (!finished) ForgetFinish(trace_, first_sync);
  for (const model::LedgerEntry& entry : ledger_) {
    if (finished || !CountedByFinish(entry.code))
      trace_->ledger.Add(entry.code, entry.count, entry.first_offset_bytes, entry.detail, entry.file);
  }
  return Status::Ok();
}

}  // namespace

Status ReadRun(const RunPlace& place, const ReadOptions& options, Trace* trace) {
  const Folder folder(place.folder);
  if (!folder.ok()) return {StatusCode::kIo, place.name + ": this folder cannot be opened. Check the path."};
  return RunReader(folder, place, options, trace).Read();
}

}  // namespace warpscope::store
