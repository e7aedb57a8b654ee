#include "record/preflight.h"

#include <fmt/format.h>

#include <algorithm>

#include "record/preflight/checks.h"

namespace warpscope::record {

std::string_view NameOf(CheckState state) {
  switch (state) {
    case CheckState::kFailure: return "failure";
    case CheckState::kWarning: return "warning";
    case CheckState::kUnknown: return "unknown";
    case CheckState::kOk: break;
  }
  return "ok";
}

DeviceState DeviceStateOf(const device::Nvml* nvml, const Status& status) {
  DeviceState state;
  state.status = status;
  if (nvml == nullptr) return state;
  state.driver_version = nvml->driver_version();
  state.cuda_version = nvml->cuda_version();
  state.gpus = nvml->gpus();
  return state;
}

std::vector<Check> RunPreflight(const System& system, const DeviceState& devices, const PreflightRequest& request) {
  using namespace preflight;  // NOLINT(google-build-using-namespace): the parts of this function
  std::vector<Check> all;
  Checks checks(&all);
  Context context{
      system, devices, request, ContainerKind(system), IsWsl(system), 0, FindPython(system, request.program), {}, {}};
  const std::string& cuda = devices.cuda_version;
  context.driver_major = static_cast<unsigned>(NumberIn(cuda.substr(0, cuda.find('.'))).value_or(0));
  context.cupti = SearchCupti(system, context.python, context.driver_major);
  CheckDriverLayers(context, checks);
  CheckDriverVersion(context, checks);
  CheckOtherVendors(context, checks);
  CheckDeviceModes(context, checks);
  CheckCupti(context, checks);
  CheckRuntime(context, checks);
  CheckLibraryPath(context, checks);
  CheckOtherTools(context, checks);
  CheckProgram(context, checks);
  CheckOutput(context, checks);
  CheckHostSamples(context, checks);
  CheckCounters(context, checks);
  return all;
}

size_t CountOf(const std::vector<Check>& checks, CheckState state) {
  return static_cast<size_t>(
      std::count_if(checks.begin(), checks.end(), [&](const Check& check) { return check.state == state; }));
}

std::vector<std::string> LinesBeforeRun(const std::vector<Check>& checks) {
  std::vector<std::string> lines;
  for (const CheckState state : {CheckState::kFailure, CheckState::kWarning}) {
    for (const Check& check : checks) {
      if (check.state != state || !check.concerns_timeline || !check.because_of.empty()) continue;
      // The program may have no need of a GPU: what is missing is said, not that something failed.
      const std::string_view head = state == CheckState::kFailure ? "nothing of a GPU can be recorded" : NameOf(state);
      lines.push_back(
          fmt::format("{}: {}{}{}", head, check.evidence, check.next.empty() ? "" : ". Next: ", check.next));
    }
  }
  return lines;
}

}  // namespace warpscope::record
