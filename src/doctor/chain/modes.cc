// compute_mode, mig, mps, persistence: how devices are shared and kept ready.
#include <fmt/format.h>

#include "doctor/checks.h"
#include "doctor/words.h"

namespace warpscope::doctor {
namespace {

std::vector<std::string> Where(const Machine& machine, bool (*has)(const Gpu& gpu)) {
  std::vector<std::string> labels;
  for (const Gpu& gpu : machine.gpus) {
    if (!gpu.is_part && gpu.vendor == Vendor::kNvidia && has(gpu)) labels.push_back(gpu.Label());
  }
  return labels;
}

bool Told(const Machine& machine, ReadingName name) {
  for (const Gpu& gpu : machine.gpus) {
    if (gpu.Number(name) || !gpu.Text(name).empty()) return true;
  }
  return false;
}

}  // namespace

void CheckModes(const Machine& machine, Steps& steps) {
  const auto barred =
      Where(machine, [](const Gpu& gpu) { return Holds(gpu.Text(ReadingName::kComputeMode), "prohibited"); });
  const auto single = Where(machine, [](const Gpu& gpu) {
    const std::string mode = gpu.Text(ReadingName::kComputeMode);
    return Holds(mode, "exclusive") || Holds(mode, "one process");
  });
  if (!barred.empty())
    steps.Fail("compute_mode", Joined(barred) + ": computing is prohibited", "sudo nvidia-smi -c DEFAULT");
  else if (!single.empty() && machine.mps_runs != true)
    steps.Warn("compute_mode",
               Joined(single) + ": one process at a time (a second one fails with \"device unavailable\")",
               "fine for one job a device; otherwise: sudo nvidia-smi -c DEFAULT");
  else if (Told(machine, ReadingName::kComputeMode)) steps.Ok("compute_mode", "several programs may compute");

  const auto split = Where(machine, [](const Gpu& gpu) { return gpu.Is(ReadingName::kMigMode); });
  const auto pending = Where(machine, [](const Gpu& gpu) {
    const auto now = gpu.Number(ReadingName::kMigMode), then = gpu.Number(ReadingName::kMigModePending);
    return now && then && *now != *then;
  });
  size_t parts = 0;
  for (const Gpu& gpu : machine.gpus) parts += gpu.is_part ? 1 : 0;
  if (!pending.empty())
    steps.Warn("mig", Joined(pending) + ": a change of the MIG mode waits for a reset",
               "sudo nvidia-smi --gpu-reset -i ID");
  else if (!split.empty() && parts == 0 && !machine.is_live)
    steps.Warn("mig", Joined(split) + ": MIG is on and no instance is listed: programs find no device",
               "make one: sudo nvidia-smi mig -cgi 0 -C; or turn MIG off: sudo nvidia-smi -mig 0");
  else if (!split.empty())
    steps.Ok("mig", fmt::format(
                        "{}: split into instances{}; a program gets one of them, and utilisation is not told under MIG",
                        Joined(split), parts > 0 ? fmt::format(" ({} listed)", parts) : ""));
  else if (Told(machine, ReadingName::kMigMode)) steps.Ok("mig", "no device is split");

  if (machine.mps_runs == true) steps.Ok("mps", "the MPS control daemon runs: programs share contexts through it");
  else if (!machine.Variable("CUDA_MPS_PIPE_DIRECTORY").empty() && machine.mps_runs == false)
    steps.Warn("mps", "CUDA_MPS_PIPE_DIRECTORY is set and no MPS control daemon runs",
               "unset CUDA_MPS_PIPE_DIRECTORY, or start it: nvidia-cuda-mps-control -d");

  const auto asleep = Where(machine, [](const Gpu& gpu) { return gpu.Number(ReadingName::kPersistenceMode) == 0.0; });
  const bool kept = machine.persistence_daemon && machine.persistence_daemon->is_running;
  if (machine.is_windows || machine.is_wsl) return;
  if (!asleep.empty() && !kept)
    steps.Warn("persistence",
               Joined(asleep) + ": the driver is loaded anew for every program, whose first call then takes seconds",
               "sudo nvidia-smi -pm 1, or run nvidia-persistenced");
  else if (Told(machine, ReadingName::kPersistenceMode))
    steps.Ok("persistence", "the driver stays loaded between programs");
}

}  // namespace warpscope::doctor
