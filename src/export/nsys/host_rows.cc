// Host spans: calls, operating-system calls, the profiler's own work, and everything else as NVTX ranges.
#include <array>

#include "export/nsys/job.h"

namespace warpscope::exporting {
namespace {

using model::HostKind;
using model::kNoId;
using model::kNone;
using model::kNoString;

constexpr int64_t kMark = 34, kPushPop = 59, kStartEnd = 60, kDomainCreate = 75,
                  kCategory = 33;   // ENUM_NSYS_EVENT_TYPE
constexpr int64_t kOsRuntime = 27;  // ENUM_NSYS_EVENT_CLASS
// Operators and Python frames are NVTX ranges in domains of their own.
constexpr int64_t kOperatorDomain = 1, kPythonDomain = 2, kNativeDomain = 3, kFirstDomain = 4;

bool IsNvtx(HostKind kind) { return kind == HostKind::kAnnotation || IsFrame(kind) || kind == HostKind::kOperator; }

// Of the extra columns only those that some row fills are made.
struct Extras {
  bool correlation = false, external_id = false, forward_thread = false, detail = false, call_external_id = false;
};

Extras FindExtras(const model::HostTable& host) {
  Extras extras;
  for (uint32_t row = 0; row < host.size(); ++row) {
    if (!IsNvtx(host.kind[row])) {
      extras.call_external_id |= host.external_id[row] != kNoId;
      continue;
    }
    extras.correlation |= host.correlation[row] != kNoId;
    extras.external_id |= host.external_id[row] != kNoId;
    extras.forward_thread |= host.forward_thread[row] != 0;
    extras.detail |= host.kind[row] == HostKind::kOperator && host.detail[row] != kNone;
  }
  return extras;
}

struct Columns {
  std::string list;
  void Add(bool wanted, const char* name) {
    if (wanted) list += std::string(", ") + name;
  }
};

class HostWriter {
 public:
  explicit HostWriter(Job& job) : job_(job), extras_(FindExtras(job.trace.host)) {}

  void Write() {
    const model::HostTable& host = job_.trace.host;
    std::array<uint64_t, model::kHostKinds> rows{};
    for (const HostKind kind : host.kind) ++rows[static_cast<size_t>(kind)];
    const auto count = [&](HostKind kind) { return rows[static_cast<size_t>(kind)]; };
    if (count(HostKind::kRuntimeCall) + count(HostKind::kDriverCall) > 0) WriteCalls();
    if (count(HostKind::kOsCall) > 0) WriteOsCalls();
    if (count(HostKind::kOverhead) > 0) WriteOverhead();
    if (count(HostKind::kAnnotation) + count(HostKind::kOperator) + count(HostKind::kPython) +
            count(HostKind::kNative) >
        0)
      WriteNvtx();
    job_.written.event_count += host.size();
  }

 private:
  int64_t Start(uint32_t row) const { return job_.trace.host.start_ns[row] - job_.base_ns; }
  int64_t Thread(uint32_t row) const { return job_.ids.Thread(job_.trace.host.thread[row]); }
  static void Id(Insert& insert, uint64_t id) { id == kNoId ? insert.Null() : insert.Int(static_cast<int64_t>(id)); }

  void WriteCalls() {
    const model::HostTable& host = job_.trace.host;
    Columns columns{"start, end, eventClass, globalTid, correlationId, nameId, returnValue, callchainId"};
    columns.Add(extras_.call_external_id, "warpscopeExternalId");
    job_.file.MakeTable("CUPTI_ACTIVITY_KIND_RUNTIME", columns.list);
    Insert insert(job_.file, "CUPTI_ACTIVITY_KIND_RUNTIME", columns.list);
    for (uint32_t row = 0; row < host.size(); ++row) {
      if (host.kind[row] != HostKind::kRuntimeCall && host.kind[row] != HostKind::kDriverCall) continue;
      insert.Int(Start(row)).Int(Start(row) + host.dur_ns[row]).Int(host.kind[row] == HostKind::kDriverCall ? 1 : 0);
      insert.Int(Thread(row));
      Id(insert, host.correlation[row]);
      insert.Int(host.name[row]).Null().Null();
      if (extras_.call_external_id) Id(insert, host.external_id[row]);
      insert.Row();
    }
  }

  void WriteOsCalls() {
    const model::HostTable& host = job_.trace.host;
    const std::string columns =
        "start, end, eventClass, globalTid, correlationId, nameId, returnValue, nestingLevel, callchainId";
    job_.file.MakeTable("OSRT_API", columns);
    Insert insert(job_.file, "OSRT_API", columns);
    for (uint32_t row = 0; row < host.size(); ++row) {
      if (host.kind[row] != HostKind::kOsCall) continue;
      insert.Int(Start(row)).Int(Start(row) + host.dur_ns[row]).Int(kOsRuntime).Int(Thread(row));
      Id(insert, host.correlation[row]);
      insert.Int(host.name[row]).Row();
    }
  }

