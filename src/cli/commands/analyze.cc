// warpscope analyze FILE...
#include "analysis/sampled_profiles.h"
#include "analysis/stall_profiles.h"
#include "cli/command.h"
#include "cli/loaded.h"
#include "cli/step_ms.h"
#include "cli/verdict_input.h"
#include "lang/translate.h"
#include "report/verdict_report.h"
#include "rules/engine.h"

namespace warpscope::cli {
namespace {

constexpr Example kExamples[] = {
    {"warpscope trace.json.gz", "the verdict (analyze may be left out)"},
    {"warpscope analyze trace.json.gz --step-ms 3.84", "with the step time that you measured without a profiler"},
    {"warpscope analyze trace.json.gz --explain", "with the idea behind each finding, for newcomers"},
    {"warpscope analyze ranks/ --rank 2 --json", "one rank of several, for a program"},
};

constexpr Flag kFlags[] = {
    {"--step-ms", 0, FlagType::kNumber, "MS",
     "the step time without a profiler, in ms, if you know it: makes predictions exact", ""},
    {"--explain", 'e', FlagType::kSwitch, "", "add the idea behind each finding", ""},
    {"--all", 'a', FlagType::kSwitch, "", "show every finding, what could not be judged, and all about the data", ""},
    {"--quiet", 'q', FlagType::kSwitch, "", "the answer only, one line", ""},
    {"--rank", 0, FlagType::kCount, "N", "judge this rank only", ""},
};

Status RunAnalyze(const Args& args, Io& io) {
  WS_ASSIGN_OR_RETURN(const auto trace, LoadTrace(args, io));
  const auto input = VerdictInputOf(*trace);  // what the files hold, not what is concluded below
  analysis::AddSampledProfiles(trace.get());
  analysis::AddStallProfiles(trace.get());
  rules::AnalyzeOptions options;
  WS_ASSIGN_OR_RETURN(options.true_step_ms, StepMs(args, "--step-ms"));
  if (const auto rank = args.Count("--rank")) options.rank = static_cast<int64_t>(*rank);
  options.file_argument = FileArgument(args.operands());
  auto verdict = rules::Analyze(*trace, options);
  if (!verdict.ok()) return verdict.status();
  lang::Translate(args.Has("--json") ? args.JsonLanguage() : io.terminal.language, *verdict);
  if (args.Has("--json")) {
    io.out += report::VerdictJson(*verdict, input);
    return Status::Ok();
  }
  if (args.Has("--quiet")) {
    for (const model::LedgerEntry& entry : verdict->ledger) {
      if (entry.severity == model::Severity::kLoss) io.Warn(entry.message);
    }
  }
  io.out += report::VerdictText(*verdict, io.terminal,
                                {.all = args.Has("--all"),
                                 .explain = args.Has("--explain"),
                                 .quiet = args.Has("--quiet"),
                                 .file = options.file_argument});
  return Status::Ok();
}

}  // namespace

namespace commands {
extern const Command kAnalyze;
const Command kAnalyze = {
    .name = "analyze",
    .summary = "The verdict: where a step's time goes, why, what to change, and what each change gains",
    .group = Group::kVerdict,
    .operands = "FILE...",
    .details =
        "The first line is the answer. At most five causes follow, ranked by the gain that a replay of the recorded "
        "dependencies "
        "predicts; each has its evidence with the command that shows it, the change, and how to verify it.",
    .examples = kExamples,
    .shared = kInput | kJson | kLang,
    .flags = kFlags,
    .run = RunAnalyze,
};
}  // namespace commands
}  // namespace warpscope::cli
