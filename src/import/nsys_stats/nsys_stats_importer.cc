#include "import/nsys_stats/nsys_stats_importer.h"

#include <algorithm>

#include "import/appender.h"
#include "import/nsys_stats/table.h"

namespace warpscope::import::nsys_stats {
namespace {

using model::LedgerCode;

constexpr size_t kMaxLineBytes = size_t{1} << 20;

bool Has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool IsTitle(std::string_view line) {
  return Has(line, " ** ") || line.substr(0, 2) == "**" || Has(line, "Statistics");
}

Confidence Sniff(const Head& head) {
  const std::string_view text = head.bytes;
  if (text.find('\0') != std::string_view::npos) return Confidence::kNo;
  const bool processing = Has(text, "Processing [") && Has(text, "] with [");
  const bool title = Has(text, " ** ") && Has(text, "):") && Has(text, "Time (%)");
  const bool old = Has(text, "Statistics") && (Has(text, "Time(%)") || Has(text, "Time (%)"));
  if (processing || title || old) return Confidence::kYes;
  // `nsys stats --format csv`: the header is all there is.
  const std::string_view first = text.substr(0, text.find('\n'));
  return first.substr(0, 25) == "Time (%),Total Time (ns)," || first.substr(0, 24) == "Time(%),Total Time (ns),"
             ? Confidence::kYes
             : Confidence::kNo;
}

// Lines of a text of any length, at most kMaxLineBytes of each.
class Lines {
 public:
  explicit Lines(ByteSource& bytes) : bytes_(bytes) {}

  // False at the end or at a failure, which status() then tells.
  bool Next(std::string* line) {
    line->clear();
    for (;;) {
      if (at_ == buffer_.size() && !Fill()) return !line->empty();
      const size_t end = std::min(buffer_.find('\n', at_), buffer_.size());
      if (line->size() < kMaxLineBytes) line->append(buffer_, at_, std::min(end - at_, kMaxLineBytes - line->size()));
      const bool whole = end < buffer_.size();
      at_ = whole ? end + 1 : end;
      if (!whole) continue;
      if (!line->empty() && line->back() == '\r') line->pop_back();
      return true;
    }
  }
  const Status& status() const { return status_; }
  uint64_t size_bytes() const { return size_bytes_; }

 private:
  bool Fill() {
    if (ended_) return false;
    buffer_.resize(size_t{64} << 10);
    auto got = bytes_.Read(buffer_.data(), buffer_.size());
    if (!got.ok()) status_ = got.status();
    const size_t size = got.ok() ? *got : 0;
    ended_ = size < buffer_.size();
    buffer_.resize(size);
    size_bytes_ += size;
    at_ = 0;
    return size > 0;
  }

  ByteSource& bytes_;
  std::string buffer_;
  size_t at_ = 0;
  bool ended_ = false;
  Status status_;
  uint64_t size_bytes_ = 0;
};

class StatsReader {
 public:
  explicit StatsReader(Appender& appender) : add_(appender) {}

  void Line(const std::string& line) {
    const size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string::npos) {
      if (rows_ > 0 || in_table_) EndTable();
      return;
    }
    if (Has(line, "Processing [") || line.compare(begin, 7, "SKIPPED") == 0) return StartReport(line);
    if (!in_table_ && IsTitle(line)) return StartReport(line);
    if (in_table_) return Row(line);
    if (const auto ruler = ParseRuler(line)) {
      ruler_ = ruler;
      return Header(SplitByRuler(previous_, *ruler));
    }
    if (Has(line, "Time (%),") || Has(line, "Time(%),")) {
      ruler_.reset();
      return Header(SplitByCommas(line));
    }
    previous_ = line;
  }

 private:
  void StartReport(const std::string& line) {
    EndTable();
    // Of a script's path only its name counts: the folders above it have words of their own.
    const size_t slash = line.find_last_of("/\\");
    const bool script = Has(line, "] with [") && slash != std::string::npos;
    kind_ = KindOf(script ? std::string_view(line).substr(slash) : std::string_view(line));
    known_ = true;
    previous_.clear();
  }

  void Header(const std::vector<std::string>& header) {
    layout_ = ParseHeader(header);
    in_table_ = true;
    rows_ = 0;
    // A CSV without titles: the columns' own words tell the report.
    if (!known_) {
      for (const std::string& name : header) {
        if (name == "Range" || name == "Style") kind_ = model::SummaryKind::kAnnotation;
        if (name == "Num Calls") kind_ = model::SummaryKind::kApiCall;
        if (name == "Instances" && !kind_) kind_ = model::SummaryKind::kKernel;
        if (name == "Operation") kind_ = model::SummaryKind::kCopy;
      }
    }
  }

  void EndTable() {
    in_table_ = false;
    layout_.reset();
    rows_ = 0;
  }

  void Row(const std::string& line) {
    ++rows_;
    if (!layout_ || !kind_) return;  // a table of something else
    const std::vector<std::string> cells = ruler_ ? SplitByRuler(line, *ruler_) : SplitByCommas(line);
    const auto cell = [&](std::optional<size_t> column) {
      return column && *column < cells.size() ? std::string_view(cells[*column]) : std::string_view();
    };
    model::SummaryRow row;
    row.source = add_.source_row();
    row.kind = *kind_;
    row.total_ns = Nanoseconds(cell(layout_->total), layout_->unit_ns);
    if (!row.total_ns || cell(layout_->name).empty()) {
      add_.Note(LedgerCode::kBadNumber);
      return;
    }
    std::string_view name = cell(layout_->name);
    // "[CUDA memcpy Host-to-Device]"
    if (row.kind == model::SummaryKind::kCopy && name.size() > 2 && name.front() == '[' && name.back() == ']')
      name = name.substr(1, name.size() - 2);
    row.name = add_.Text(name);
    row.count = Whole(cell(layout_->count));
    row.min_ns = Nanoseconds(cell(layout_->min), layout_->unit_ns);
    row.max_ns = Nanoseconds(cell(layout_->max), layout_->unit_ns);
    if (layout_->style) row.group = add_.Text(cell(layout_->style));
    add_.trace().summaries.push_back(row);
  }

  Appender& add_;
  std::optional<model::SummaryKind> kind_;
  bool known_ = false, in_table_ = false;
  uint64_t rows_ = 0;
  std::optional<Ruler> ruler_;
  std::optional<Layout> layout_;
  std::string previous_;
};

Status Read(ByteSource& bytes, const std::string& path, const Options& options, model::Trace* trace) {
  const size_t first = trace->summaries.size();
  Appender appender(trace, path, kImporter.id);
  appender.source().producer = "Nsight Systems (nsys stats)";
  appender.source().vendor = model::Vendor::kNvidia;
  StatsReader reader(appender);
  Lines lines(bytes);
  std::string line;
  while (lines.Next(&line)) reader.Line(line);
  WS_RETURN_IF_ERROR(lines.status());
  appender.source().text_bytes = lines.size_bytes();
  if (trace->summaries.size() == first) {
    return Status(StatusCode::kUnsupported,
                  path +
                      ": line 1: this is output of nsys stats without a row of totals: every report was skipped, or "
                      "none of those that are read is among them (CUDA kernels, CUDA API, memory operations, OS "
                      "runtime, NVTX ranges). Give the .nsys-rep or .sqlite file itself.");
  }
  if (options.progress) options.progress(1);
  return Status::Ok();
}

}  // namespace

const Importer kImporter = {"nsys_stats", "output of nsys stats", &Sniff, &Read};

}  // namespace warpscope::import::nsys_stats
