// DiffJson: field by field in the order of docs/schema/diff.md.
#include "report/diff_report.h"
#include "report/json_fields.h"
#include "report/ledger_json.h"

namespace warpscope::report {
namespace {

using Layout = JsonWriter::Layout;

class DiffWriter : JsonFields {
 public:
  DiffWriter(const analysis::Diff& diff, const std::function<std::string(const std::string&)>& say)
      : diff_(diff), say_(say) {}

  std::string Write(const DiffInput& a, const DiffInput& b) {
    json_.BeginObject();
    Text("schema", "warpscope.diff/1");
    Text("answer", Said(view::DiffAnswer(diff_, "->")));
    Text("outcome", view::OutcomeName(diff_.outcome));
    Comparability();
    Environment();
    Side("a", a, diff_.a), Side("b", b, diff_.b);
    Step();
    Means();
    Text("causes_basis", view::BasisName(diff_.causes_basis));
    MaybeNumber("causes_diff_ms", Compared() ? std::optional(diff_.causes_diff_ms) : std::nullopt);
    Causes();
    MaybeNumber("residual_ms", Compared() ? std::optional(diff_.residual_ms) : std::nullopt);
    Text("parts_basis", view::BasisName(diff_.parts_basis));
    Parts();
    Figures();
    Ranks();
    Paired();
    Notes();
    json_.EndObject();
    return json_.Take();
  }

 private:
  bool Compared() const { return diff_.outcome != analysis::Outcome::kNotComparable; }
  std::string Said(const std::string& sentence) const { return say_ ? say_(sentence) : sentence; }
  void Bool(std::string_view key, bool value) {
    json_.Key(key);
    json_.Bool(value);
  }
  void Texts(std::string_view key, const std::vector<std::string>& values) {
    json_.Key(key);
    json_.BeginArray(Layout::kCompact);
    for (const std::string& value : values) json_.String(value);
    json_.EndArray();
  }
  void Interval(std::string_view key, const std::optional<analysis::Shift>& interval) {
    json_.Key(key);
    if (!interval) return json_.Null();
    json_.BeginObject(Layout::kCompact);
    Number("low_ms", interval->low);
    Number("high_ms", interval->high);
    Number("confidence_pct", interval->confidence_pct);
    json_.EndObject();
  }

  void Comparability() {
    json_.Key("comparability");
    json_.BeginObject();
    UInt("pct", diff_.comparable_pct);
    UInt("needed_pct", analysis::kComparablePct);
    json_.Key("objections");
    json_.BeginArray();
    for (const analysis::Objection& objection : diff_.objections) {
      json_.BeginObject(Layout::kCompact);
      Text("text", Said(objection.text));
      UInt("weight", objection.weight);
      json_.EndObject();
    }
    json_.EndArray();
    json_.EndObject();
  }

  void Environment() {
    json_.Key("environment");
    json_.BeginArray();
    for (const analysis::EnvironmentChange& change : diff_.environment) {
      json_.BeginObject(Layout::kCompact);
      Text("subject", change.subject);
      Text("name", change.name);
      MaybeText("a", change.a);
      MaybeText("b", change.b);
      Bool("suspect", change.suspect);
      json_.EndObject();
    }
    json_.EndArray();
  }

  void Side(std::string_view key, const DiffInput& input, const analysis::StepSide& side) {
    json_.Key(key);
    json_.BeginObject();
    MaybeText("path", input.path);
    MaybeText("format", input.format);
    MaybeText("producer", input.producer);
    MaybeText("device", input.device);
    UInt("steps", side.counted);
    UInt("warmup_excluded", side.warmup);
    Text("step_source", view::StepSourceName(side.source));
    Number("median_ms", side.median_ms);
    Number("mean_ms", side.mean_ms);
    Number("low_ms", side.low_ms);
    Number("high_ms", side.high_ms);
    json_.Key("peaks");
    if (side.peaks) {
      json_.BeginObject(Layout::kCompact);
      Number("low_ms", side.peaks->low);
      Number("high_ms", side.peaks->high);
      Number("high_share_pct", side.peaks->high_share_pct);
      json_.EndObject();
    } else {
      json_.Null();
    }
    WriteLedger(json_, input.ledger);
    json_.EndObject();
  }

