// warpscope record -- PROGRAM ARGUMENTS...
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "analysis/sampled_profiles.h"
#include "analysis/stall_profiles.h"
#include "cli/app.h"
#include "cli/args.h"
#include "cli/command.h"
#include "cli/loaded.h"
#include "cli/record_options.h"
#include "cli/shell_quote.h"
#include "cli/stall_code.h"
#include "import/import.h"
#include "lang/translate.h"
#include "record/control.h"
#include "record/counter_plan.h"
#include "record/host/host_sampler.h"
#include "record/launch.h"
#include "record/machine_recorder.h"
#include "record/preflight.h"
#include "record/redact.h"
#include "report/text.h"
#include "report/verdict_report.h"
#include "rules/engine.h"

namespace warpscope::cli {
namespace {

constexpr Example kExamples[] = {
    {"warpscope record -- python train.py --epochs 1", "records an unmodified program and ends with the verdict"},
    {"warpscope record -o run1 --no-analyze -- ./solver", "only records; later: warpscope run1"},
    {"warpscope record --range step --skip 9 --steps 6 -- python train.py", "the steps 10 to 15, by their NVTX range"},
    {"warpscope record --delay 30s --duration 5s -- ./server", "5 s after 30 s of warming up"},
    {"warpscope record --ring 10s -- ./server", "what led to the end, or to: warpscope ctl RUN freeze"},
    {"warpscope record --counters -- python train.py", "hardware counters of every kernel in the same run"},
    {"warpscope record --stalls -- python train.py", "what kernels wait for too, and at which line: warpscope stalls"},
    {"warpscope record --max-overhead 2% -t batch=64 -- python train.py", "collects less where it would cost more"},
};

// What the ledger says of a kind, without its count; "" if nothing.
std::string FirstOf(const model::Trace& trace, model::LedgerCode code) {
  for (const model::LedgerEntry& entry : trace.ledger.Entries()) {
    if (entry.code == code) return entry.detail;
  }
  return "";
}

// Why a recording holds no device work, in one sentence and what to do.
std::string WhyEmpty(const model::Trace& trace, const RecordOptions& options, const std::string& folder) {
  const auto processes = record::ControlFile::Open(folder);
  const bool used_cuda = processes.ok() && !processes.value().Processes().empty();
  if (const std::string why = FirstOf(trace, model::LedgerCode::kRecorderFailure); !why.empty()) return why + ".";
  if (!used_cuda)
    return "no process of the program used CUDA, so there is no verdict on a GPU. If it should have: warpscope doctor "
           "capture -- PROGRAM";
  if (options.settings.trigger == wire::kTriggerRange)
    return fmt::format("no NVTX range named '{}' was opened, so nothing was recorded.", options.settings.range);
  if (options.settings.trigger == wire::kTriggerProfiler)
    return "cudaProfilerStart was not called, so nothing was recorded.";
  if (options.settings.trigger == wire::kTriggerCommand)
    return "nothing was recorded: no `warpscope ctl RUN start` came.";
  return "the program used CUDA and gave the device nothing to do while it was recorded: warpscope ledger " +
         ShellQuote(folder);
}

// On standard error: standard output is the program's own.
Status ShowVerdict(const std::string& folder, const RecordOptions& record_options, Io& io) {
  import::Options options;
  options.progress = io.progress;
  auto trace = import::Load({folder}, options);
  if (!trace.ok()) return trace.status();
  if (trace->gpu.size() == 0) {
    io.Warn(WhyEmpty(*trace, record_options, folder));
    // What is known of the host is an answer too.
    if (trace->host.size() == 0) return Status::Ok();
  }
  analysis::AddSampledProfiles(&trace.value());
  analysis::AddStallProfiles(&trace.value());
  rules::AnalyzeOptions analyze;
  analyze.file_argument = ShellQuote(folder);
  auto verdict = rules::Analyze(*trace, analyze);
  if (!verdict.ok()) return verdict.status();
  report::Terminal terminal = io.terminal;
  terminal.color = terminal.color && ::isatty(STDERR_FILENO) != 0;
  lang::Translate(terminal.language, verdict.value());
  io.err += report::VerdictText(verdict.value(), terminal, {.file = analyze.file_argument});
  return Status::Ok();
}

// Everything that recording needs beside the program: the agent, the folder, the control page.
Result<record::ControlFile> Prepare(const RecordOptions& options, record::Launch& launch) {
  WS_ASSIGN_OR_RETURN(launch.agent_path, record::FindAgent());
  WS_ASSIGN_OR_RETURN(launch.run_folder, record::MakeRunFolder(options.output, launch.words[0]));
  if (!options.counter_plan.empty())
    WS_RETURN_IF_ERROR(record::WriteCounterPlan(launch.run_folder, options.counter_plan));
  return record::ControlFile::Create(launch.run_folder, options.settings);
}

// The program as if it had been started without us.
Status RunUnrecorded(const record::Launch& launch, Io& io) {
  record::Launch bare;
  bare.words = launch.words;
  const auto ended = record::RunUnderAgent(bare);
  if (!ended.ok()) return ended.status();
  io.exit_code = ended.value().exit_code;
  return Status::Ok();
}

void Warn(const std::string& message) {
  WarnNow(message);  // the program's own output follows
}

// Says what will keep the recording from working; fails only where that was asked for. A program that cannot be started
// is told when it is.
Status LookAhead(const record::MachineRecorder& machine, const RecordOptions& options,
                 const std::vector<std::string>& words, Io& io) {
  record::PreflightRequest request;
  request.program = words;
  request.output = options.output;
  request.before_run = true;
  auto checks = record::RunPreflight(machine.system(), machine.devices(), request);
  std::erase_if(checks, [](const record::Check& check) {
    return check.id == "program" && check.state == record::CheckState::kFailure;
  });
  const std::vector<std::string> lines = record::LinesBeforeRun(checks);
  if (options.require && CountOf(checks, record::CheckState::kFailure) > 0) {
    io.exit_code = kExitRecord;
    return {StatusCode::kUnsupported, lines.front()};
  }
  constexpr size_t kMostLines = 3;
  for (size_t i = 0; i < std::min(lines.size(), kMostLines); ++i) Warn(lines[i]);
  if (lines.size() > kMostLines) Warn(fmt::format("{} more: warpscope doctor capture", lines.size() - kMostLines));
  return Status::Ok();
}

// Records and leaves the exit code of the program in `io`; fails only where the program could not run.
Status Record(const Args& args, const RecordOptions& options, Io& io) {
  record::Launch launch;
  launch.words = args.operands();
  record::MachineRecorder machine;
  WS_RETURN_IF_ERROR(LookAhead(machine, options, launch.words, io));
  auto control = Prepare(options, launch);
  if (!control.ok()) {
    // A folder that exists is the user's mistake, all else a hindrance that must not keep the program from running.
    if (options.require || control.status().code() == StatusCode::kInvalidArgument) {
      io.exit_code = kExitRecord;
      return control.status();
    }
    Warn("the program runs unrecorded: " + control.status().message());
    return RunUnrecorded(launch, io);
  }
  launch.control = control.operator->();
  if (const char* outer = std::getenv("WARPSCOPE_RUN"); outer != nullptr && *outer != '\0')
    Warn(fmt::format("a recording inside a recording: this program goes to {}, not to {}", launch.run_folder, outer));
  machine.Begin(launch.run_folder, launch.words);
  for (const auto& [key, value] : options.tags)
    machine.stream().Fact(-1, "tag " + key, record::RedactedValue(key, value));
  record::host::HostSampler sampler(launch.run_folder, {.hz = options.host_hz});
  if (options.host_hz > 0) launch.on_started = [&](int pid) { sampler.Start(pid); };
  const auto started = record::RunUnderAgent(launch);
  sampler.Stop();
  machine.End();
  control->LauncherEnded();
  if (!started.ok()) {
    std::error_code ignored;
    std::filesystem::remove_all(launch.run_folder, ignored);  // made a moment ago; holds nothing of worth
    return started.status();
  }
  io.exit_code = started.value().exit_code;
  io.Warn("recorded to " + launch.run_folder);
  if (options.samples_stalls()) {
    if (const Status told = DisassembleSampled(launch.run_folder); !told.ok()) io.Warn(told.message());
  }
  if (!options.analyze) return Status::Ok();
  const Status status = ShowVerdict(launch.run_folder, options, io);
  if (!status.ok()) io.Warn("no verdict: " + status.message());
  return Status::Ok();
}

Status RunRecord(const Args& args, Io& io) {
  record::HoldSignals();
  if (args.operands().empty())
    return {StatusCode::kInvalidArgument, "no program given; for example: warpscope record -- python train.py"};
  WS_ASSIGN_OR_RETURN(const RecordOptions options, ReadRecordOptions(args));
  const Status status = Record(args, options, io);
  if (status.ok()) return status;
  if (!io.exit_code) io.exit_code = status.code() == StatusCode::kNotFound ? kExitNoProgram : kExitCannotRun;
  io.Warn(status.message());
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
        "The program runs unmodified, with its own output and exit code; what warpscope says, the verdict too, is on "
        "standard error. Every process that it starts and that uses "
        "CUDA writes a stream of its own into the run folder, which all commands read. "
        "What begins the recording: the process's first use of CUDA; or a range (--range), cudaProfilerStart "
        "(--profiler-api), a command (--wait). --delay adds to it, --duration bounds it. A running recording is "
        "started, stopped and "
        "watched by `warpscope ctl RUN`, or by signals to warpscope itself: SIGUSR1 starts or stops it, SIGUSR2 "
        "freezes a ring. "
        "SIGTERM and SIGHUP are passed on to the program, and so are SIGINT and SIGQUIT that are sent to warpscope "
        "alone. "
        "Exit code: the program's own, 128 + N where signal N ended it. 125: warpscope itself failed, 126: the program "
        "was found but "
        "cannot be run, 127: it was not found (as env and timeout do).",
    .examples = kExamples,
    .shared = 0,
    .flags = RecordFlags(),
    .run = RunRecord,
};
}  // namespace commands
}  // namespace warpscope::cli
