#include "report/turns_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/json_fields.h"
#include "report/text.h"
#include "view/format.h"

namespace warpscope::report {
namespace {

using analysis::ChangeWord;
using analysis::Turns;
using Layout = JsonWriter::Layout;

std::string RunsOf(const TurnsInput& input) {
  const size_t a = input.a.runs_ms.size(), b = input.b.runs_ms.size();
  return a == b ? fmt::format("{} runs each in turns", a) : fmt::format("{} and {} runs in turns", a, b);
}

// What hides in the noise, where the answer is that there is no difference.
double HiddenPct(const Turns& turns) { return std::max(std::abs(turns.shift.low_pct), std::abs(turns.shift.high_pct)); }

std::vector<std::string> NotesOf(const Turns& turns, const TurnsInput& input) {
  std::vector<std::string> notes = input.notes;
  constexpr double kAnyPct = 100;
  const bool none = turns.outcome == ChangeWord::kNoDifference;
  if (none && HiddenPct(turns) >= kAnyPct)
    notes.push_back("The noise hides any difference; more or longer runs (--repeat) narrow it.");
  else if (none && HiddenPct(turns) > input.min_effect_pct)
    notes.push_back(fmt::format(
        "A difference of up to {:.1f} % could hide in the noise; more runs (--repeat) narrow it.", HiddenPct(turns)));
  const auto peaks = [&](const std::optional<analysis::TwoPeaks>& two, const char* name) {
    if (two)
      notes.push_back(fmt::format("The runs of {} lie on two peaks: {} and {}.", name, view::FormatMs(two->low),
                                  view::FormatMs(two->high)));
  };
  peaks(turns.peaks_a, "A"), peaks(turns.peaks_b, "B");
  if (!input.unread_steps.empty()) notes.push_back(input.unread_steps);
  if (input.used_gpu && !*input.used_gpu)
    notes.push_back(
        "The program used no GPU as far as can be told (no GPU's driver was mapped while it warmed up): a setting for "
        "GPU work changes nothing there.");
  if (!input.of_steps && !input.metric.empty())
    notes.push_back(
        fmt::format("No number behind '{}' was printed by {}: the times are whole runs, starting and ending included.",
                    input.metric, input.metric_seen ? "every run" : "any run"));
  else if (!input.of_steps)
    notes.push_back(
        "Times are whole runs, starting and ending included: the program told no step times "
        "(WARPSCOPE_STEP_TIMES or --metric).");
  return notes;
}

// Rejected is only what cannot gain as much as is wanted: where the interval still holds such a gain, more runs decide.
std::string_view Verdict(const Turns& turns, const TurnsInput& input) {
  if (turns.outcome == ChangeWord::kFaster) return "accept";
  if (turns.outcome == ChangeWord::kSlower) return "reject";
  const bool may_gain = turns.shift.low_pct < 0 && -turns.shift.low_pct >= input.min_effect_pct;
  return may_gain ? "undecided" : "reject";
}

std::string_view VerdictWord(std::string_view verdict) {
  return verdict == "accept" ? "Accept" : verdict == "reject" ? "Reject" : "Undecided, more repeats tell";
}

class Writer : JsonFields {
 public:
  std::string Compare(const Turns& turns, const TurnsInput& input) {
    json_.BeginObject();
    Text("schema", "warpscope.compare/1");
    Comparison(turns, input);
    json_.EndObject();
    return json_.Take();
  }

  std::string Try(const std::vector<Trial>& trials, const std::vector<NoTrial>& others) {
    json_.BeginObject();
    Text("schema", "warpscope.try/1");
    json_.Key("trials");
    json_.BeginArray();
    for (const Trial& trial : trials) {
      json_.BeginObject();
      MaybeText("finding", trial.finding), MaybeText("title", trial.title);
      Text("setting", trial.setting), MaybeText("meaning", trial.meaning), MaybeText("caution", trial.caution);
      MaybeNumber("predicted_gain_pct", trial.predicted_pct);
      Text("verdict", trial.turns ? Verdict(*trial.turns, trial.input) : "not_tried");
      MaybeText("skipped", trial.skipped);
      json_.Key("comparison");
      if (trial.turns) {
        json_.BeginObject();
        Comparison(*trial.turns, trial.input);
        json_.EndObject();
      } else {
        json_.Null();
      }
      json_.EndObject();
    }
    json_.EndArray();
    json_.Key("not_settings");
    json_.BeginArray();
    for (const NoTrial& other : others) {
      json_.BeginObject(Layout::kCompact);
      Text("finding", other.finding), Text("title", other.title), Text("reason", other.reason);
      json_.EndObject();
    }
    json_.EndArray();
    json_.EndObject();
    return json_.Take();
  }

 private:
  void Bool(std::string_view key, bool value) {
    json_.Key(key);
    json_.Bool(value);
  }

  void Arm(std::string_view key, const TurnsArm& arm) {
    json_.Key(key);
    json_.BeginObject();
    Text("command", arm.command);
    json_.Key("runs_ms");
    json_.BeginArray(Layout::kCompact);
    for (const double ms : arm.runs_ms) json_.Double(Rounded(ms));
    json_.EndArray();
    json_.Key("steps");
    json_.BeginArray(Layout::kCompact);
    for (const uint64_t steps : arm.steps) json_.UInt(steps);
    json_.EndArray();
    json_.EndObject();
  }