  void Step() {
    json_.Key("step");
    if (!Compared()) return json_.Null();
    const analysis::StepChange& step = diff_.step;
    json_.BeginObject();
    Text("basis", view::BasisName(step.basis));
    Text("times", view::StepTimesName(step.times));
    Number("a_ms", step.a_ms);
    Number("b_ms", step.b_ms);
    Number("diff_ms", step.diff_ms);
    Number("diff_pct", step.diff_pct);
    Interval("interval", step.interval_ms);
    Bool("beyond_noise", step.beyond_noise);
    Number("noise_pct", diff_.noise_pct);
    Number("recorded_a_ms", step.recorded_a_ms), Number("recorded_b_ms", step.recorded_b_ms);
    Number("recorder_doubt_pct", step.recorder_doubt_pct);
    Number("recorder_at_most_pct", step.recorder_at_most_pct);
    json_.EndObject();
  }

  void Means() {
    json_.Key("means");
    if (!Compared() || !diff_.means) return json_.Null();
    json_.BeginObject(Layout::kCompact);
    Number("a_ms", diff_.means->a_ms), Number("b_ms", diff_.means->b_ms);
    Number("diff_pct", diff_.means->diff_pct);
    Number("low_pct", diff_.means->low_pct), Number("high_pct", diff_.means->high_pct);
    Bool("apart", diff_.means->apart);
    json_.EndObject();
  }

  void Causes() {
    json_.Key("causes");
    json_.BeginArray();
    for (const analysis::Cause& cause : diff_.causes) {
      json_.BeginObject();
      Text("kind", analysis::CauseKindName(cause.kind));
      MaybeText("detail", cause.detail);
      Text("title", Said(view::CauseTitle(cause, diff_, "->")));
      MaybeText("subject", cause.subject);
      Number("diff_ms", cause.diff_ms);
      Number("a_ms", cause.a_ms);
      Number("b_ms", cause.b_ms);
      Number("count_a", cause.count_a);
      Number("count_b", cause.count_b);
      Interval("interval", cause.interval_ms);
      Bool("beyond_noise", cause.beyond_noise);
      Texts("names_a", cause.names_a);
      Texts("names_b", cause.names_b);
      json_.EndObject();
    }
    json_.EndArray();
  }

  void Parts() {
    json_.Key("parts");
    json_.BeginArray();
    for (const analysis::PartChange& part : diff_.parts) {
      json_.BeginObject(Layout::kCompact);
      Text("name", part.name);
      Text("label", Said(view::PartLabel(part.name)));
      Number("a_ms", part.a_ms);
      Number("b_ms", part.b_ms);
      Number("diff_ms", part.diff_ms());
      json_.EndObject();
    }
    json_.EndArray();
  }

  void Figures() {
    json_.Key("figures");
    json_.BeginArray();
    for (const analysis::Figure& figure : diff_.figures) {
      json_.BeginObject(Layout::kCompact);
      Text("name", figure.name);
      MaybeNumber("a", figure.a);
      MaybeNumber("b", figure.b);
      json_.EndObject();
    }
    json_.EndArray();
  }

  void Ranks() {
    MaybeText("rank", diff_.rank);
    json_.Key("ranks");
    json_.BeginArray();
    for (const analysis::RankChange& rank : diff_.ranks) {
      json_.BeginObject(Layout::kCompact);
      Text("label", rank.label);
      Number("a_ms", rank.a_ms);
      Number("b_ms", rank.b_ms);
      json_.EndObject();
    }
    json_.EndArray();
  }

  void Paired() {
    MaybeNumber("paired_a_pct", diff_.paired_a_pct);
    MaybeNumber("paired_b_pct", diff_.paired_b_pct);
  }

  void Notes() {
    json_.Key("notes");
    json_.BeginArray();
    for (const std::string& note : view::DiffNotes(diff_)) json_.String(Said(note));
    json_.EndArray();
  }

  const analysis::Diff& diff_;
  const std::function<std::string(const std::string&)>& say_;
};

}  // namespace

std::string DiffJson(const analysis::Diff& diff, const DiffInput& a, const DiffInput& b,
                     const std::function<std::string(const std::string&)>& say) {
  return DiffWriter(diff, say).Write(a, b);
}

}  // namespace warpscope::report
