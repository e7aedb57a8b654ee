#include "import/rocprof/rocprof_sqlite.h"

#include <algorithm>
#include <unordered_map>

#include "import/amd/names.h"
#include "import/appender.h"
#include "import/csv/csv_reader.h"

namespace warpscope::import::rocprof {
namespace {

using model::LedgerCode;

bool Timed(Database& database, const std::string& table) {
  return database.HasColumn(table, "BeginNs") && database.HasColumn(table, "EndNs");
}

Confidence Sniff(Database& database) {
  for (const char* table : {"OPS", "COPY", "HIP", "HSA"}) {
    if (Timed(database, table) && database.HasColumn(table, "__section")) return Confidence::kYes;
  }
  return database.HasColumn("KERN", "KernelName") ? Confidence::kYes : Confidence::kNo;
}

class Reader {
 public:
  Reader(Database* database, Appender* to) : database_(database), to_(to) {}

  void Read() {
    ReadCalls("HIP", model::HostKind::kRuntimeCall);
    ReadCalls("HSA", model::HostKind::kDriverCall);
    ReadCalls("KFD", model::HostKind::kDriverCall);
    ReadCalls("rocTX", model::HostKind::kAnnotation);
    ReadWork("OPS", false);
    ReadWork("COPY", true);
    if (database_->CountRows("OPS") == 0) ReadKernels();
  }
  uint64_t rows() const { return rows_; }

 private:
  template <typename Use>
  void Each(const std::string& sql, const Use& use) {
    auto query = database_->Run(sql);
    if (!query.ok()) return to_->Note(LedgerCode::kBrokenRecord, 1, std::nullopt, query.status().message());
    for (;;) {
      const auto more = query->Step();
      if (!more.ok()) return to_->Note(LedgerCode::kTruncatedFile, 1, std::nullopt, more.status().message());
      if (!more.value()) return;
      ++rows_;
      use(*query);
    }
  }

  bool Times(const Query& row, int64_t* start_ns, int64_t* dur_ns) {
    const auto begin = row.Int(0), end = row.Int(1);
    if (!begin || !end) {
      to_->Note(LedgerCode::kMissingField);
      return false;
    }
    *start_ns = *begin;
    if (__builtin_sub_overflow(*end, *begin, dur_ns)) *dur_ns = -1;
    return true;
  }
  static uint64_t Id(std::optional<int64_t> value) {
    return value && *value > 0 ? static_cast<uint64_t>(*value) : model::kNoId;
  }

  // "( sizeBytes(4096) ...)" -> 4096. Texts of arguments are used for nothing else.
  static std::optional<uint64_t> SizeIn(std::string_view arguments) {
    const size_t at = arguments.find("sizeBytes(");
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view digits = arguments.substr(at + 10);
    return ParseCount(digits.substr(0, std::min(digits.find(')'), digits.size())));
  }

  void ReadCalls(const std::string& table, model::HostKind kind) {
    if (!Timed(*database_, table)) return;
    const auto column = [&](std::string_view name) { return database_->ColumnOrNull(table, name); };
    Each("SELECT BeginNs, EndNs, " + column("pid") + ", " + column("tid") + ", " + column("Name") + ", " +
             column("Index") + ", " + column("args") + " FROM " + QuoteName(table),
         [&](const Query& row) {
           Appender::Host host;
           if (!Times(row, &host.start_ns, &host.dur_ns)) return;
           const int64_t pid = row.Int(2).value_or(-1);
           host.kind = kind;
           host.name = to_->Text(row.Bytes(4));
           host.thread = to_->Thread(to_->Process(pid), row.Int(3).value_or(0));
           if (kind == model::HostKind::kRuntimeCall) {
             host.correlation = Id(row.Int(5));
             if (const auto bytes = SizeIn(row.Bytes(6))) bytes_[{pid, host.correlation}] = *bytes;
           }
           to_->Add(host);
         });
  }

