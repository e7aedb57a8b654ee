// warpscope try RUN -- PROGRAM ARGUMENTS...
#include <fmt/format.h>
#include <sched.h>

#include <cstdlib>

#include "cli/baseline_operand.h"
#include "cli/command.h"
#include "cli/in_turns.h"
#include "cli/loaded.h"
#include "report/turns_report.h"
#include "rules/engine.h"
#include "rules/settings.h"

namespace warpscope::cli {
namespace {

constexpr Example kExamples[] = {
    {"warpscope try run1 -- python train.py", "every finding of run1 whose fix is a setting: accept or reject"},
    {"warpscope try main --repeat 8 --metric 'step time:' -- python train.py",
     "a baseline's findings, by the step times that the program prints"},
    {"warpscope try --set OMP_NUM_THREADS=8 --set NCCL_NTHREADS=256 -- ./solver", "settings of your own"},
};

constexpr Flag kFlags[] = {
    {"--set", 0, FlagType::kTexts, "NAME=VALUE", "try this variable instead of a run's findings", ""},
    {"--repeat", 'r', FlagType::kCount, "N", "runs with and without that count (default: 5)", ""},
    {"--warmup", 0, FlagType::kCount, "N", "runs before, which do not count (default: 1)", ""},
    {"--metric", 0, FlagType::kText, "TEXT", "the program prints its step times behind this text, in ms", ""},
    {"--min-effect", 0, FlagType::kNumber, "PCT", "smallest gain that is accepted, in % (default: 1)", ""},
    {"--timeout", 0, FlagType::kDuration, "TIME", "end a run that takes longer, and fail", ""},
    {"--show-output", 0, FlagType::kSwitch, "", "show what the program prints, on standard error", ""},
    {"--dir", 0, FlagType::kFile, "FOLDER", "where baselines lie (default: .warpscope/baselines of the repository)",
     ""},
};

unsigned CoresAllowed() {
  cpu_set_t set;
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<unsigned>(CPU_COUNT(&set)) : 1;
}

std::optional<std::string> Variable(std::string_view name) {
  const char* value = std::getenv(std::string(name).c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

Result<rules::Verdict> FindingsOf(const std::string& word, const Args& args, Io& io) {
  const baseline::Store store(args.Text("--dir").value_or(""));
  if (IsBaseline(word, store)) {
    analysis::Words words;
    WS_ASSIGN_OR_RETURN(const baseline::Baseline baseline, LoadBaseline(word, store, &words, &io));
    return VerdictOf(baseline::MiddleRun(baseline), LabelOf(baseline));
  }
  WS_ASSIGN_OR_RETURN(const auto trace, LoadTrace({word}, args, io));
  return rules::Analyze(*trace, {});
}

struct Wanted {
  std::vector<report::Trial> trials;
  std::vector<rules::Setting> settings;  // of each
  std::vector<report::NoTrial> others;
};

Result<Wanted> WantedOf(const Args& args, Io& io) {
  Wanted wanted;
  for (const std::string& text : args.Texts("--set")) {
    const size_t at = text.find('=');
    if (at == std::string::npos || at == 0)
      return Status(StatusCode::kInvalidArgument, fmt::format("--set {}: expected NAME=VALUE", text));
    wanted.settings.push_back({text.substr(0, at), text.substr(at + 1), "", ""});
    wanted.trials.emplace_back().setting = text;
  }
  if (!wanted.trials.empty()) return wanted;
  WS_ASSIGN_OR_RETURN(const rules::Verdict verdict, FindingsOf(args.operands()[0], args, io));
  for (const rules::Finding& finding : verdict.findings) {
    if (!finding.caused_by.empty()) continue;
    const rules::SettingFor found = rules::SettingOf(finding, Variable, CoresAllowed());
    if (!found.setting) {
      wanted.others.push_back({finding.id, finding.title, found.reason});
      continue;
    }
    const rules::Setting& setting = *found.setting;
    report::Trial trial;
    trial.finding = finding.id, trial.title = finding.title;
    trial.setting = setting.value ? setting.name + "=" + *setting.value : "without " + setting.name;
    trial.meaning = setting.meaning, trial.caution = setting.caution;
    if (finding.predicted) trial.predicted_pct = finding.predicted->gain_pct;
    wanted.trials.push_back(std::move(trial));
    wanted.settings.push_back(setting);
  }
  return wanted;
}

Status RunTry(const Args& args, Io& io) {
  const bool own = args.Has("--set");
  if (!args.Has("--") || args.operands().size() < (own ? 1u : 2u)) {
    return {StatusCode::kInvalidArgument,
            "try takes a run with findings, or --set, and a program: warpscope try RUN -- python train.py"};
  }
  if (!own && args.Text("--") == "0") {
    return {StatusCode::kInvalidArgument,
            "nothing says what to try: give a RUN before -- (warpscope try RUN -- PROGRAM) or --set NAME=VALUE"};
  }
  TurnsPlan plan;
  WS_RETURN_IF_ERROR(ReadPlan(args, &plan));
  WS_ASSIGN_OR_RETURN(Wanted wanted, WantedOf(args, io));
  plan.a.words.assign(args.operands().begin() + (own ? 0 : 1), args.operands().end());
  for (size_t i = 0; i < wanted.trials.size(); ++i) {
    const rules::Setting& setting = wanted.settings[i];
    plan.b.words = plan.a.words;
    plan.b.variables.clear();
    if (setting.value) plan.b.variables.emplace_back(setting.name, *setting.value);
    else plan.b.words.insert(plan.b.words.begin(), {"env", "-u", setting.name});
    std::vector<std::string> fitness = FitnessNotes();
    auto taken = TakeTurns(plan, io);
    if (!taken.ok() && taken.status().message().starts_with("B failed")) {
      // The program does not bear the setting: that is an answer.
      wanted.trials[i].skipped = taken.status().message();
      continue;
    }
    if (!taken.ok()) return taken.status();
    wanted.trials[i].turns = taken->turns;
    wanted.trials[i].input = std::move(taken->input);
    wanted.trials[i].input.notes = std::move(fitness);
  }
  io.out += args.Has("--json") ? report::TryJson(wanted.trials, wanted.others)
                               : report::TryText(wanted.trials, wanted.others, io.terminal);
  return Status::Ok();
}

}  // namespace

namespace commands {
extern const Command kTry;
const Command kTry = {
    .name = "try",
    .summary = "Whether a setting that would fix a finding does: with and without, in turns",
    .group = Group::kVerdict,
    .operands = "[RUN] -- PROGRAM ARGUMENTS...",
    .details =
        "For each finding of RUN (a recording or a baseline) whose fix is a variable of the environment, runs the "
        "program with and without it in turns, unprofiled, as `warpscope compare` does, and says accept, reject or "
        "undecided "
        "with an interval. Only variables count that have the effect by themselves; for the other findings it says "
        "that "
        "their fix is a change of the program, and which. Results of the program are not compared: where a setting "
        "changes them (TF32), look at them. Exit status 0, whatever was accepted.",
    .examples = kExamples,
    .shared = kJson | kLang,
    .flags = kFlags,
    .run = RunTry,
};
}  // namespace commands
}  // namespace warpscope::cli
