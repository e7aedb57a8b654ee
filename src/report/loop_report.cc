#include "report/loop_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "report/json_fields.h"
#include "report/text.h"
#include "view/format.h"
#include "view/verify.h"

namespace warpscope::report {
namespace {

using Layout = JsonWriter::Layout;

std::string_view NameOf(StageState state) {
  switch (state) {
    case StageState::kDone: return "done";
    case StageState::kSkipped: return "skipped";
    case StageState::kFailed: return "failed";
  }
  return "";
}

std::string Change(const analysis::RunShift& shift, std::string_view arrow, bool of_steps) {
  return fmt::format("{} {} {} a {} ({:+.1f} %, between {:+.1f} and {:+.1f} %)", view::FormatMs(shift.base), arrow,
                     view::FormatMs(shift.next), of_steps ? "step" : "run", shift.diff_pct, shift.low_pct,
                     shift.high_pct);
}

const rules::Finding* FirstCause(const LoopReport& report) {
  return report.verdict && !report.verdict->findings.empty() ? &report.verdict->findings.front() : nullptr;
}

std::string Next(const LoopReport& report) {
  const rules::Finding* first = FirstCause(report);
  if (first == nullptr) return "";
  std::string text = fmt::format("First cause now: {}", first->id);
  if (first->predicted) text += fmt::format(" (predicted gain {:.1f} %)", first->predicted->gain_pct);
  return text + ".";
}

std::string Against(const LoopReport& report, std::string_view arrow) {
  if (report.unprofiled) {
    const analysis::RunShift& shift = *report.unprofiled;
    const std::string change = Change(shift, arrow, report.of_steps);
    switch (analysis::WordOf(shift, analysis::JudgeOptions().min_effect_pct)) {
      case analysis::ChangeWord::kFaster: return "Faster than the baseline, unprofiled: " + change + ".";
      case analysis::ChangeWord::kSlower: return "Slower than the baseline, unprofiled: " + change + ".";
      case analysis::ChangeWord::kNoDifference: break;
    }
    return "No difference to the baseline beyond noise, unprofiled: " + change + ".";
  }
  if (report.gate) return view::GateAnswer(*report.gate, report.limit_pct, arrow);
  return "Nothing could be compared with the baseline: the stages say why.";
}

using Say = std::function<std::string(std::string_view)>;

// "fixed: launch_bound; less: host_sync; remains: data_loading"
std::string Fates(const rules::Verification& verification, const Say& say) {
  std::string text;
  for (const rules::Fate fate :
       {rules::Fate::kFixed, rules::Fate::kLess, rules::Fate::kRemains, rules::Fate::kNotJudged}) {
    std::string ids;
    for (const rules::VerifiedFinding& finding : verification.findings) {
      if (finding.fate == fate) ids += (ids.empty() ? "" : ", ") + finding.before.id;
    }
    if (!ids.empty()) text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", say(rules::FateText(fate)), ids);
  }
  return text;
}

// The sentences of the answer, each said.
std::vector<std::string> Sentences(const LoopReport& report, std::string_view arrow, const Say& say) {
  std::vector<std::string> sentences;
  const auto add = [&](const std::string& english) {
    if (!english.empty()) sentences.push_back(say(english));
  };
  if (!report.saved && !report.baseline.empty()) {
    add(Against(report, arrow));
    const std::string fates = report.verification ? Fates(*report.verification, say) : "";
    if (!fates.empty()) add("Findings of the baseline: " + fates + ".");
    add(Next(report));
    return sentences;
  }
  add(report.true_ms
          ? fmt::format("{} a {} unprofiled.", view::FormatMs(*report.true_ms), report.of_steps ? "step" : "run")
          : "No time without recording was taken.");
  const bool recorded = std::any_of(report.stages.begin(), report.stages.end(), [](const LoopStage& stage) {
    return stage.name == "record" && stage.state == StageState::kDone;
  });
  if (!recorded) add("Nothing was recorded, so there is no verdict: the stages say why.");
  add(Next(report));
  if (report.saved)
    add(fmt::format("Baseline {} saved: change the program and run the same command.", report.baseline));
  return sentences;
}

class Writer : JsonFields {
 public:
  std::string Write(const LoopReport& report) {
    json_.BeginObject();
    Text("schema", "warpscope.loop/1");
    Text("answer", LoopAnswer(report, "->"));
    Text("command", report.command);
    json_.Key("stages");
    json_.BeginArray();
    for (const LoopStage& stage : report.stages) {
      json_.BeginObject(Layout::kCompact);
      Text("name", stage.name), Text("state", NameOf(stage.state)), MaybeText("detail", stage.detail);
      json_.EndObject();
    }
    json_.EndArray();
    Unprofiled(report);
    json_.Key("runs");
    json_.BeginArray();
    for (const std::string& folder : report.folders) json_.String(folder);
    json_.EndArray();
    Findings(report);
    Baseline(report);
    json_.EndObject();
    return json_.Take();
  }

 private:
  void Bool(std::string_view key, bool value) {
    json_.Key(key);
    json_.Bool(value);
  }

  void Unprofiled(const LoopReport& report) {
    json_.Key("unprofiled");
    if (!report.true_ms) return json_.Null();
    json_.BeginObject();
    Text("measure", report.of_steps ? "step" : "process");
    Number("ms", *report.true_ms);
    json_.Key("runs_ms");
    json_.BeginArray(Layout::kCompact);
    for (const double ms : report.runs_ms) json_.Double(Rounded(ms));
    json_.EndArray();
    json_.EndObject();
  }