  void ReadWork(const std::string& table, bool copies) {
    if (!Timed(*database_, table)) return;
    const auto column = [&](std::string_view name) { return database_->ColumnOrNull(table, name); };
    Each("SELECT BeginNs, EndNs, " + column("pid") + ", " + column("dev-id") + ", " + column("queue-id") + ", " +
             column("stream-id") + ", " + column("Name") + ", " + column("Index") + " FROM " + QuoteName(table),
         [&](const Query& row) {
           Appender::Gpu gpu;
           if (!Times(row, &gpu.start_ns, &gpu.dur_ns)) return;
           const std::string_view name = row.Bytes(6);
           if (name.find("<barrier packet>") != std::string_view::npos) return to_->Note(LedgerCode::kUnknownEvent);
           const int64_t pid = row.Int(2).value_or(-1);
           gpu.correlation = Id(row.Int(7));
           if (copies) {
             const bool fill =
                 name.find("Fill") != std::string_view::npos || name.find("emset") != std::string_view::npos;
             model::CopyDetail detail;
             if (!fill) detail.kind = amd::CopyKindOf(name);
             if (const auto it = bytes_.find({pid, gpu.correlation}); it != bytes_.end()) detail.bytes = it->second;
             gpu.kind = fill ? model::GpuKind::kMemset : model::GpuKind::kCopy;
             gpu.name = to_->Text(fill ? std::string_view("Memset") : amd::CopyName(detail.kind));
             gpu.detail = to_->Copy(detail);
           } else {
             gpu.name = to_->Text(amd::KernelName(name));
           }
           const auto stream = row.Int(5) ? row.Int(5) : row.Int(4);
           gpu.stream = to_->Stream(to_->Process(pid), to_->Device(row.Int(3).value_or(0)), -1,
                                    stream.value_or(amd::kCopyEngineStream));
           to_->Add(gpu);
         });
  }

  void ReadKernels() {
    if (!Timed(*database_, "KERN")) return;
    const auto column = [&](std::string_view name) { return database_->AnyColumn("KERN", name); };
    Each("SELECT BeginNs, EndNs, " + column("pid") + ", " + column("gpu-id") + ", " + column("queue-id") + ", " +
             column("KernelName") + ", " + column("grd") + ", " + column("wgr") + ", " + column("lds") + ", " +
             column("arch_vgpr|vgpr") + " FROM KERN",
         [&](const Query& row) {
           Appender::Gpu gpu;
           if (!Times(row, &gpu.start_ns, &gpu.dur_ns)) return;
           std::string_view name = row.Bytes(5);
           if (name.size() > 1 && name.front() == '"' && name.back() == '"') name = name.substr(1, name.size() - 2);
           gpu.name = to_->Text(amd::KernelName(name));
           const auto size = [&](int at) {
             return static_cast<uint64_t>(std::max<int64_t>(row.Int(at).value_or(0), 0));
           };
           model::LaunchConfig config;
           amd::SetShape(&config, {size(6), 1, 1}, {size(7), 1, 1});
           if (row.Int(8) && size(8) <= UINT32_MAX) config.shared_bytes = static_cast<uint32_t>(size(8));
           if (size(9) > 0 && size(9) <= UINT32_MAX) config.registers_per_thread = static_cast<uint32_t>(size(9));
           gpu.detail = to_->Launch(config);
           gpu.stream = to_->Stream(to_->Process(row.Int(2).value_or(-1)), to_->Device(row.Int(3).value_or(0)), -1,
                                    row.Int(4).value_or(0));
           to_->Add(gpu);
         });
  }

  struct KeyHash {
    size_t operator()(const std::pair<int64_t, uint64_t>& key) const {
      return static_cast<size_t>(static_cast<uint64_t>(key.first) * 0x9E3779B97F4A7C15ULL ^ key.second);
    }
  };
  Database* database_;
  Appender* to_;
  std::unordered_map<std::pair<int64_t, uint64_t>, uint64_t, KeyHash> bytes_;  // copied, by process and call
  uint64_t rows_ = 0;
};

Status Read(Database& database, const std::string& path, const Options&, model::Trace* trace) {
  Appender to(trace, path, "rocprof");
  to.source().vendor = model::Vendor::kAmd;
  to.source().producer = "rocprof";
  to.source().part_of = amd::PartOf(path, "results", "rocprof");
  to.source().representation = "db";
  to.source().text_bytes = database.size_bytes();
  Reader reader(&database, &to);
  reader.Read();
  if (reader.rows() > 0) return Status::Ok();
  return Status(StatusCode::kCorrupt,
                path +
                    ": byte 0: this database of rocprof holds no call, kernel or copy: nothing was traced. Record "
                    "with rocprof --sys-trace, or better with rocprofv3 --runtime-trace.");
}

}  // namespace

const SqliteFormat kSqlite = {"rocprof", "rocprof v1 database", &Sniff, &Read};

}  // namespace warpscope::import::rocprof