  void Comparison(const Turns& turns, const TurnsInput& input) {
    Text("answer", TurnsAnswer(turns, input, "->"));
    Text("outcome", view::ChangeWordName(turns.outcome));
    Text("measure", input.of_steps ? "step" : "process");
    Arm("a", input.a), Arm("b", input.b);
    Number("a_ms", turns.shift.base), Number("b_ms", turns.shift.next);
    Number("diff_pct", turns.shift.diff_pct);
    Number("low_pct", turns.shift.low_pct), Number("high_pct", turns.shift.high_pct);
    Number("confidence_pct", turns.confidence_pct);
    Bool("by_ranks", turns.by_ranks);
    Number("min_effect_pct", input.min_effect_pct);
    json_.Key("notes");
    json_.BeginArray();
    for (const std::string& note : NotesOf(turns, input)) json_.String(note);
    json_.EndArray();
  }
};

void AppendRuns(std::string* out, const Terminal& terminal, const char* name, const TurnsArm& arm) {
  std::string line = fmt::format("{}: {}", name, arm.command);
  AppendWrapped(*out, terminal, "", "   ", line, Ink::kDim);
  line.clear();
  constexpr size_t kShown = 20;
  for (size_t i = 0; i < std::min(arm.runs_ms.size(), kShown); ++i)
    line += (i == 0 ? "" : ", ") + view::FormatMs(arm.runs_ms[i]);
  AppendWrapped(*out, terminal, "   ", "   ", line, Ink::kDim);
}

}  // namespace

std::string TurnsAnswer(const Turns& turns, const TurnsInput& input, std::string_view arrow) {
  const analysis::RunShift& shift = turns.shift;
  const std::string times = fmt::format("{} {} {} a {}", view::FormatMs(shift.base), arrow, view::FormatMs(shift.next),
                                        input.of_steps ? "step" : "run");
  if (turns.outcome == ChangeWord::kNoDifference) {
    return fmt::format("No difference beyond noise: {} ({:+.1f} %, between {:+.1f} and {:+.1f} %, {}).", times,
                       shift.diff_pct, shift.low_pct, shift.high_pct, RunsOf(input));
  }
  const double sign = shift.diff_pct < 0 ? -1 : 1;
  const double ends[2] = {sign * shift.low_pct, sign * shift.high_pct};
  const std::string size = fmt::format("{:.1f} %", std::abs(shift.diff_pct));
  return fmt::format("B {} than A: {} (between {:.1f} and {:.1f} %, {}).",
                     sign < 0 ? "takes " + size + " less time" : "is " + size + " slower", times,
                     std::min(ends[0], ends[1]), std::max(ends[0], ends[1]), RunsOf(input));
}

std::string TurnsText(const Turns& turns, const TurnsInput& input, const Terminal& terminal) {
  std::string out;
  AppendWrapped(out, terminal, "", "", terminal.Say(TurnsAnswer(turns, input, terminal.arrow())), Ink::kBold);
  AppendRuns(&out, terminal, "A", input.a), AppendRuns(&out, terminal, "B", input.b);
  for (const std::string& note : NotesOf(turns, input))
    AppendWrapped(out, terminal, "", "", terminal.Say(note), Ink::kDim);
  return out;
}

std::string CompareJson(const Turns& turns, const TurnsInput& input) { return Writer().Compare(turns, input); }

std::string TryText(const std::vector<Trial>& trials, const std::vector<NoTrial>& others, const Terminal& terminal) {
  std::string out;
  const auto line = [&](std::string_view text, Ink ink = Ink::kPlain) {
    AppendWrapped(out, terminal, "", "", terminal.Say(text), ink);
  };
  const auto item = [&](std::string_view text, Ink ink = Ink::kPlain) {
    AppendWrapped(out, terminal, "   ", "   ", terminal.Say(text), ink);
  };
  if (trials.empty()) line("Nothing to try: no finding's fix is a setting of the environment.", Ink::kBold);
  for (const Trial& trial : trials) {
    if (!out.empty()) out += '\n';
    if (!trial.turns) {
      line(fmt::format("Not tried: {}: {}.", trial.setting, trial.skipped), Ink::kWarn);
      continue;
    }
    const std::string_view verdict = Verdict(*trial.turns, trial.input);
    line(fmt::format("{}: {}", VerdictWord(verdict), trial.setting), verdict == "accept" ? Ink::kGood : Ink::kWarn);
    item(TurnsAnswer(*trial.turns, trial.input, terminal.arrow()));
    if (!trial.finding.empty()) {
      const std::string promised =
          trial.predicted_pct ? terminal.Say(fmt::format(" (predicted gain {:.1f} %)", *trial.predicted_pct)) : "";
      item(fmt::format("for {}{}: {}", trial.finding, promised, trial.title), Ink::kDim);
    }
    if (!trial.meaning.empty()) item(trial.meaning, Ink::kDim);
    if (!trial.caution.empty()) item("Mind: " + trial.caution, Ink::kWarn);
    for (const std::string& note : NotesOf(*trial.turns, trial.input)) item(note, Ink::kDim);
  }
  if (!others.empty()) {
    out += '\n';
    line("Not to be tried by a setting", Ink::kBold);
    for (const NoTrial& other : others) item(fmt::format("{}: {}. {}", other.finding, other.title, other.reason));
  }
  return out;
}

std::string TryJson(const std::vector<Trial>& trials, const std::vector<NoTrial>& others) {
  return Writer().Try(trials, others);
}

}  // namespace warpscope::report
