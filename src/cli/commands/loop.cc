// warpscope loop -- PROGRAM ARGUMENTS...
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/baseline_operand.h"
#include "cli/command.h"
#include "cli/loop_stages.h"
#include "cli/shell_quote.h"
#include "lang/translate.h"
#include "report/loop_report.h"
#include "report/verdict_report.h"

namespace warpscope::cli {
namespace {

constexpr Example kExamples[] = {
    {"warpscope loop -- python train.py --steps 50",
     "all of it: true step time, recording, counters, verdict, baseline"},
    {"warpscope loop --metric 'step time:' -- python train.py", "the program prints its step times behind this text"},
    {"warpscope loop --no-counters -n small -- ./solver", "without counters; the baseline is called small"},
    {"warpscope loop --accept -- python train.py", "the new state becomes the baseline"},
};

constexpr Flag kFlags[] = {
    {"--name", 'n', FlagType::kText, "NAME", "the baseline (default: the program's name)", ""},
    {"--tag", 't', FlagType::kTexts, "KEY=VALUE", "what the scenario is: model, batch, scale of the input", ""},
    {"--repeat", 'r', FlagType::kCount, "N", "runs without recording (default: 3)", ""},
    {"--warmup", 0, FlagType::kCount, "N", "runs before, which do not count (default: 1)", ""},
    {"--recordings", 0, FlagType::kCount, "N", "recorded runs (default: 2)", ""},
    {"--no-counters", 0, FlagType::kSwitch, "", "leave hardware counters out", ""},
    {"--metric", 0, FlagType::kText, "TEXT", "the program prints its step times behind this text, in ms", ""},
    {"--accept", 0, FlagType::kSwitch, "", "make this state the baseline", ""},
    {"--output", 'o', FlagType::kFile, "FOLDER", "where the runs go (default: here)", ""},
    {"--timeout", 0, FlagType::kDuration, "TIME", "end a run without recording that takes longer, and fail", ""},
    {"--show-output", 0, FlagType::kSwitch, "", "show what the program prints, on standard error", ""},
    {"--dir", 0, FlagType::kFile, "FOLDER", "where baselines lie (default: .warpscope/baselines of the repository)",
     ""},
};

// The program's file name, or that of the script which an interpreter runs, as a baseline may be called.
std::string NameOf(const std::vector<std::string>& words) {
  std::string name = std::filesystem::path(words[0]).filename().string();
  const bool interpreter = name.starts_with("python") || name == "sh" || name == "bash";
  for (size_t i = 1; interpreter && i < words.size(); ++i) {
    if (words[i].empty() || words[i][0] == '-') continue;
    const std::string script = std::filesystem::path(words[i]).stem().string();
    if (baseline::CheckName(script).ok()) name = script;
    break;
  }
  return baseline::CheckName(name).ok() ? name : "program";
}

Status Plan(const Args& args, LoopPlan* plan) {
  constexpr uint64_t kMost = 100;
  plan->run.words = args.operands();
  plan->run.metric = args.Text("--metric").value_or("");
  plan->run.show_output = args.Has("--show-output");
  plan->run.timeout_ns = args.DurationNs("--timeout");
  plan->repeat = args.Count("--repeat").value_or(plan->repeat);
  plan->warmup = args.Count("--warmup").value_or(plan->warmup);
  plan->recordings = args.Count("--recordings").value_or(plan->recordings);
  if (plan->repeat > kMost || plan->warmup > kMost || plan->recordings > kMost)
    return {StatusCode::kInvalidArgument, "--repeat, --warmup and --recordings take at most 100 runs"};
  plan->counters = !args.Has("--no-counters");
  plan->accept = args.Has("--accept");
  plan->output = args.Text("--output").value_or("");
  plan->name = args.Text("--name").value_or(NameOf(plan->run.words));
  WS_RETURN_IF_ERROR(baseline::CheckName(plan->name));
  WS_ASSIGN_OR_RETURN(plan->tags, TagsOf(args));
  return Status::Ok();
}

Status RunLoopCommand(const Args& args, Io& io) {
  if (args.operands().empty())
    return {StatusCode::kInvalidArgument, "no program given; for example: warpscope loop -- python train.py"};
  LoopPlan plan;
  WS_RETURN_IF_ERROR(Plan(args, &plan));
  const baseline::Store store(args.Text("--dir").value_or(""));
  report::LoopReport report;
  WS_RETURN_IF_ERROR(RunLoop(plan, store, args, io, &report));
  if (args.Has("--json")) {
    io.out += report::LoopJson(report);
    return Status::Ok();
  }
  io.out += report::LoopText(report, io.terminal);
  if (!report.verdict) return Status::Ok();
  lang::Translate(io.terminal.language, *report.verdict);
  const std::string file = report.folders.empty() ? "RUN" : ShellQuote(report.folders.front());
  io.out += "\n" + report::VerdictText(*report.verdict, io.terminal, {.file = file});
  return Status::Ok();
}

}  // namespace

namespace commands {
extern const Command kLoop;
const Command kLoop = {
    .name = "loop",
    .summary = "The whole workflow: true step time, recording, counters, verdict, baseline, and what a change did",
    .group = Group::kVerdict,
    .operands = "-- PROGRAM ARGUMENTS...",
    .details =
        "Checks that the devices are fit to measure on, runs the program without recording for its true time, records "
        "it, measures the counters of the kernels that hold the critical path, gives the verdict, and keeps all of it "
        "as a baseline. A stage that cannot run here is skipped and says why. The next time the same command compares "
        "with that baseline and says what became of each finding; --accept makes the new state the baseline. The "
        "program should run for some tens of steps and end by itself. Its step times are known where it tells them: "
        "one time a line, in ms, in the file that WARPSCOPE_STEP_TIMES names, or printed behind the text of --metric. "
        "Exit status 0 if the program could be run.",
    .examples = kExamples,
    .shared = kJson | kLang,
    .flags = kFlags,
    .run = RunLoopCommand,
};
}  // namespace commands
}  // namespace warpscope::cli
