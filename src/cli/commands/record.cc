// warpscope record -- PROGRAM ARGUMENTS...
#include <fmt/format.h>

#include <filesystem>

#include "cli/command.h"
#include "cli/loaded.h"
#include "cli/shell_quote.h"
#include "import/import.h"
#include "record/environment.h"
#include "record/launch.h"
#include "record/machine_stream.h"
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
    {"--tag", 't', FlagType::kText, "KEY=VALUE",
     "a remark on the scenario, such as batch=64; several: batch=64,fp=bf16", ""},
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

constexpr unsigned kSamplePeriodMs = 100;

// What the launcher knows: facts, tags, and samples of the devices while the program runs.
void Describe(const Args& args, const device::Nvml* nvml, record::MachineStream& machine) {
  for (const record::EnvironmentFact& fact : record::CollectEnvironment(args.operands(), nvml))
    machine.Fact(fact.device, fact.name, fact.value);
  std::string tags = args.Text("--tag").value_or("");
  while (!tags.empty()) {
    const std::string tag = tags.substr(0, tags.find(','));
    tags.erase(0, tag.size() + 1);
    const size_t equals = tag.find('=');
    machine.Fact(-1, "tag " + tag.substr(0, equals), equals == std::string::npos ? "yes" : tag.substr(equals + 1));
  }
  machine.Start(nvml, kSamplePeriodMs);
}

Status RunRecord(const Args& args, Io& io) {
  if (args.operands().empty())
    return {StatusCode::kInvalidArgument, "no program given; for example: warpscope record -- python train.py"};
  record::Launch launch;
  launch.words = args.operands();
  WS_ASSIGN_OR_RETURN(launch.agent_path, record::FindAgent());
  WS_ASSIGN_OR_RETURN(launch.run_folder, record::MakeRunFolder(args.Text("--output").value_or(""), launch.words[0]));
  const auto nvml = device::Nvml::Open();
  record::MachineStream machine;
  if (machine.Open(launch.run_folder)) Describe(args, nvml.ok() ? &nvml.value() : nullptr, machine);
  if (!nvml.ok()) machine.Note(1, "device readings are missing: " + nvml.status().message());
  auto started = record::RunUnderAgent(launch);
  machine.Stop();
  if (!started.ok()) {
    std::error_code ignored;
    std::filesystem::remove_all(launch.run_folder, ignored);  // made a moment ago; holds nothing of worth
    return started.status();
  }
  const record::Ended ended = started.value();
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
        "The program runs unmodified, with its own output and exit code. Every process that it starts and that uses "
        "CUDA "
        "writes a "
        "stream of its own into the run folder, which all commands read.",
    .examples = kExamples,
    .shared = 0,
    .flags = kFlags,
    .run = RunRecord,
};
}  // namespace commands
}  // namespace warpscope::cli
