#include "cli/record_once.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "record/control.h"
#include "record/host/host_sampler.h"
#include "record/launch.h"
#include "record/machine_recorder.h"
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
    std::error_code ignored;
    std::filesystem::remove_all(launch.run_folder, ignored);  // made a moment ago; holds nothing of worth
    return ended.status();
  }
  return RecordedRun{launch.run_folder, ended.value().exit_code};
}

}  // namespace warpscope::cli
