// NVTX: ranges and marks become annotations, those of torch's emit_nvtx() operators, and NCCL's descriptions
// collectives.
#include <cstring>
#include <map>
#include <tuple>

#include "import/capture/record_group.h"
#include "import/nccl_ranges.h"
#include "import/nsys/nvtx_payload.h"
#include "import/torch_range.h"

namespace warpscope::import::capture {
namespace {

using model::AnnotationForm;

class Nvtx : public RecordGroup {
 public:
  using RecordGroup::RecordGroup;

  void Read(wire::Tag tag, wire::BlockReader& in) override {
    if (tag == wire::kNvtxKey) ReadKey(in);
    else if (tag == wire::kNvtxSchema) ReadSchema(in);
    else if (tag == wire::kNvtx) ReadEvent(in);
    else ReadPlain(tag, in);
  }

  // Ranges that never ended last as long as the recording.
  void Finish() override {
    uint64_t count = 0;
    for (auto& [key, open] : open_) {
      open.row.dur_ns = std::max<int64_t>(state_.last_ns - open.row.start_ns, 0);
      Add(open.row, open.detail, {});
      ++count;
    }
    if (count > 0) state_.to.Note(model::LedgerCode::kClippedRecord, count);
  }

 private:
  struct Key {
    model::StringId domain = model::kNoString, category = model::kNoString;
    std::optional<uint32_t> color_argb;
  };
  struct Open {
    Appender::Host row;
    model::AnnotationDetail detail;
  };
  struct Payload {
    std::string text;
    std::vector<nsys::PayloadField> fields;
  };
  using OpenKey = std::tuple<uint32_t, int64_t, model::StringId>;  // thread, start, name

  void ReadKey(wire::BlockReader& in) {
    const uint64_t ref = in.Get();
    Key key;
    key.domain = state_.Text(in.Get());
    const uint64_t number = in.Get();
    key.category = state_.Text(in.Get());
    const uint64_t color = in.Get();
    if (!in.ok()) return;
    if (key.category == model::kNoString && number != 0)
      key.category = state_.to.Text("category " + std::to_string(number));
    if (color != 0) key.color_argb = static_cast<uint32_t>(color - 1);
    keys_.Set(ref, key);
  }

  void ReadSchema(wire::BlockReader& in) {
    constexpr uint64_t kEnumBase = uint64_t{1} << 31, kMostSchemas = 4096;
    const uint64_t ref = in.Get(), is_enum = in.Get(), count = in.Get();
    for (uint64_t i = 0; i < count && in.ok(); ++i) {
      const uint64_t type = in.Get(), offset = in.Get();
      const model::StringId name = state_.Text(in.Get());
      if (!in.ok() || ref > kMostSchemas || offset > wire::kMaxPayloadBytes) continue;
      const auto number = static_cast<int64_t>(ref);
      const std::string word(state_.to.trace().Text(name));
      if (is_enum == 1)
        schemas_.AddEnumValue(0, static_cast<int64_t>(kEnumBase) + number, static_cast<int64_t>(type), word);
      else schemas_.AddEntry(0, number, {static_cast<int64_t>(type), word, static_cast<int64_t>(offset)});
    }
  }

  Payload ReadPayload(wire::BlockReader& in) {
    Payload payload;
    const uint64_t type = in.Get();
    if (type == wire::kPayloadUnsigned) {
      payload.text = std::to_string(in.Get());
    } else if (type == wire::kPayloadSigned) {
      payload.text = std::to_string(in.GetSigned());
    } else if (type == wire::kPayloadDouble) {
      const uint64_t bits = in.Get();
      double value = 0;
      std::memcpy(&value, &bits, sizeof(value));
      payload.text = std::to_string(value);
    } else if (type == wire::kPayloadSchema) {
      const auto schema = static_cast<uint32_t>(in.Get());
      const std::string_view bytes = in.GetBytes();
      // The layout that PayloadSchemas decodes: four words, two long ones, then the payload.
      std::string whole(32, '\0');
      std::memcpy(whole.data() + 8, &schema, sizeof(schema));
      payload.fields = schemas_.Decode(whole.append(bytes));
      payload.text = nsys::PayloadText(payload.fields);
    }
    return payload;
  }

