// GateJson: field by field in the order of docs/schema/gate.md.
#include "report/gate_report.h"
#include "report/json_fields.h"
#include "view/diff_view.h"
#include "view/turns_view.h"

namespace warpscope::report {
namespace {

using analysis::GateResult;
using analysis::RunShift;
using Layout = JsonWriter::Layout;

class GateWriter : JsonFields {
 public:
  GateWriter(const GateResult& result, const GateInput& input) : result_(result), input_(input) {}

  std::string Write() {
    json_.BeginObject();
    Text("schema", "warpscope.gate/1");
    Text("answer", view::GateAnswer(result_, input_.limit_pct, "->"));
    Text("outcome", view::GateOutcomeName(result_.outcome));
    Text("reason", view::GateReasonName(result_.reason));
    Number("max_regression_pct", input_.limit_pct);
    Environment("environment", result_.environment), Environment("mixed", result_.mixed);
    Comparability();
    Side("baseline", input_.baseline, input_.base_runs, result_.base_ms);
    Side("new", "", input_.next_runs, result_.next_ms);
    MaybeText("change", result_.word ? std::string(view::ChangeWordName(*result_.word)) : "");
    Times();
    Shift("step", result_.step), Shift("mean_step", result_.stretches);
    Peaks();
    MaybeNumber("clock_change_pct", result_.clock_pct);
    UInt("kernels_judged", result_.kernels.judged);
    Kernels("kernels_slower", result_.kernels.slower), Kernels("kernels_faster", result_.kernels.faster);
    Figures();
    Causes();
    Notes();
    json_.EndObject();
    return json_.Take();
  }

 private:
  void Bool(std::string_view key, bool value) {
    json_.Key(key);
    json_.Bool(value);
  }

  void Environment(std::string_view key, const std::vector<analysis::EnvironmentChange>& changes) {
    json_.Key(key);
    json_.BeginArray();
    for (const analysis::EnvironmentChange& change : changes) {
      json_.BeginObject(Layout::kCompact);
      Text("subject", change.subject), Text("name", change.name);
      MaybeText("a", change.a), MaybeText("b", change.b);
      Bool("suspect", change.suspect);
      json_.EndObject();
    }
    json_.EndArray();
  }

  void Comparability() {
    json_.Key("comparability");
    json_.BeginObject();
    UInt("pct", result_.comparable_pct), UInt("needed_pct", analysis::kComparablePct);
    json_.Key("objections");
    json_.BeginArray();
    for (const analysis::Objection& objection : result_.objections) {
      json_.BeginObject(Layout::kCompact);
      Text("text", objection.text), UInt("weight", objection.weight);
      json_.EndObject();
    }
    json_.EndArray();
    json_.EndObject();
  }

  void Side(std::string_view key, const std::string& name, const std::vector<std::string>& runs,
            const std::vector<double>& times) {
    json_.Key(key);
    json_.BeginObject();
    if (!name.empty()) {
      Text("name", name);
      json_.Key("tags");
      json_.BeginObject(Layout::kCompact);
      for (const auto& [tag, value] : input_.tags) Text(tag, value);
      json_.EndObject();
    }
    json_.Key("runs");
    json_.BeginArray();
    for (size_t i = 0; i < runs.size(); ++i) {
      json_.BeginObject(Layout::kCompact);
      MaybeText("source", runs[i]);
      MaybeNumber("step_ms", i < times.size() ? std::optional(times[i]) : std::nullopt);
      json_.EndObject();
    }
    json_.EndArray();
    json_.EndObject();
  }

  void Shift(std::string_view key, const std::optional<RunShift>& shift) {
    json_.Key(key);
    if (!shift) return json_.Null();
    json_.BeginObject();
    Number("baseline_ms", shift->base), Number("new_ms", shift->next);
    Number("diff_pct", shift->diff_pct), Number("low_pct", shift->low_pct), Number("high_pct", shift->high_pct);
    Number("noise_pct", shift->noise_pct);
    Number("between_runs_pct", shift->between_pct);
    Bool("between_runs_measured", shift->between_measured);
    Number("within_run_pct", shift->within_pct);
    json_.EndObject();
  }

  void Times() {
    const bool compared = result_.step && result_.diff;
    MaybeText("times", compared ? std::string(view::StepTimesName(result_.diff->step.times)) : "");
    const auto number = [&](std::string_view key, double analysis::StepChange::*of) {
      MaybeNumber(key, compared ? std::optional(result_.diff->step.*of) : std::nullopt);
    };
    number("recorded_baseline_ms", &analysis::StepChange::recorded_a_ms);
    number("recorded_new_ms", &analysis::StepChange::recorded_b_ms);
    number("recorder_doubt_pct", &analysis::StepChange::recorder_doubt_pct);
    number("recorder_at_most_pct", &analysis::StepChange::recorder_at_most_pct);
  }

  void Peaks() {
    json_.Key("peaks");
    if (!result_.peaks) return json_.Null();
    json_.BeginObject(Layout::kCompact);
    Number("low_ms", result_.peaks->peaks.low), Number("high_ms", result_.peaks->peaks.high);
    Number("high_share_pct", result_.peaks->peaks.high_share_pct);
    Number("above_high_pct", result_.peaks->above_pct);
    json_.EndObject();
  }

  void Kernels(std::string_view key, const std::vector<analysis::KernelShift>& shifts) {
    json_.Key(key);
    json_.BeginArray();
    for (const analysis::KernelShift& shift : shifts) {
      json_.BeginObject(Layout::kCompact);
      MaybeText("subject", shift.subject), MaybeText("kernel", shift.kernel);
      Number("baseline_ms", shift.base_ms), Number("new_ms", shift.next_ms), Number("diff_ms", shift.diff_ms);
      Number("diff_pct", shift.diff_pct), Number("low_pct", shift.low_pct), Number("high_pct", shift.high_pct);
      json_.EndObject();
    }
    json_.EndArray();
  }

  void Figures() {
    json_.Key("figures");
    json_.BeginArray();
    for (const analysis::GateFigure& figure : result_.figures) {
      json_.BeginObject(Layout::kCompact);
      Text("name", figure.name), MaybeNumber("baseline", figure.base), MaybeNumber("new", figure.next);
      json_.EndObject();
    }
    json_.EndArray();
  }

  void Causes() {
    json_.Key("causes");
    json_.BeginArray();
    if (result_.diff) {
      for (const analysis::Cause& cause : result_.diff->causes) {
        json_.BeginObject(Layout::kCompact);
        Text("kind", analysis::CauseKindName(cause.kind));
        MaybeText("detail", cause.detail);
        Text("title", view::CauseTitle(cause, *result_.diff, "->"));
        Number("diff_ms", cause.diff_ms);
        Bool("beyond_noise", cause.beyond_noise);
        json_.EndObject();
      }
    }
    json_.EndArray();
  }

  void Notes() {
    json_.Key("notes");
    json_.BeginArray();
    if (const std::string noise = view::GateNoise(result_); !noise.empty()) json_.String(noise);
    for (const std::string& note : view::GateNotes(result_, input_.limit_pct)) json_.String(note);
    json_.EndArray();
  }

  const GateResult& result_;
  const GateInput& input_;
};

}  // namespace

std::string GateJson(const GateResult& result, const GateInput& input) { return GateWriter(result, input).Write(); }

}  // namespace warpscope::report
