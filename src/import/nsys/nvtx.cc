// NVTX: ranges and marks become annotations; what torch's emit_nvtx() wrote becomes operators again; what NCCL said
// about a communication becomes a collective.
#include <algorithm>
#include <unordered_set>

#include "import/nccl_ranges.h"
#include "import/nsys/nvtx_payload.h"
#include "import/nsys/reader.h"
#include "import/torch_range.h"

namespace warpscope::import::nsys {

using model::AnnotationForm;
using model::HostKind;
using model::kNoString;
using model::LedgerCode;

namespace {

// ENUM_NSYS_EVENT_TYPE; the second name is that of ranges imported from text files.
constexpr int64_t kCategory = 33, kMark = 34, kMarkText = 65, kPushPop = 59, kPushPopText = 70, kStartEnd = 60,
                  kStartEndText = 71, kDomain = 75;
constexpr std::string_view kOperators = "warpscope operators", kPython = "warpscope Python",
                           kNative = "warpscope native";

}  // namespace

class NvtxReader {
 public:
  explicit NvtxReader(Reader& reader) : reader_(reader) {}

  void Read() {
    if (!reader_.db().HasColumn("NVTX_EVENTS", "start")) return;
    ReadNames();
    ReadSchemas();
    ReadRanges();
    CloseRanges();
  }

 private:
  // Domains and categories are numbered within a process.
  using Numbered = std::pair<int64_t, int64_t>;

  void ReadNames() {
    if (!reader_.db().HasColumn("NVTX_EVENTS", "eventType")) return;
    Columns columns("NVTX_EVENTS");
    const int type = columns.Add("eventType"), text = columns.Add("text"), text_id = columns.Add("textId");
    const int thread = columns.Add("globalTid"), domain = columns.Add("domainId"), category = columns.Add("category");
    reader_.Rows(
        columns,
        [&](const Query& row) {
          const int64_t kind = row.Int(type).value_or(0);
          const int64_t process = row.Int(thread).value_or(-1) & ~kNumberMask;
          const model::StringId name =
              row.is_null(text) ? reader_.Name(row.Int(text_id)) : reader_.add().Text(row.Bytes(text));
          if (kind == kDomain) domains_[{process, row.Int(domain).value_or(0)}] = name;
          if (kind == kCategory) categories_[{process, row.Int(category).value_or(0)}] = name;
        },
        " WHERE eventType IN (33, 75)");
    for (const auto& [key, name] : domains_) {
      if (reader_.trace().Text(name) == "NCCL") nccl_domain_ = name;
    }
  }

  void ReadSchemas() {
    Columns entries("NVTX_PAYLOAD_SCHEMA_ENTRIES");
    const int domain = entries.Add("domainId"), schema = entries.Add("schemaId"), index = entries.Add("idx");
    const int type = entries.Add("type"), name = entries.Add("name"), offset = entries.Add("offset");
    // Each process registers its schemas again.
    std::unordered_set<std::string> seen;
    reader_.Rows(entries, [&](const Query& row) {
      const int64_t d = row.Int(domain).value_or(0), s = row.Int(schema).value_or(0);
      constexpr size_t kMost = 100000;
      if (seen.size() > kMost ||
          !seen.insert(std::to_string(d) + "/" + std::to_string(s) + "/" + std::to_string(row.Int(index).value_or(0)))
               .second) {
        return;
      }
      schemas_.AddEntry(d, s, {row.Int(type).value_or(0), std::string(row.Bytes(name)), row.Int(offset).value_or(0)});
    });
    Columns words("NVTX_PAYLOAD_ENUM_ENTRIES");
    const int enum_domain = words.Add("domainId"), id = words.Add("schemaId|enumId"), word = words.Add("name");
    const int value = words.Add("value");
    reader_.Rows(words, [&](const Query& row) {
      schemas_.AddEnumValue(row.Int(enum_domain).value_or(0), row.Int(id).value_or(0), row.Int(value).value_or(0),
                            std::string(row.Bytes(word)));
    });
  }

  void ReadRanges() {
    Columns columns("NVTX_EVENTS");
    start_ = columns.Add("start"), end_ = columns.Add("end"), type_ = columns.Add("eventType");
    text_ = columns.Add("text"), text_id_ = columns.Add("textId"), thread_ = columns.Add("globalTid");
    domain_ = columns.Add("domainId"), category_ = columns.Add("category"), color_ = columns.Add("color");
    for (const char* name : {"uint64Value", "int64Value", "doubleValue", "uint32Value", "int32Value", "floatValue"})
      numbers_.push_back(columns.Add(name));
    json_ = columns.Add("jsonText"), json_id_ = columns.Add("jsonTextId"), binary_ = columns.Add("binaryData");
    correlation_ = columns.Add("warpscopeCorrelationId"), external_ = columns.Add("warpscopeExternalId");
    forward_ = columns.Add("warpscopeForwardThread"), own_detail_ = columns.Add("warpscopeDetailId");
    const bool keep_rows = reader_.is_own() && reader_.db().HasTable("WARPSCOPE_COLLECTIVES");
    reader_.Rows(columns, [&](const Query& row) {
      if (keep_rows) reader_.nvtx_rows_.push_back(reader_.trace().host.size());
      ReadRange(row);
    });
  }