  void ReadEvent(wire::BlockReader& in) {
    const uint64_t form = in.Get(), thread = in.Get();
    const Key* key = keys_.Find(in.Get());
    Appender::Host row;
    row.name = state_.Text(in.Get());
    const Payload payload = ReadPayload(in);
    row.start_ns = in.GetTime();
    if (form == wire::kFormRange || form == wire::kFormSpan) row.dur_ns = Length(in.Get());
    if (form == wire::kFormSpan) in.Get();  // the thread that ended it
    if (!in.ok() || !state_.InRange(row.start_ns, row.dur_ns)) return;
    model::AnnotationDetail detail;
    if (key != nullptr) {
      detail.domain = key->domain;
      detail.category = key->category;
      detail.color_argb = key->color_argb;
    }
    if (!payload.text.empty()) detail.payload = state_.to.Text(payload.text);
    const bool span = form == wire::kFormSpan || form == wire::kFormOpenSpan;
    detail.form = span                      ? AnnotationForm::kStartEnd
                  : form == wire::kFormMark ? AnnotationForm::kMark
                                            : AnnotationForm::kNested;
    row.thread = state_.ThreadOf(thread);
    Take(form == wire::kFormOpenRange || form == wire::kFormOpenSpan, row, detail, payload.fields);
  }

  // Streams of before kNvtx.
  void ReadPlain(wire::Tag tag, wire::BlockReader& in) {
    Appender::Host row;
    const uint64_t thread = in.Get();
    model::AnnotationDetail detail;
    detail.domain = state_.Text(in.Get());
    row.name = state_.Text(in.Get());
    in.Get();  // category
    row.start_ns = in.GetTime();
    if (tag == wire::kRange || tag == wire::kSpan) row.dur_ns = Length(in.Get());
    if (tag == wire::kSpan) in.Get();
    if (!in.ok() || !state_.InRange(row.start_ns, row.dur_ns)) return;
    detail.form = tag == wire::kMark   ? AnnotationForm::kMark
                  : tag == wire::kSpan ? AnnotationForm::kStartEnd
                                       : AnnotationForm::kNested;
    row.thread = state_.ThreadOf(thread);
    Take(tag == wire::kOpen, row, detail, {});
  }

  // A range may be told twice: open, then whole.
  void Take(bool open, const Appender::Host& row, const model::AnnotationDetail& detail,
            const std::vector<nsys::PayloadField>& fields) {
    state_.Saw(row.start_ns + row.dur_ns);
    const OpenKey key(row.thread, row.start_ns, row.name);
    if (open) {
      open_.insert_or_assign(key, Open{row, detail});
      return;
    }
    if (!open_.empty()) open_.erase(key);
    Add(row, detail, fields);
  }

  void Add(Appender::Host row, const model::AnnotationDetail& detail, const std::vector<nsys::PayloadField>& fields) {
    Appender& to = state_.to;
    if (detail.domain == model::kNoString && detail.form == AnnotationForm::kNested) {
      if (const auto torch = ParseTorchRange(to.trace().Text(row.name))) return AddTorch(row, *torch);
    }
    if (!fields.empty() && to.trace().Text(detail.domain) == "NCCL") nccl_.Add(to, fields, row);
    if (!(detail == model::AnnotationDetail())) row.detail = to.Annotation(detail);
    to.Add(row);
  }

  void AddTorch(Appender::Host row, const TorchRange& torch) {
    Appender& to = state_.to;
    // Interning may move the text that `torch` points into.
    const std::string name(torch.name), sizes(torch.sizes);
    row.name = to.Text(name);
    if (torch.is_operator) row.kind = model::HostKind::kOperator;
    if (torch.is_operator && torch.sequence) row.correlation = *torch.sequence;
    if (torch.is_operator && !sizes.empty()) {
      const model::StringId dims = to.Text(sizes);
      const auto [it, fresh] = torch_details_.try_emplace(dims, 0);
      if (fresh) {
        model::OpDetail detail;
        detail.input_dims = dims;
        to.trace().op_details.push_back(detail);
        it->second = static_cast<uint32_t>(to.trace().op_details.size() - 1);
      }
      row.detail = it->second;
    }
    to.Add(row);
  }

  RefTable<Key> keys_;
  nsys::PayloadSchemas schemas_;
  NcclRanges nccl_;
  std::map<OpenKey, Open> open_;
  std::unordered_map<model::StringId, uint32_t> torch_details_;
};

}  // namespace

std::unique_ptr<RecordGroup> MakeNvtx(State* state) { return std::make_unique<Nvtx>(state); }

}  // namespace warpscope::import::capture
