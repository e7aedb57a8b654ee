#include "import/rocprofv3/rocprofv3_importer.h"

#include <algorithm>
#include <memory>

#include "import/csv/csv_reader.h"
#include "import/rocprofv3/csv_tables.h"

namespace warpscope::import::rocprofv3 {
namespace {

constexpr size_t kMaxHeaderBytes = 8192;

// The caller's source under a look at its first bytes.
class Borrowed : public ByteSource {
 public:
  explicit Borrowed(ByteSource* inner) : inner_(inner) {}
  Result<size_t> Read(char* to, size_t size_bytes) override { return inner_->Read(to, size_bytes); }
  double done_ratio() const override { return inner_->done_ratio(); }
  uint64_t size_hint_bytes() const override { return inner_->size_hint_bytes(); }
  bool cut_short() const override { return inner_->cut_short(); }

 private:
  ByteSource* inner_;
};

bool IsJson(std::string_view text) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  const size_t begin = text.find_first_not_of(" \t\r\n");
  return begin != std::string_view::npos && text[begin] == '{';
}

Confidence Sniff(const Head& head) {
  if (IsJson(head.bytes)) {
    const bool ours = head.bytes.substr(0, 4096).find("\"rocprofiler-sdk-tool\"") != std::string_view::npos;
    return ours ? Confidence::kYes : Confidence::kNo;
  }
  const std::string_view line = head.bytes.substr(0, std::min(head.bytes.find('\n'), kMaxHeaderBytes));
  if (line.find('_') == std::string_view::npos && line.find("TotalDurationNs") == std::string_view::npos &&
      line.find("CodeObj") == std::string_view::npos)
    return Confidence::kNo;
  const auto source = OpenMemory(line);
  CsvReader csv(source.get());
  const auto more = csv.Next();
  if (!more.ok() || !more.value()) return Confidence::kNo;
  csv.TakeHeader();
  return TableOf(csv) != CsvTable::kNone ? Confidence::kYes : Confidence::kNo;
}

Status Read(ByteSource& bytes, const std::string& path, const Options& options, model::Trace* trace) {
  PeekSource peek(std::make_unique<Borrowed>(&bytes));
  WS_ASSIGN_OR_RETURN(const std::string_view head, peek.Peek(4096));
  return IsJson(head) ? ReadJson(peek, path, options, trace) : ReadCsv(peek, path, trace);
}

}  // namespace

const Importer kImporter = {"rocprofv3", "rocprofv3 (ROCprofiler-SDK) CSV and JSON", &Sniff, &Read};

}  // namespace warpscope::import::rocprofv3