  void WriteOverhead() {
    const model::HostTable& host = job_.trace.host;
    const std::string columns = "start, end, globalTid, nameId, overheadType";
    job_.file.MakeTable("PROFILER_OVERHEAD", columns);
    Insert insert(job_.file, "PROFILER_OVERHEAD", columns);
    for (uint32_t row = 0; row < host.size(); ++row) {
      if (host.kind[row] != HostKind::kOverhead) continue;
      insert.Int(Start(row)).Int(Start(row) + host.dur_ns[row]).Int(Thread(row)).Int(host.name[row]).Int(1).Row();
    }
  }

  void WriteNvtx() {
    const model::HostTable& host = job_.trace.host;
    Columns columns{
        "start, end, eventType, rangeId, category, color, text, globalTid, endGlobalTid, textId, domainId, "
        "uint64Value, "
        "int64Value, doubleValue, uint32Value, int32Value, floatValue, jsonTextId, jsonText, binaryData"};
    columns.Add(extras_.correlation, "warpscopeCorrelationId");
    columns.Add(extras_.external_id, "warpscopeExternalId");
    columns.Add(extras_.forward_thread, "warpscopeForwardThread");
    columns.Add(extras_.detail, "warpscopeDetailId");
    job_.file.MakeTable("NVTX_EVENTS", columns.list);
    Insert insert(job_.file, "NVTX_EVENTS", columns.list);
    int64_t rowid = WriteDomains(insert);
    for (uint32_t row = 0; row < host.size(); ++row) {
      if (!IsNvtx(host.kind[row])) continue;
      WriteRange(insert, row);
      ++rowid;
      if (!job_.nvtx_row.empty() && job_.nvtx_row[row] != 0) job_.nvtx_row[row] = rowid;
    }
  }

  // Rows that name the domains and the categories; answers how many.
  int64_t WriteDomains(Insert& insert) {
    int64_t rows = 0;
    const auto named = [&](int64_t type, std::string_view text, int64_t domain, std::optional<int64_t> category) {
      for (size_t process = 0; process < job_.trace.processes.size(); ++process) {
        insert.Int(0).Null().Int(type).Null().Maybe(category).Null().Text(text);
        insert.Int(job_.ids.Process(static_cast<uint32_t>(process))).Null().Null().Int(domain).Row();
        ++rows;
      }
    };
    named(kDomainCreate, "warpscope operators", kOperatorDomain, std::nullopt);
    named(kDomainCreate, "warpscope Python", kPythonDomain, std::nullopt);
    named(kDomainCreate, "warpscope native", kNativeDomain, std::nullopt);
    for (const model::AnnotationDetail& detail : job_.trace.annotation_details) {
      if (detail.domain != kNoString && domains_.try_emplace(detail.domain, kFirstDomain + domains_.size()).second)
        named(kDomainCreate, job_.trace.Text(detail.domain), domains_[detail.domain], std::nullopt);
      if (detail.category != kNoString && categories_.try_emplace(detail.category, 1 + categories_.size()).second)
        named(kCategory, job_.trace.Text(detail.category), 0, categories_[detail.category]);
    }
    return rows;
  }

  void WriteRange(Insert& insert, uint32_t row) {
    const model::HostTable& host = job_.trace.host;
    const bool annotation = host.kind[row] == HostKind::kAnnotation;
    const model::AnnotationDetail detail = annotation && host.detail[row] != kNone
                                               ? job_.trace.annotation_details[host.detail[row]]
                                               : model::AnnotationDetail{};
    int64_t domain = host.kind[row] == HostKind::kOperator ? kOperatorDomain
                     : host.kind[row] == HostKind::kNative ? kNativeDomain
                                                           : kPythonDomain;
    if (annotation) domain = detail.domain == kNoString ? 0 : domains_[detail.domain];
    const bool mark = annotation && detail.form == model::AnnotationForm::kMark;
    insert.Int(Start(row));
    mark ? insert.Null() : insert.Int(Start(row) + host.dur_ns[row]);
    insert.Int(mark ? kMark : annotation && detail.form == model::AnnotationForm::kStartEnd ? kStartEnd : kPushPop);
    insert.Null();
    detail.category == kNoString ? insert.Null() : insert.Int(categories_[detail.category]);
    insert.Maybe(detail.color_argb).Null().Int(Thread(row)).Null().Int(host.name[row]).Int(domain);
    for (int i = 0; i < 7; ++i) insert.Null();
    detail.payload == kNoString ? insert.Null() : insert.Text(job_.trace.Text(detail.payload));
    insert.Null();
    if (extras_.correlation) Id(insert, host.correlation[row]);
    if (extras_.external_id) Id(insert, host.external_id[row]);
    if (extras_.forward_thread) insert.Int(host.forward_thread[row]);
    if (extras_.detail) {
      const bool has = host.kind[row] == HostKind::kOperator && host.detail[row] != kNone;
      has ? insert.Int(host.detail[row]) : insert.Null();
    }
    insert.Row();
  }

  Job& job_;
  const Extras extras_;
  std::unordered_map<model::StringId, int64_t> domains_, categories_;
};

}  // namespace

void WriteHostRows(Job& job) { HostWriter(job).Write(); }

}  // namespace warpscope::exporting
