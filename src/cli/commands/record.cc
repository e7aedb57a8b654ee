// warpscope record -- PROGRAM ARGUMENTS...
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/loaded.h"
#include "cli/shell_quote.h"
#include "import/import.h"
#include "record/launch.h"
#include "report/verdict_report.h"
#include "rules/engine.h"

namespace warpscope::cli {
namespace {

constexpr Example kExamples[] = {
    {"warpscope record -- python train.py --epochs 1", "records an unmodified program and ends with the verdict"},
    {"warpscope record -o run1 --no-analyze -- ./solver", "only records; later: warpscope run1"},
};

constexpr Flag kFlags[] = {
    {"--output", 'o', FlagType::kFile, "NAME", "the run's folder (default: warpscope-PROGRAM-N)", ""},
    {"--no-analyze", 0, FlagType::kSwitch, "", "do not end with the verdict", ""},
};

Status ShowVerdict(const std::string& folder, Io& io) {
  import::Options options;
  options.progress = io.progress;
  auto trace = import::Load({folder}, options);
  if (!trace.ok()) return trace.status();
  rules::AnalyzeOptions analyze;
  analyze.file_argument = ShellQuote(folder);
  const auto verdict = rules::Analyze(*trace, analyze);
  if (!verdict.ok()) return verdict.status();
  io.out += report::VerdictText(verdict.value(), io.terminal, {.file = analyze.file_argument});
  return Status::Ok();
}

Status RunRecord(const Args& args, Io& io) {
  if (args.operands().empty())
    return {StatusCode::kInvalidArgument, "no program given; for example: warpscope record -- python train.py"};
  record::Launch launch;
  launch.words = args.operands();
  WS_ASSIGN_OR_RETURN(launch.agent_path, record::FindAgent());
  WS_ASSIGN_OR_RETURN(launch.run_folder, record::MakeRunFolder(args.Text("--output").value_or(""), launch.words[0]));
  WS_ASSIGN_OR_RETURN(const record::Ended ended, record::RunUnderAgent(launch));
  io.exit_code = ended.exit_code;
  io.err += fmt::format("warpscope: recorded to {}\n", launch.run_folder);
  if (args.Has("--no-analyze")) return Status::Ok();
  const Status status = ShowVerdict(launch.run_folder, io);
  if (!status.ok()) io.err += fmt::format("warpscope: no verdict: {}\n", status.message());
  return Status::Ok();
}

}  // namespace

namespace commands {
extern const Command kRecord;
const Command kRecord = {
    .name = "record",
    .summary = "Record a CUDA program as it is, then the verdict",
    .group = Group::kVerdict,
    .operands = "-- PROGRAM ARGUMENTS...",
    .details =
        "The program runs unmodified, with its own output and exit code. Every process that it starts and that uses CUDA "
        "writes a "
        "stream of its own into the run folder, which all commands read.",
    .examples = kExamples,
    .shared = 0,
    .flags = kFlags,
    .run = RunRecord,
};
}  // namespace commands
}  // namespace warpscope::cli
