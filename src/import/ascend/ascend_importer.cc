#include "import/ascend/ascend_importer.h"

#include <memory>

#include "import/ascend/documents.h"
#include "import/ascend/folder.h"
#include "import/ascend/tables.h"

namespace warpscope::import::ascend {
namespace {

// Of JSON and npu-smi texts, which are read as a whole.
constexpr size_t kMaxDocumentBytes = size_t{256} << 20;

// Lets the text be looked at once more.
class Borrowed : public ByteSource {
 public:
  explicit Borrowed(ByteSource* inner) : inner_(inner) {}
  Result<size_t> Read(char* to, size_t size_bytes) override { return inner_->Read(to, size_bytes); }
  double done_ratio() const override { return inner_->done_ratio(); }
  bool cut_short() const override { return inner_->cut_short(); }

 private:
  ByteSource* inner_;
};

Confidence Sniff(const Head& head) {
  if (SniffDocument(head.bytes) != Document::kNone) return Confidence::kYes;
  const size_t end = head.bytes.find('\n');
  if (end == std::string_view::npos && !head.is_whole) return Confidence::kNo;
  const auto line = OpenMemory(head.bytes.substr(0, end));
  CsvReader csv(line.get());
  const auto more = csv.Next();
  if (!more.ok() || !more.value()) return Confidence::kNo;
  csv.TakeHeader();
  return FindTable(csv) != nullptr ? Confidence::kYes : Confidence::kNo;
}

Result<std::string> ReadAll(ByteSource& bytes, const std::string& path) {
  std::string text;
  constexpr size_t kStep = size_t{1} << 18;
  for (;;) {
    const size_t old = text.size();
    text.resize(old + kStep);
    WS_ASSIGN_OR_RETURN(const size_t got, bytes.Read(text.data() + old, kStep));
    text.resize(old + got);
    if (got < kStep) return text;
    if (text.size() > kMaxDocumentBytes) {
      return Status(StatusCode::kUnsupported,
                    path + ": byte " + std::to_string(text.size()) +
                        ": the document goes on behind 256 MiB. Give one of a shorter recording.");
    }
  }
}

Status ReadTable(ByteSource& bytes, const std::string& path, Appender* out) {
  CsvReader csv(&bytes);
  WS_ASSIGN_OR_RETURN(const bool more, csv.Next());
  if (more) csv.TakeHeader();
  const Table* table = more ? FindTable(csv) : nullptr;
  if (table == nullptr)
    return Status(StatusCode::kCorrupt,
                  path + ": line 1: the header of an Ascend table was expected. Copy the file again.");
  out->source().representation = table->representation;
  WS_ASSIGN_OR_RETURN(const uint64_t rows, table->read(csv, out));
  out->Note(model::LedgerCode::kBrokenRecord, csv.broken_records());
  if (csv.cut_short() || bytes.cut_short()) out->Note(model::LedgerCode::kTruncatedFile);
  if (rows > 0) return Status::Ok();
  return Status(StatusCode::kUnsupported, path + ": line 2: the table " + std::string(table->id) +
                                              " has no usable row. Record more steps, and wait for the profiler's "
                                              "analyse() to end.");
}

Status Read(ByteSource& bytes, const std::string& path, const Options&, model::Trace* trace) {
  PeekSource peek(std::make_unique<Borrowed>(&bytes));
  constexpr size_t kHeadBytes = size_t{256} << 10;
  WS_ASSIGN_OR_RETURN(const std::string_view head, peek.Peek(kHeadBytes));
  const Document document = SniffDocument(head);
  Appender out(trace, path, kImporter.id);
  model::Source& source = out.source();
  source.vendor = model::Vendor::kHuawei;
  source.producer = "Ascend profiler";
  source.part_of = PartOf(path);
  source.rank = RankInFileName(path);
  if (document == Document::kNone) return ReadTable(peek, path, &out);
  WS_ASSIGN_OR_RETURN(const std::string text, ReadAll(peek, path));
  return document == Document::kNpuSmi ? ReadNpuSmi(text, path, &out) : ReadJson(text, path, document, &out);
}

}  // namespace

const Importer kImporter = {"ascend", "Ascend profiler table or document", &Sniff, &Read};

}  // namespace warpscope::import::ascend
