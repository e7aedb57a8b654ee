#include "page/details.h"

#include <algorithm>

#include "model/copy_words.h"
#include "page/json_text.h"
#include "report/json_writer.h"

namespace warpscope::page {
namespace {

using Layout = report::JsonWriter::Layout;

class DetailsWriter {
 public:
  DetailsWriter(const Timeline& timeline, const Names& names, DetailsLimits* limits)
      : timeline_(timeline), trace_(timeline.trace), names_(names), limits_(limits) {}

  std::string Write() {
    json_.BeginObject(Layout::kCompact);
    Rows("launch", trace_.launch_configs, [&](const model::LaunchConfig& launch) { Launch(launch); });
    Rows("copy", trace_.copy_details, [&](const model::CopyDetail& copy) { Copy(copy); });
    Rows("op", trace_.op_details, [&](const model::OpDetail& op) {
      Text("input_dims", op.input_dims);
      Text("input_types", op.input_types);
      Text("input_strides", op.input_strides);
      Text("concrete_inputs", op.concrete_inputs);
      Text("call_stack", op.call_stack);
    });
    Rows("annotation", trace_.annotation_details, [&](const model::AnnotationDetail& annotation) {
      if (annotation.form == model::AnnotationForm::kStartEnd) Word("form", "start_end");
      if (annotation.form == model::AnnotationForm::kMark) Word("form", "mark");
      Text("domain", annotation.domain);
      Text("category", annotation.category);
      Text("payload", annotation.payload);
      if (annotation.color_argb) Number("color_argb", *annotation.color_argb);
    });
    Rows("gap", timeline_.gaps, [&](const analysis::Gap& gap) { Parts(gap); });
    json_.EndObject();
    return json_.Take();
  }

 private:
  template <typename Row, typename Write>
  void Rows(std::string_view kind, const std::vector<Row>& rows, const Write& write) {
    const size_t count = std::min(rows.size(), kMaxDetails);
    limits_->rows_left_out += rows.size() - count;
    json_.Key(kind);
    json_.BeginArray(Layout::kCompact);
    for (size_t i = 0; i < count; ++i) {
      json_.BeginObject(Layout::kCompact);
      write(rows[i]);
      json_.EndObject();
    }
    json_.EndArray();
  }
  void Launch(const model::LaunchConfig& launch) {
    if (launch.grid[0] != 0) Triple("grid", launch.grid), Triple("block", launch.block);
    if (launch.registers_per_thread) Number("registers", *launch.registers_per_thread);
    if (launch.shared_bytes) Number("shared_bytes", *launch.shared_bytes);
    if (launch.recorded_occupancy_pct) Number("recorded_occupancy_pct", *launch.recorded_occupancy_pct);
    if (launch.graph_id != model::kNoId) Number("graph_id", launch.graph_id);
    if (launch.graph_node_id != model::kNoId) Number("graph_node_id", launch.graph_node_id);
  }
  void Copy(const model::CopyDetail& copy) {
    Word("kind", model::CopyWord(copy.kind));
    if (copy.src != model::MemoryKind::kUnknown) Word("src", model::MemoryWord(copy.src));
    if (copy.dst != model::MemoryKind::kUnknown) Word("dst", model::MemoryWord(copy.dst));
    if (copy.bytes) Number("bytes", *copy.bytes);
  }
  void Parts(const analysis::Gap& gap) {
    json_.Key("parts");
    json_.BeginArray(Layout::kCompact);
    for (const analysis::GapPart& part : gap.parts) {
      json_.BeginObject(Layout::kCompact);
      Number("cause", static_cast<uint64_t>(part.cause));
      Number("dur_ns", static_cast<uint64_t>(part.dur_ns));
      if (part.subject != model::kNoString) Number("subject", names_.PageId(part.subject));
      json_.EndObject();
    }
    json_.EndArray();
  }
  void Triple(std::string_view key, const uint32_t (&values)[3]) {
    json_.Key(key);
    json_.BeginArray(Layout::kCompact);
    for (const uint32_t value : values) json_.UInt(value);
    json_.EndArray();
  }
  void Number(std::string_view key, uint64_t value) {
    json_.Key(key);
    // A double, which is all that a page has, holds integers up to 2^53.
    value <= uint64_t{1} << 53 ? json_.UInt(value) : json_.String(std::to_string(value));
  }
  void Word(std::string_view key, std::string_view value) {
    if (value.empty()) return;
    json_.Key(key);
    json_.String(value);
  }
  void Text(std::string_view key, model::StringId text) {
    if (text != model::kNoString) Word(key, CutText(trace_.Text(text), kDetailTextBytes, &limits_->texts_cut));
  }

  const Timeline& timeline_;
  const model::Trace& trace_;
  const Names& names_;
  DetailsLimits* limits_;
  report::JsonWriter json_;
};

}  // namespace

std::string DetailsJson(const Timeline& timeline, const Names& names, DetailsLimits* limits) {
  return DetailsWriter(timeline, names, limits).Write();
}

}  // namespace warpscope::page