  void ReadRange(const Query& row) {
    const int64_t type = row.Int(type_).value_or(kPushPop);
    const bool mark = type == kMark || type == kMarkText;
    const bool start_end = type == kStartEnd || type == kStartEndText;
    if (!mark && !start_end && type != kPushPop && type != kPushPopText) {
      if (type != kDomain && type != kCategory) reader_.add().Note(LedgerCode::kUnknownEvent);
      return;
    }
    // A mark has no end; a range without one was never closed.
    const bool closed = !mark && !row.is_null(end_);
    const auto span = reader_.Times(row.Int(start_), row.Int(closed ? end_ : start_));
    if (!span) return;
    Appender::Host host;
    host.thread = reader_.Thread(row.Int(thread_));
    host.start_ns = span->start_ns;
    host.dur_ns = span->dur_ns;
    Describe(row, mark ? AnnotationForm::kMark : start_end ? AnnotationForm::kStartEnd : AnnotationForm::kNested, host);
    if (!closed && !mark) open_.push_back(reader_.trace().host.size());
    reader_.add().Add(host);
  }

  model::StringId DomainOf(const Query& row) const {
    const auto found = domains_.find({row.Int(thread_).value_or(-1) & ~kNumberMask, row.Int(domain_).value_or(0)});
    return found == domains_.end() ? kNoString : found->second;
  }

  // Name, kind and detail of a row.
  void Describe(const Query& row, AnnotationForm form, Appender::Host& host) {
    const model::StringId domain = DomainOf(row);
    const std::string_view domain_name = reader_.trace().Text(domain);
    std::string_view text = row.Bytes(text_);
    if (row.is_null(text_)) {
      host.name = reader_.Name(row.Int(text_id_));
      text = reader_.trace().Text(host.name);
    }
    if (reader_.is_own() && (domain_name == kOperators || domain_name == kPython || domain_name == kNative)) {
      host.kind = domain_name == kOperators ? HostKind::kOperator
                  : domain_name == kNative  ? HostKind::kNative
                                            : HostKind::kPython;
      host.correlation = reader_.Id(row.Int(correlation_));
      host.external_id = reader_.Id(row.Int(external_));
      host.forward_thread = static_cast<uint32_t>(row.Int(forward_).value_or(0));
      const auto detail = row.Int(own_detail_);
      const auto& details = reader_.own_op_details_;
      if (detail && *detail >= 0 && static_cast<uint64_t>(*detail) < details.size())
        host.detail = details[static_cast<size_t>(*detail)];
      return;
    }
    if (reader_.is_own()) {
      host.correlation = reader_.Id(row.Int(correlation_));
      host.external_id = reader_.Id(row.Int(external_));
      host.forward_thread = static_cast<uint32_t>(row.Int(forward_).value_or(0));
    } else if (domain == kNoString && form == AnnotationForm::kNested) {
      if (const auto torch = ParseTorchRange(text)) return DescribeTorch(*torch, host);
    }
    if (host.name == kNoString) host.name = reader_.add().Text(text);
    model::AnnotationDetail detail;
    detail.form = form;
    detail.domain = domain;
    const auto category =
        categories_.find({row.Int(thread_).value_or(-1) & ~kNumberMask, row.Int(category_).value_or(0)});
    if (category != categories_.end()) detail.category = category->second;
    if (const auto color = row.Int(color_)) detail.color_argb = static_cast<uint32_t>(*color);
    detail.payload = Payload(row, domain, host);
    if (!(detail == model::AnnotationDetail{})) host.detail = reader_.add().Annotation(detail);
  }

  void DescribeTorch(const TorchRange& torch, Appender::Host& host) {
    host.name = reader_.add().Text(torch.name);
    host.kind = torch.is_operator ? HostKind::kOperator : HostKind::kAnnotation;
    if (!torch.is_operator) return;
    if (torch.sequence) host.correlation = *torch.sequence;
    if (torch.sizes.empty()) return;
    const model::StringId dims = reader_.add().Text(torch.sizes);
    const auto [it, fresh] = torch_details_.try_emplace(dims, 0);
    if (fresh) {
      model::OpDetail detail;
      detail.input_dims = dims;
      reader_.trace().op_details.push_back(detail);
      it->second = static_cast<uint32_t>(reader_.trace().op_details.size() - 1);
    }
    host.detail = it->second;
  }

  model::StringId Payload(const Query& row, model::StringId domain, const Appender::Host& host) {
    if (!row.is_null(json_)) return reader_.add().Text(row.Bytes(json_));
    if (!row.is_null(json_id_)) return reader_.Name(row.Int(json_id_));
    if (!row.is_null(binary_)) {
      const std::vector<PayloadField> fields = schemas_.Decode(row.Bytes(binary_));
      if (domain != kNoString && domain == nccl_domain_) nccl_.Add(reader_.add(), fields, host);
      if (!fields.empty()) return reader_.add().Text(PayloadText(fields));
    }
    for (const int column : numbers_) {
      if (!row.is_null(column)) return reader_.add().Text(row.Bytes(column));
    }
    return kNoString;
  }

  // Ranges that the program never closed last to the end of what was recorded.
  void CloseRanges() {
    for (const uint32_t row : open_) {
      model::HostTable& host = reader_.trace().host;
      host.dur_ns[row] = std::max<int64_t>(reader_.last_end_ns() - host.start_ns[row], 0);
    }
    reader_.add().Note(LedgerCode::kClippedRecord, open_.size());
  }

  Reader& reader_;
  std::map<Numbered, model::StringId> domains_, categories_;
  model::StringId nccl_domain_ = kNoString;
  PayloadSchemas schemas_;
  std::unordered_map<model::StringId, uint32_t> torch_details_;
  NcclRanges nccl_;
  std::vector<uint32_t> open_;
  std::vector<int> numbers_;
  int start_ = 0, end_ = 0, type_ = 0, text_ = 0, text_id_ = 0, thread_ = 0, domain_ = 0, category_ = 0, color_ = 0,
      json_ = 0, json_id_ = 0, binary_ = 0, correlation_ = 0, external_ = 0, forward_ = 0, own_detail_ = 0;
};

void Reader::ReadNvtx() { NvtxReader(*this).Read(); }

}  // namespace warpscope::import::nsys
