#include "cli/measure_counters.h"

#include <fmt/format.h>
#include <regex.h>
#include <unistd.h>

#include <filesystem>

#include "analysis/index.h"
#include "analysis/name_pattern.h"
#include "cli/app.h"
#include "cli/kernels_that_matter.h"
#include "cli/loaded.h"
#include "cli/shell_quote.h"
#include "import/import.h"
#include "lang/translate.h"
#include "record/control.h"
#include "record/counters/measured_run.h"
#include "record/counters/metric_sets.h"
#include "record/launch.h"
#include "record/machine_recorder.h"
#include "record/preflight.h"
#include "report/table_report.h"
#include "report/text.h"
#include "report/verdict_report.h"
#include "rules/engine.h"
#include "view/tables.h"

namespace warpscope::cli {
namespace {

using Plan = record::CounterPlan;

void Warn(const std::string& message) { WarnNow(message); }

Status Wrong(std::string message) {
  return {StatusCode::kInvalidArgument, message + "; see: warpscope counters --help"};
}

void AddMetrics(const Args& args, Plan& plan) {
  const std::vector<std::string> lists = args.Texts("--metrics");
  const std::string set = args.Text("--set").value_or(lists.empty() ? "full" : "");
  if (!set.empty()) {
    const auto metrics = record::MetricsOf(set == "basic" ? record::MetricSet::kBasic : record::MetricSet::kFull);
    for (const std::string_view name : metrics) plan.emplace_back("metric", name);
  }
  for (std::string_view list : lists) {
    while (!list.empty()) {
      const std::string_view name = list.substr(0, list.find(','));
      list.remove_prefix(std::min(list.size(), name.size() + 1));
      if (!name.empty()) plan.emplace_back("metric", name);
    }
  }
}

// The kernels that hold the critical path of a run recorded before.
Status AddKernelsOf(const std::string& path, Io& io, Plan& plan) {
  import::Options options;
  options.progress = io.progress;
  auto trace = import::Load({path}, options);
  if (!trace.ok()) return trace.status();
  Loaded loaded;
  loaded.trace = std::make_unique<model::Trace>(std::move(trace).value());
  loaded.index = std::make_unique<analysis::Index>(*loaded.trace);
  loaded.rank_domain = loaded.index->default_domain();
  loaded.steps = analysis::FindSteps(*loaded.index, loaded.rank_domain);
  const KernelsThatMatter kernels = FindKernelsThatMatter(loaded);
  if (kernels.names.empty()) return Wrong("--from " + path + ": the recording holds no kernel");
  for (const std::string& name : kernels.names) {
    if (name.find('\n') == std::string::npos) plan.emplace_back("name", name);
  }
  Warn(fmt::format("measured: {} kernel{} with {:.0f} % of {}; left out: {} with {:.0f} %", kernels.names.size(),
                   kernels.names.size() == 1 ? "" : "s", kernels.share_pct,
                   kernels.by_path ? "the kernels' part of the critical path" : "the kernels' time", kernels.left_out,
                   100 - kernels.share_pct));
  return Status::Ok();
}

// As the agents will read it: the C library's expressions. What is no NamePattern has back references, on which a
// search may not end, or a size that the stack of the measured program may not hold.
Status CheckExpression(const std::string& text) {
  if (const auto pattern = analysis::NamePattern::Compile(text); !pattern.ok())
    return Wrong("--kernel: " + pattern.status().message());
  // A repetition to the C library, writing them out without limit; text to the other.
  if (text.find("{,") != std::string::npos) return Wrong("--kernel: write {0,N} in place of {,N}");
  regex_t expression;
  const int answer = ::regcomp(&expression, text.c_str(), REG_EXTENDED | REG_NOSUB);
  if (answer == 0) {
    ::regfree(&expression);
    return Status::Ok();
  }
  char why[100];
  ::regerror(answer, &expression, why, sizeof(why));
  return Wrong(fmt::format("--kernel {}: not an extended regular expression: {}", text, why));
}

Result<Plan> MakePlan(const Args& args, Io& io) {
  Plan plan = {{"mode", "exact"}};
  AddMetrics(args, plan);
  if (args.Text("--replay") == "application") plan.emplace_back("replay", "application");
  const auto regex = args.Text("--kernel");
  const auto from = args.Text("--from");
  if (regex && from) return Wrong("--kernel and --from exclude each other: each says which kernels are measured");
  if (regex) {
    WS_RETURN_IF_ERROR(CheckExpression(*regex));
    plan.emplace_back("kernel", *regex);
  }
  if (from) WS_RETURN_IF_ERROR(AddKernelsOf(*from, io, plan));
  const auto count = args.Count("--launch-count"), skip = args.Count("--launch-skip");
  if (count == 0) return Wrong("--launch-count 0: at least one launch is measured");
  if (skip) plan.emplace_back("skip", std::to_string(*skip));
  if (count) plan.emplace_back("count", std::to_string(*count));
  // A program launches thousands; the first of a kind stand for it.
  const uint64_t per_name = args.Count("--per-kernel").value_or(count ? 0 : 2);
  if (per_name > 0) plan.emplace_back("per-name", std::to_string(per_name));
  for (const auto& [word, value] : plan) {
    if (value.find('\n') != std::string::npos) return Wrong("'" + value + "' holds a line break");
  }
  return plan;
}

// What keeps counters from being read here, with the fix; before the program runs.
void LookAhead(const record::MachineRecorder& machine, const std::vector<std::string>& words) {
  record::PreflightRequest request;
  request.program = words;
  for (const record::Check& check : record::RunPreflight(machine.system(), machine.devices(), request)) {
    const bool concerns =
        check.id == "counter_permission" || check.id == "dcgm" || check.id == "vgpu" || check.id == "mig";
    if (!concerns || check.state == record::CheckState::kOk || check.state == record::CheckState::kUnknown) continue;
    Warn(check.evidence + (check.next.empty() ? "" : ". Do: " + check.next));
    if (check.id == "counter_permission")
      Warn("without counters: warpscope record shows the timeline, warpscope occupancy the theoretical occupancy");
  }
}

// Why no launch was measured, and what to do.
std::string WhyNothing(const model::Trace& trace, const std::string& folder, const Plan& plan) {
  for (const model::LedgerEntry& entry : trace.ledger.Entries()) {
    if (entry.code == model::LedgerCode::kRecorderFailure) return entry.detail;
  }
  const auto processes = record::ControlFile::Open(folder);
  if (!processes.ok() || processes.value().Processes().empty())
    return "no launch was measured: no process of the program used CUDA. If it should have: warpscope doctor capture "
           "-- PROGRAM";
  const auto chosen = std::find_if(plan.begin(), plan.end(),
                                   [](const auto& line) { return line.first == "kernel" || line.first == "name"; });
  if (chosen != plan.end())
    return "no launch was measured: the program used CUDA and launched no kernel that was asked for (" +
           chosen->second.substr(0, 60) +
           "). What it launches: warpscope record -- PROGRAM, then warpscope kernels RUN";
  return "no launch was measured: the program used CUDA and launched no kernel";
}

Status Show(const std::string& folder, const Plan& plan, Io& io) {
  import::Options options;
  options.progress = io.progress;
  auto trace = import::Load({folder}, options);
  if (!trace.ok()) return trace.status();
  if (trace->kernel_profiles.empty()) {
    return {StatusCode::kNotFound, WhyNothing(*trace, folder, plan)};
  }
  const analysis::Index index(*trace);
  const analysis::Steps steps = analysis::FindSteps(index, index.default_domain());
  const view::Subject subject = {index, steps, {}, {}, 0};
  const view::CountersQuery query{[](std::string_view) { return true; }, [](std::string_view) { return true; }};
  report::Terminal terminal = io.terminal;
  terminal.color = terminal.color && ::isatty(STDERR_FILENO) != 0;
  const view::Table table = view::CountersTable(subject, view::CountersBy::kKernel, query);
  io.err += report::TableText(table, terminal, {.limit = 20, .wide = false});
  rules::AnalyzeOptions analyze;
  analyze.file_argument = ShellQuote(folder);
  auto verdict = rules::Analyze(*trace, analyze);
  if (!verdict.ok()) return verdict.status();
  lang::Translate(terminal.language, verdict.value());
  io.err += report::VerdictText(verdict.value(), terminal, {.file = analyze.file_argument});
  return Status::Ok();
}

Status Measure(const Args& args, const Plan& plan, Io& io) {
  record::Launch launch;
  launch.words = args.operands();
  record::MachineRecorder machine;
  LookAhead(machine, launch.words);
  io.exit_code = kExitRecord;  // until the program has been started
  WS_ASSIGN_OR_RETURN(launch.agent_path, record::FindAgent());
  WS_ASSIGN_OR_RETURN(launch.run_folder,
                      record::MakeRunFolder(args.Text("--output").value_or(""), launch.words.front()));
  WS_ASSIGN_OR_RETURN(record::ControlFile control, record::ControlFile::Create(launch.run_folder, {}));
  io.exit_code.reset();
  launch.control = &control;
  machine.Begin(launch.run_folder, launch.words);
  const auto ended = record::RunMeasured(launch, plan, Warn);
  machine.End();
  control.LauncherEnded();
  if (!ended.ok()) {
    std::error_code ignored;
    std::filesystem::remove_all(launch.run_folder, ignored);  // made a moment ago; holds nothing of worth
    return ended.status();
  }
  io.exit_code = ended.value().exit_code;
  io.Warn("measured to " + launch.run_folder);
  if (const Status status = Show(launch.run_folder, plan, io); !status.ok()) io.Warn(status.message());
  return Status::Ok();
}

}  // namespace

Status MeasureCounters(const Args& args, Io& io) {
  record::HoldSignals();
  if (args.operands().empty()) return Wrong("no program given; for example: warpscope counters -- python train.py");
  WS_ASSIGN_OR_RETURN(const Plan plan, MakePlan(args, io));
  const Status status = Measure(args, plan, io);
  // A folder that exists is the user's mistake.
  if (status.ok() || status.code() == StatusCode::kInvalidArgument) return status;
  if (!io.exit_code) io.exit_code = status.code() == StatusCode::kNotFound ? kExitNoProgram : kExitCannotRun;
  io.Warn(status.message());
  return Status::Ok();
}

}  // namespace warpscope::cli