  void Findings(const LoopReport& report) {
    MaybeText("verdict", report.verdict ? report.verdict->answer : "");
    json_.Key("findings");
    json_.BeginArray();
    if (report.verdict) {
      for (const rules::Finding& finding : report.verdict->findings) {
        json_.BeginObject(Layout::kCompact);
        Text("id", finding.id), MaybeText("subject", finding.subject), Text("title", finding.title);
        MaybeNumber("gain_pct", finding.predicted ? std::optional(finding.predicted->gain_pct) : std::nullopt);
        json_.EndObject();
      }
    }
    json_.EndArray();
  }

  void Baseline(const LoopReport& report) {
    json_.Key("baseline");
    if (report.baseline.empty()) return json_.Null();
    json_.BeginObject();
    Text("name", report.baseline), Text("path", report.baseline_path);
    Bool("saved", report.saved);
    json_.Key("comparison");
    const bool compared = report.gate || report.verification || report.unprofiled;
    if (!compared) {
      json_.Null();
      return json_.EndObject();
    }
    json_.BeginObject();
    MaybeText("gate_outcome", report.gate ? view::GateOutcomeName(report.gate->outcome) : "");
    MaybeText("gate_answer", report.gate ? view::GateAnswer(*report.gate, report.limit_pct, "->") : "");
    json_.Key("unprofiled");
    if (report.unprofiled) {
      const analysis::RunShift& shift = *report.unprofiled;
      json_.BeginObject(Layout::kCompact);
      Number("baseline_ms", shift.base), Number("now_ms", shift.next), Number("diff_pct", shift.diff_pct);
      Number("low_pct", shift.low_pct), Number("high_pct", shift.high_pct);
      json_.EndObject();
    } else {
      json_.Null();
    }
    json_.Key("findings");
    json_.BeginArray();
    if (report.verification) {
      for (const rules::VerifiedFinding& finding : report.verification->findings) {
        json_.BeginObject(Layout::kCompact);
        Text("id", finding.before.id), MaybeText("subject", finding.before.subject);
        Text("fate", rules::FateText(finding.fate));
        const auto& predicted = finding.before.predicted;
        MaybeNumber("predicted_gain_pct", predicted ? std::optional(predicted->gain_pct) : std::nullopt);
        MaybeNumber("gain_now_pct", finding.gain_now_pct);
        json_.EndObject();
      }
    }
    json_.EndArray();
    json_.EndObject();
    json_.EndObject();
  }
};

}  // namespace

std::string LoopAnswer(const LoopReport& report, std::string_view arrow) {
  const auto same = [](std::string_view english) { return std::string(english); };
  return fmt::format("{}", fmt::join(Sentences(report, arrow, same), " "));
}

std::string LoopText(const LoopReport& report, const Terminal& terminal) {
  std::string out;
  const auto say = [&](std::string_view english) { return terminal.Say(english); };
  const std::string_view between = terminal.language == lang::Language::kEnglish ? " " : "";
  AppendWrapped(out, terminal, "", "", fmt::format("{}", fmt::join(Sentences(report, terminal.arrow(), say), between)),
                Ink::kBold);
  out += '\n';
  for (const LoopStage& stage : report.stages) {
    const Ink ink = stage.state == StageState::kDone ? Ink::kPlain : Ink::kWarn;
    const std::string head =
        fmt::format("   {} {} ", PadRight(stage.name, 10), PadRight(terminal.Say(NameOf(stage.state)), 7));
    AppendWrapped(out, terminal, head, std::string(Width(head), ' '), terminal.Say(stage.detail), ink);
  }
  if (report.verification && report.verification->comparable && !report.verification->findings.empty()) {
    out += '\n';
    AppendWrapped(out, terminal, "", "", terminal.Say("What became of the baseline's findings"), Ink::kBold);
    for (const rules::VerifiedFinding& finding : report.verification->findings) {
      std::string line = fmt::format("{}: {}", terminal.Say(rules::FateText(finding.fate)), finding.before.id);
      if (finding.before.predicted)
        line += terminal.Say(fmt::format(", predicted {:.1f} %", finding.before.predicted->gain_pct));
      if (finding.gain_now_pct) line += terminal.Say(fmt::format(", left {:.1f} %", *finding.gain_now_pct));
      AppendWrapped(out, terminal, "   ", "     ", line + ": " + terminal.Say(finding.before.title));
    }
    const std::string promise = view::PromiseText(*report.verification);
    if (!promise.empty()) AppendWrapped(out, terminal, "   ", "     ", terminal.Say(promise));
    AppendWrapped(out, terminal, "   ", "     ",
                  terminal.Say(fmt::format("measured gain with the recorder's cost taken out: {:.1f} %",
                                           report.verification->measured_gain_pct)),
                  Ink::kDim);
  }
  if (report.gate) {
    out += '\n';
    AppendWrapped(
        out, terminal, "", "",
        terminal.Say("Recorded steps: " + view::GateAnswer(*report.gate, report.limit_pct, terminal.arrow())));
    for (const analysis::EnvironmentChange& change : report.gate->environment)
      AppendWrapped(out, terminal, "   " + terminal.Say("differs: "), "     ",
                    view::EnvironmentText(change, terminal.arrow()), Ink::kWarn);
  }
  if (!report.baseline.empty() && !report.saved)
    AppendWrapped(out, terminal, "", "",
                  terminal.Say("To make this state the baseline: the same command with --accept"), Ink::kDim);
  return out;
}

std::string LoopJson(const LoopReport& report) { return Writer().Write(report); }

}  // namespace warpscope::report
