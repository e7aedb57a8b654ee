#include "import/unitrace/unitrace_importer.h"

#include <algorithm>
#include <optional>
#include <string>

#include "import/appender.h"
#include "import/csv/csv_reader.h"
#include "import/unitrace/table_row.h"

namespace warpscope::import::unitrace {
namespace {

using model::LedgerCode;
using model::SummaryKind;

constexpr size_t kMostBytes = size_t{1} << 28;  // tables of totals are short; the rest of a longer text is not read

bool Has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }
bool StartsWith(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }

// "=== Device Timing Summary ===" -> "Device Timing Summary"; "== L0 Backend ==" -> "L0 Backend". "" if it is neither.
std::string_view Title(std::string_view line, std::string_view mark) {
  line = Trimmed(line);
  if (!StartsWith(line, mark) || line.size() < 2 * mark.size() + 3 || line[mark.size()] != ' ') return {};
  if (line.substr(line.size() - mark.size()) != mark) return {};
  return Trimmed(line.substr(mark.size(), line.size() - 2 * mark.size()));
}

bool IsTimingTable(std::string_view title) {
  return Has(title, "Timing Summary") || Has(title, "Submission Summary") || Has(title, "Time Summary");
}

bool LooksLikeMetrics(std::string_view text) {
  return Has(text, "GlobalInstanceId") && Has(text, "GpuTime[ns]") && Has(text, "Kernel");
}

Confidence Sniff(const Head& head) {
  const std::string_view text = head.bytes.substr(0, size_t{64} << 10);
  for (size_t at = text.find("=== "); at != std::string_view::npos; at = text.find("=== ", at + 1)) {
    if (at > 0 && text[at - 1] != '\n') continue;
    const std::string_view title = Title(text.substr(at, text.find('\n', at) - at), "===");
    if (IsTimingTable(title) && (Has(text, "Execution Time (ns)") || Has(text, "Backend =="))) return Confidence::kYes;
    if (Has(title, "Metrics") && LooksLikeMetrics(text)) return Confidence::kYes;
  }
  return StartsWith(Trimmed(text), "Kernel") && LooksLikeMetrics(text) ? Confidence::kYes : Confidence::kNo;
}

Result<std::string> ReadAll(ByteSource& bytes) {
  std::string text;
  while (text.size() < kMostBytes) {
    const size_t at = text.size();
    constexpr size_t kPiece = size_t{1} << 18;
    text.resize(at + kPiece);
    WS_ASSIGN_OR_RETURN(const size_t got, bytes.Read(text.data() + at, kPiece));
    text.resize(at + got);
    if (got < kPiece) break;
  }
  return text;
}

class Tables {
 public:
  explicit Tables(Appender* out) : out_(*out) {}

