// rocpd databases of rocmProfileData (.rpd), also written by early rocprofiler versions: calls in rocpd_api, device
// work in rocpd_op, joined by rocpd_api_ops. Markers are calls named "UserMarker" with the text as their argument.
// Source: the schema and docs of github.com/ROCm/rocmProfileData.
#include <algorithm>
#include <unordered_map>

#include "import/amd/names.h"
#include "import/appender.h"
#include "import/rocpd/rocpd_sqlite.h"

namespace warpscope::import::rocpd {
namespace {

using model::LedgerCode;

class Rpd {
 public:
  Rpd(Database* database, Appender* to) : database_(database), to_(to) {}

  void Read() {
    Strings("rocpd_string", &strings_);
    Strings("rocpd_ustring", &arguments_);
    ReadCalls("rocpd_api", model::HostKind::kRuntimeCall);
    ReadCalls("rocpd_hsaApi", model::HostKind::kDriverCall);
    ReadWork();
  }
  uint64_t rows() const { return rows_; }

 private:
  using Texts = std::unordered_map<int64_t, model::StringId>;

  template <typename Use>
  void Each(const std::string& sql, const Use& use) {
    auto query = database_->Run(sql);
    if (!query.ok()) return to_->Note(LedgerCode::kBrokenRecord, 1, std::nullopt, query.status().message());
    for (;;) {
      const auto more = query->Step();
      if (!more.ok()) return to_->Note(LedgerCode::kTruncatedFile, 1, std::nullopt, more.status().message());
      if (!more.value()) return;
      use(*query);
    }
  }

  void Strings(const std::string& table, Texts* texts) {
    if (!database_->HasTable(table)) return;
    Each("SELECT id, string FROM " + QuoteName(table),
         [&](const Query& row) { (*texts)[row.Int(0).value_or(0)] = to_->Text(row.Bytes(1)); });
  }
  std::string_view Text(const Texts& texts, std::optional<int64_t> id) const {
    const auto it = id ? texts.find(*id) : texts.end();
    return it == texts.end() ? std::string_view() : to_->trace().Text(it->second);
  }

  bool Times(const Query& row, int start, int64_t* start_ns, int64_t* dur_ns) {
    const auto begin = row.Int(start), end = row.Int(start + 1);
    if (!begin || !end) {
      to_->Note(LedgerCode::kMissingField);
      return false;
    }
    *start_ns = *begin;
    if (__builtin_sub_overflow(*end, *begin, dur_ns)) *dur_ns = -1;
    return true;
  }

  void ReadCalls(const std::string& table, model::HostKind kind) {
    if (!database_->HasTable(table)) return;
    const bool own_arguments = database_->HasTable("rocpd_ustring");
    Each("SELECT id, pid, tid, start, \"end\", apiName_id, " + database_->ColumnOrNull(table, "args_id") + " FROM " +
             QuoteName(table),
         [&](const Query& row) {
           ++rows_;
           Appender::Host host;
           if (!Times(row, 3, &host.start_ns, &host.dur_ns)) return;
           const std::string_view name = Text(strings_, row.Int(5));
           host.kind = kind;
           host.name = to_->Text(name);
           if (name == "UserMarker") {
             host.kind = model::HostKind::kAnnotation;
             host.name = to_->Text(Text(own_arguments ? arguments_ : strings_, row.Int(6)));
           }
           const uint32_t process = to_->Process(row.Int(1).value_or(-1));
           host.thread = to_->Thread(process, row.Int(2).value_or(0));
           // Calls of the two tables are numbered apart.
           if (kind == model::HostKind::kRuntimeCall && row.Int(0) && *row.Int(0) >= 0) {
             host.correlation = static_cast<uint64_t>(*row.Int(0));
             process_of_[*row.Int(0)] = process;
           }
           to_->Add(host);
         });
  }

