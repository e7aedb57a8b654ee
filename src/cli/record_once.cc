#include "cli/record_once.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "record/control.h"
#include "record/counters/measured_run.h"
#include "record/counters/metric_sets.h"
#include "record/host/host_sampler.h"
#include "record/launch.h"
#include "record/machine_recorder.h"
#include "record/preflight.h"
#include "record/redact.h"

namespace warpscope::cli {
namespace {

class OutputToError {
 public:
  OutputToError() : kept_(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)) {
    std::fflush(stdout);
    if (kept_ >= 0) ::dup2(STDERR_FILENO, STDOUT_FILENO);
  }
  ~OutputToError() {
    if (kept_ < 0) return;
    ::dup2(kept_, STDOUT_FILENO);
    ::close(kept_);
  }
  OutputToError(const OutputToError&) = delete;
  OutputToError& operator=(const OutputToError&) = delete;

 private:
  int kept_;
};

void RemoveFolder(const std::string& folder) {
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);  // made a moment ago; holds nothing of worth
}

}  // namespace

Result<RecordedRun> RecordOnce(const RecordRequest& request) {
  record::HoldSignals();
  record::Launch launch;
  launch.words = request.words;
  WS_ASSIGN_OR_RETURN(launch.agent_path, record::FindAgent());
  WS_ASSIGN_OR_RETURN(launch.run_folder, record::MakeRunFolder(request.folder, request.words[0]));
  WS_ASSIGN_OR_RETURN(record::ControlFile control, record::ControlFile::Create(launch.run_folder, record::Settings{}));
  launch.control = &control;
  record::MachineRecorder machine;
  machine.Begin(launch.run_folder, launch.words);
  for (const auto& [key, value] : request.tags)
    machine.stream().Fact(-1, "tag " + key, record::RedactedValue(key, value));
  record::host::HostSampler sampler(launch.run_folder, {.hz = 100});
  launch.on_started = [&](int pid) { sampler.Start(pid); };
  const OutputToError moved;
  const auto ended = record::RunUnderAgent(launch);
  sampler.Stop();
  machine.End();
  control.LauncherEnded();
  if (!ended.ok()) {
    RemoveFolder(launch.run_folder);
    return ended.status();
  }
  return RecordedRun{launch.run_folder, ended.value().exit_code};
}

Result<RecordedRun> MeasureOnce(const RecordRequest& request, const std::vector<std::string>& kernels) {
  record::HoldSignals();
  record::MachineRecorder machine;
  record::PreflightRequest preflight;
  preflight.program = request.words;
  for (const record::Check& check : record::RunPreflight(machine.system(), machine.devices(), preflight)) {
    if (check.id != "counter_permission" || check.state != record::CheckState::kFailure) continue;
    return Status(StatusCode::kUnsupported, check.evidence + (check.next.empty() ? "" : ". Do: " + check.next));
  }
  record::CounterPlan plan = {{"mode", "exact"}};
  for (const std::string_view metric : record::MetricsOf(record::MetricSet::kFull)) plan.emplace_back("metric", metric);
  for (const std::string& kernel : kernels) {
    if (kernel.find('\n') == std::string::npos) plan.emplace_back("name", kernel);
  }
  plan.emplace_back("per-name", "2");
  record::Launch launch;
  launch.words = request.words;
  WS_ASSIGN_OR_RETURN(launch.agent_path, record::FindAgent());
  WS_ASSIGN_OR_RETURN(launch.run_folder, record::MakeRunFolder(request.folder, request.words[0]));
  WS_ASSIGN_OR_RETURN(record::ControlFile control, record::ControlFile::Create(launch.run_folder, {}));
  launch.control = &control;
  machine.Begin(launch.run_folder, launch.words);
  const OutputToError moved;
  const auto ended = record::RunMeasured(launch, plan, [](const std::string&) {});
  machine.End();
  control.LauncherEnded();
  if (!ended.ok()) {
    RemoveFolder(launch.run_folder);
    return ended.status();
  }
  return RecordedRun{launch.run_folder, ended.value().exit_code};
}

}  // namespace warpscope::cli