  void Read(std::string_view text) {
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size());
      Line(text.substr(at, end - at), at);
      at = end + 1;
    }
  }
  uint64_t rows() const { return rows_; }

 private:
  enum class Section : uint8_t { kNone, kSummary, kMetrics, kOther };

  void Line(std::string_view line, uint64_t offset_bytes) {
    if (const std::string_view title = Title(line, "==="); !title.empty()) return Begin(title);
    if (const std::string_view group = Title(line, "=="); !group.empty()) {
      group_ = group;
      header_.clear();
      return;
    }
    const std::string_view trimmed = Trimmed(line);
    if (trimmed.empty() || (section_ == Section::kNone && !StartsWith(trimmed, "Kernel"))) return;
    const auto fields = FieldsOf(line);
    if (fields.size() < 3) return;  // "Total Execution Time (ns): 12", and the program's own words
    if (fields[0] == "Kernel" || fields[0] == "Function") return Header(fields);
    if (header_.empty()) return;
    if (section_ == Section::kSummary) return Summary(fields, offset_bytes);
    if (section_ == Section::kMetrics) return Metrics(fields, offset_bytes);
    ++passed_;
    out_.Note(LedgerCode::kUnknownEvent, 1, offset_bytes, "a table without times");
  }

  void Begin(std::string_view title) {
    is_api_ = Has(title, "API");
    group_ = {};
    header_.clear();
    section_ = IsTimingTable(title) ? Section::kSummary : Has(title, "Metrics") ? Section::kMetrics : Section::kOther;
    device_ = std::nullopt;
    const size_t hash = title.find('#');
    if (section_ == Section::kMetrics && hash != std::string_view::npos)
      device_ = ParseSigned(title.substr(hash + 1, title.find_first_not_of("0123456789", hash + 1) - hash - 1));
  }

  void Header(const std::vector<std::string_view>& fields) {
    header_.assign(fields.begin(), fields.end());
    if (section_ == Section::kNone && Column("GlobalInstanceId")) section_ = Section::kMetrics;
  }

  std::optional<size_t> Column(std::string_view name) const {
    const auto found = std::find(header_.begin(), header_.end(), name);
    return found == header_.end() ? std::nullopt : std::optional<size_t>(found - header_.begin());
  }
  template <typename T>
  std::optional<T> Value(const std::vector<std::string_view>& fields, std::string_view name) const {
    const auto column = Column(name);
    if (!column || *column >= fields.size()) return std::nullopt;
    if constexpr (std::is_same_v<T, uint64_t>) return ParseCount(fields[*column]);
    else return ParseTimeNs(fields[*column], 1);
  }

  SummaryKind KindOf(std::string_view name) const {
    if (is_api_) return SummaryKind::kApiCall;
    const bool copy = Has(name, "MemoryCopy") || Has(name, "EnqueueReadBuffer") || Has(name, "EnqueueWriteBuffer") ||
                      Has(name, "EnqueueCopyBuffer") || Has(name, "MemcpyINTEL") || Has(name, "MemoryFill");
    return copy ? SummaryKind::kCopy : SummaryKind::kKernel;
  }

  void Summary(const std::vector<std::string_view>& fields, uint64_t offset_bytes) {
    model::SummaryRow row;
    row.source = out_.source_row();
    row.kind = KindOf(fields[0]);
    row.count = Value<uint64_t>(fields, "Calls");
    row.total_ns = Value<int64_t>(fields, "Time (ns)");
    if (!row.total_ns) row.total_ns = Value<int64_t>(fields, "Execute (ns)");  // of the submission table
    row.min_ns = Value<int64_t>(fields, "Min (ns)");
    row.max_ns = Value<int64_t>(fields, "Max (ns)");
    if (!row.count && !row.total_ns) {
      out_.Note(LedgerCode::kBrokenRecord, 1, offset_bytes, "a line of a table without numbers");
      return;
    }
    row.name = out_.Text(fields[0]);
    if (!group_.empty()) row.group = out_.Text(group_);
    out_.trace().summaries.push_back(row);
    ++rows_;
  }

  // "XveActive[%]" -> name and unit.
  void Metrics(const std::vector<std::string_view>& fields, uint64_t offset_bytes) {
    if (fields.size() < header_.size()) {
      out_.Note(LedgerCode::kBrokenRecord, 1, offset_bytes, "a line of counters with too few fields");
      return;
    }
    model::Trace& trace = out_.trace();
    model::KernelProfile profile;
    profile.source = out_.source_row();
    profile.name = out_.Text(fields[0]);
    profile.id = Value<uint64_t>(fields, "GlobalInstanceId").value_or(rows_);
    profile.dur_ns = Value<int64_t>(fields, "GpuTime[ns]");
    if (device_) profile.device = out_.Device(*device_);
    profile.metric_begin = static_cast<uint32_t>(trace.metrics.size());
    for (size_t i = 1; i < header_.size(); ++i) AddMetric(header_[i], fields[i], offset_bytes);
    profile.metric_end = static_cast<uint32_t>(trace.metrics.size());
    trace.kernel_profiles.push_back(profile);
    ++rows_;
  }

  void AddMetric(std::string_view title, std::string_view text, uint64_t offset_bytes) {
    if (title.empty() || title == "GlobalInstanceId" || title == "SubDeviceId") return;
    model::Metric metric;
    const size_t bracket = title.find('[');
    metric.name = out_.Text(Trimmed(title.substr(0, bracket)));
    if (bracket != std::string_view::npos && title.back() == ']')
      metric.unit = out_.Text(title.substr(bracket + 1, title.size() - bracket - 2));
    const std::optional<double> value = ParseNumber(text, '.');
    if (const auto whole = ParseCount(text)) metric.value = *whole;
    else if (value) metric.value = *value;
    else out_.Note(LedgerCode::kBadNumber, 1, offset_bytes);
    out_.trace().metrics.push_back(metric);
  }

  Appender& out_;
  Section section_ = Section::kNone;
  bool is_api_ = false;
  std::string group_;
  std::vector<std::string> header_;
  std::optional<int64_t> device_;
  uint64_t rows_ = 0, passed_ = 0;
};

Status Read(ByteSource& bytes, const std::string& path, const Options& options, model::Trace* trace) {
  WS_ASSIGN_OR_RETURN(const std::string text, ReadAll(bytes));
  Appender out(trace, path, "unitrace_text");
  out.source().producer = "Intel unitrace";
  out.source().vendor = model::Vendor::kIntel;
  out.source().text_bytes = text.size();
  Tables tables(&out);
  tables.Read(text);
  if (text.size() >= kMostBytes || bytes.cut_short()) out.Note(LedgerCode::kTruncatedFile, 1, text.size());
  if (options.progress) options.progress(1.0);
  if (tables.rows() > 0) return Status::Ok();
  return {StatusCode::kCorrupt, path + ": byte " + std::to_string(text.size()) +
                                    ": unitrace's tables hold no line. Run unitrace with -d (device), -h (host) or "
                                    "-q (counters) to the program's end."};
}

}  // namespace

const Importer kImporter = {"unitrace", "Intel unitrace tables", &Sniff, &Read};

}  // namespace warpscope::import::unitrace