  void ReadWork() {
    const bool linked = database_->HasTable("rocpd_api_ops");
    const bool shapes = database_->HasTable("rocpd_kernelapi");
    std::string sql = "SELECT O.gpuId, O.queueId, O.start, O.\"end\", O.description_id, O.opType_id, L.api_id";
    for (const std::string_view column :
         {"gridX", "gridY", "gridZ", "workgroupX", "workgroupY", "workgroupZ", "groupSegmentSize"})
      sql += shapes && database_->HasColumn("rocpd_kernelapi", column) ? ", K." + QuoteName(column) : ", NULL";
    sql += database_->HasTable("rocpd_copyapi") ? ", C.size" : ", NULL";
    // An operation of several calls is taken once, with the first.
    sql += " FROM rocpd_op O LEFT JOIN (SELECT op_id, min(api_id) AS api_id FROM " +
           std::string(linked ? "rocpd_api_ops" : "(SELECT NULL AS op_id, NULL AS api_id)") +
           " GROUP BY op_id) L ON L.op_id = O.id";
    if (shapes) sql += " LEFT JOIN rocpd_kernelapi K ON K.api_ptr_id = L.api_id";
    if (database_->HasTable("rocpd_copyapi")) sql += " LEFT JOIN rocpd_copyapi C ON C.api_ptr_id = L.api_id";
    Each(sql, [&](const Query& row) { AddWork(row); });
  }

  void AddWork(const Query& row) {
    ++rows_;
    const std::string_view type = Text(strings_, row.Int(5)), description = Text(strings_, row.Int(4));
    if (type.find("Barrier") != std::string_view::npos || type.find("Marker") != std::string_view::npos)
      return to_->Note(LedgerCode::kUnknownEvent);
    Appender::Gpu gpu;
    if (!Times(row, 2, &gpu.start_ns, &gpu.dur_ns)) return;
    const bool copy = type.find("Copy") != std::string_view::npos || type.find("Memcpy") != std::string_view::npos;
    const bool fill = type.find("Fill") != std::string_view::npos || type.find("Memset") != std::string_view::npos;
    const auto size = [&](int column) {
      return static_cast<uint64_t>(std::max<int64_t>(row.Int(column).value_or(0), 0));
    };
    if (copy || fill) {
      model::CopyDetail detail;
      if (copy) detail.kind = amd::CopyKindOf(type);
      if (row.Int(14) && *row.Int(14) > 0) detail.bytes = size(14);
      gpu.kind = copy ? model::GpuKind::kCopy : model::GpuKind::kMemset;
      gpu.name = to_->Text(copy ? amd::CopyName(detail.kind) : std::string_view("Memset"));
      gpu.detail = to_->Copy(detail);
    } else {
      model::LaunchConfig config;
      amd::SetShape(&config, {size(7), size(8), size(9)}, {size(10), size(11), size(12)});
      if (row.Int(13) && size(13) <= UINT32_MAX) config.shared_bytes = static_cast<uint32_t>(size(13));
      gpu.name = to_->Text(amd::KernelName(description.empty() ? type : description));
      gpu.detail = to_->Launch(config);
    }
    const auto call = row.Int(6);
    const auto known = call ? process_of_.find(*call) : process_of_.end();
    if (known != process_of_.end()) gpu.correlation = static_cast<uint64_t>(*call);
    const uint32_t process = known != process_of_.end() ? known->second : to_->Process(-1);
    gpu.stream = to_->Stream(process, to_->Device(row.Int(0).value_or(0)), -1, row.Int(1).value_or(0));
    to_->Add(gpu);
  }

  Database* database_;
  Appender* to_;
  Texts strings_, arguments_;
  std::unordered_map<int64_t, uint32_t> process_of_;  // by call
  uint64_t rows_ = 0;
};

}  // namespace

Status ReadRpd(Database& database, const std::string& path, model::Trace* trace) {
  Appender to(trace, path, "rocpd");
  to.source().vendor = model::Vendor::kAmd;
  to.source().producer = "rocmProfileData";
  to.source().version = "schema 2";
  to.source().text_bytes = database.size_bytes();
  Rpd rpd(&database, &to);
  rpd.Read();
  if (rpd.rows() == 0) {
    return Status(StatusCode::kCorrupt,
                  path +
                      ": byte 0: this database of rocmProfileData holds no call and no device work: nothing was "
                      "traced. Record with runTracer.sh -o trace.rpd PROGRAM.");
  }
  return Status::Ok();
}

}  // namespace warpscope::import::rocpd
