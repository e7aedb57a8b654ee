// warpscope gate --baseline NAME RUN...
#include "analysis/gate/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/app.h"
#include "cli/baseline_operand.h"
#include "cli/command.h"
#include "cli/io.h"
#include "cli/run_operands.h"
#include "cli/whole_file.h"
#include "report/gate_report.h"
#include "report/text.h"

namespace warpscope::cli {
namespace {

constexpr Example kExamples[] = {
    {"warpscope gate --baseline main run4 run5 run6", "are these runs more than 2 % slower than the baseline's"},
    {"warpscope gate --baseline main run4 --max-regression 5%", "with another limit"},
    {"warpscope gate --baseline main run4 --junit gate.xml --markdown gate.md", "for a CI server and a pull request"},
    {"warpscope gate --baseline before.json run4 --fail-on-kernels",
     "a baseline's file; a kernel's regression fails too"},
};

constexpr Flag kFlags[] = {
    {"--baseline", 'b', FlagType::kText, "NAME", "the baseline, by name or by file", ""},
    {"--max-regression", 0, FlagType::kText, "P%", "the step may become slower by this much (default: 2%)", ""},
    {"--fail-on-kernels", 0, FlagType::kSwitch, "", "a kernel's regression fails, though the step has none", ""},
    {"--assume-noise", 0, FlagType::kText, "P%",
     "spread from run to run that is taken for granted at least (default: 0.1%)", ""},
    {"--junit", 0, FlagType::kFile, "FILE", "write JUnit XML too; - for standard output, instead of the text", ""},
    {"--markdown", 0, FlagType::kFile, "FILE", "write Markdown too; - likewise", ""},
    {"--all", 'a', FlagType::kSwitch, "", "show every cause, kernel, figure and difference of the environment", ""},
    {"--force", 'f', FlagType::kSwitch, "", "compare runs that are not comparable too", ""},
    {"--rank", 0, FlagType::kCount, "N",
     "judge this rank of the runs (default: the one that holds the others up, else the baseline's)", ""},
    {"--dir", 0, FlagType::kFile, "FOLDER", "where baselines lie (default: .warpscope/baselines of the repository)",
     ""},
};

// What was judged. Where nothing could be, kExitNoAnswer: a CI job that lets the undecided pass must not pass a slip.
constexpr int kExitRegression = 1, kExitUndecided = 2;

// A file that CI asked for. "-" stands for standard output.
struct Extra {
  std::string_view flag, start;  // what such a file begins with
  std::string (*text)(const analysis::GateResult&, const report::GateInput&);
};
constexpr Extra kExtras[] = {
    {"--junit", report::kJunitStart, report::GateJunit},
    {"--markdown", report::kMarkdownStart, report::GateMarkdown},
};

// Before anything is read: no file of the user's is lost to a slip of the command line.
Status CheckExtras(const Args& args, std::vector<std::string> inputs) {
  std::string at_stdout = args.Has("--json") ? "--json" : "";
  std::vector<std::filesystem::path> taken;
  for (const Extra& extra : kExtras) {
    const auto path = args.Text(extra.flag);
    if (!path) continue;
    if (*path == "-") {
      if (!at_stdout.empty())
        return {StatusCode::kInvalidArgument,
                fmt::format("{} - and {} both want standard output; give one of them a file", extra.flag, at_stdout)};
      at_stdout = std::string(extra.flag) + " -";
      continue;
    }
    WS_RETURN_IF_ERROR(CheckFilePlace(*path, inputs, {extra.flag, false, extra.start}));
    std::error_code error;
    taken.push_back(std::filesystem::weakly_canonical(std::filesystem::absolute(*path), error));
    if (taken.size() == 2 && taken[0] == taken[1])
      return {StatusCode::kInvalidArgument, fmt::format("{}: --junit and --markdown name the same file", *path)};
  }
  return Status::Ok();
}

Result<analysis::GateOptions> OptionsOf(const Args& args) {
  analysis::GateOptions options;
  if (const auto text = args.Text("--max-regression")) {
    WS_ASSIGN_OR_RETURN(options.limit_pct, ParsePct(*text, "--max-regression"));
  }
  if (const auto text = args.Text("--assume-noise")) {
    WS_ASSIGN_OR_RETURN(options.noise.assumed_between_pct, ParsePct(*text, "--assume-noise"));
  }
  options.fail_on_kernels = args.Has("--fail-on-kernels");
  options.force = args.Has("--force");
  return options;
}

int ExitOf(analysis::GateOutcome outcome) {
  switch (outcome) {
    case analysis::GateOutcome::kPass: return 0;
    case analysis::GateOutcome::kRegression: return kExitRegression;
    default: return kExitUndecided;
  }
}

Result<analysis::RunSide> SideOf(const model::Trace& trace, const Args& args, const baseline::Baseline& baseline,
                                 analysis::Words* words) {
  const auto rank = args.Count("--rank");
  if (!rank) return baseline::SideLike(baseline.runs.front().side, trace, words);
  return baseline::SideForBaseline(trace, static_cast<int64_t>(std::min<uint64_t>(*rank, INT64_MAX)), words);
}

Status Gate(const Args& args, Io& io) {
  const auto name = args.Text("--baseline");
  if (!name || args.operands().empty()) {
    return {StatusCode::kInvalidArgument,
            "gate takes a baseline and one run or several: warpscope gate --baseline main RUN..."};
  }
  WS_ASSIGN_OR_RETURN(const analysis::GateOptions options, OptionsOf(args));
  analysis::Words words;
  const baseline::Store store(args.Text("--dir").value_or(""));
  std::vector<std::string> inputs = args.operands();
  inputs.push_back(BaselinePath(*name, store));
  WS_RETURN_IF_ERROR(CheckExtras(args, std::move(inputs)));
  WS_ASSIGN_OR_RETURN(const baseline::Baseline baseline, LoadBaseline(*name, store, &words, &io));
  report::GateInput input{baseline.name, baseline.tags, {}, {}, options.limit_pct};
  std::vector<const analysis::RunSide*> base, next;
  for (const baseline::Run& run : baseline.runs) base.push_back(&run.side), input.base_runs.push_back(run.source);
  std::vector<std::unique_ptr<analysis::RunSide>> sides;
  const auto take = [&](const model::Trace& trace, const std::string& label) -> Status {
    WS_ASSIGN_OR_RETURN(analysis::RunSide side, SideOf(trace, args, baseline, &words));
    for (size_t i = 0; i < next.size(); ++i) {
      if (!analysis::IsSameRecording(*next[i], side)) continue;
      io.Warn(fmt::format(
          "{} holds the same recording as {}: every step takes the same time to the nanosecond. It is no repeat and "
          "counts once",
          label, input.next_runs[i]));
      return Status::Ok();
    }
    for (const baseline::Run& run : baseline.runs) {
      if (!analysis::IsSameRecording(run.side, side)) continue;
      io.Warn(fmt::format("{} is a recording of the baseline itself ({}): it says nothing new", label, run.source));
    }
    sides.push_back(std::make_unique<analysis::RunSide>(std::move(side)));
    next.push_back(sides.back().get());
    input.next_runs.push_back(label);
    return Status::Ok();
  };
  WS_RETURN_IF_ERROR(ForEachRun(args.operands(), args, io, take));
  const analysis::GateResult result = analysis::Judge(base, next, words, options);
  std::string shown = args.Has("--json") ? report::GateJson(result, input)
                                         : report::GateText(result, input, io.terminal, args.Has("--all"));
  for (const Extra& extra : kExtras) {
    const auto path = args.Text(extra.flag);
    if (path == "-") shown = extra.text(result, input);
    else if (path) WS_RETURN_IF_ERROR(WriteWholeFile(*path, extra.text(result, input)));
  }
  io.out += shown;
  io.exit_code = ExitOf(result.outcome);
  return Status::Ok();
}

Status RunGate(const Args& args, Io& io) {
  const Status status = Gate(args, io);
  if (status.ok() || status.code() == StatusCode::kOutput) return status;
  io.Warn(status.message());
  io.exit_code = kExitNoAnswer;
  return Status::Ok();
}

}  // namespace

namespace commands {
extern const Command kGate;
const Command kGate = {
    .name = "gate",
    .summary = "Whether runs are slower than a baseline by more than is allowed, for CI",
    .group = Group::kVerdict,
    .operands = "--baseline NAME RUN...",
    .details =
        "The first line is the answer. Exit status 0: pass. 1: a regression, which the noise does not explain. 2: not "
        "comparable, or inconclusive (the noise is wider than the limit). 5: nothing was judged, since the command "
        "line is wrong or something cannot be read. The noise is measured: "
        "within each run from its steps, and between runs from the repeats of both sides; give several. Differences of "
        "the environment are named first. Kernels are judged together, so that among a thousand none is called slower "
        "by chance; a kernel's regression that the step does not show is told and fails nothing. Each RUN is one "
        "repeat.",
    .examples = kExamples,
    .shared = kInput | kJson | kLang,
    .flags = kFlags,
    .run = RunGate,
    .usage_exit = kExitNoAnswer,
};
}  // namespace commands
}  // namespace warpscope::cli
