// What hardware counters will need, and modes of devices: nothing here keeps a timeline from being recorded.
#include <fmt/format.h>

#include "record/preflight/checks.h"
#include "record/visible_devices.h"

namespace warpscope::record::preflight {
namespace {

constexpr unsigned kSysAdmin = 21;  // CAP_SYS_ADMIN of linux/capability.h

std::string CounterNext(const Context& c) {
  if (c.container == "kubernetes") return "in the pod's container: securityContext: {capabilities: {add: [SYS_ADMIN]}}";
  if (c.container == "docker" || c.container == "podman")
    return fmt::format("start the container with: {} run --cap-add=SYS_ADMIN ...", c.container);
  if (!c.container.empty()) return "give the container CAP_SYS_ADMIN, or lift the limit on the host";
  return "run as root, or for all: echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' | sudo tee "
         "/etc/modprobe.d/nvidia-profiling.conf, and restart";
}

void CheckPermission(const Context& c, Checks& checks) {
  const std::string limit = ValueIn(c.system, "/proc/driver/nvidia/params", "RmProfilingAdminOnly", ':');
  const auto admin = HasCapability(c.system, kSysAdmin);
  if (limit == "0") {
    checks.Ok("counter_permission", "the driver lets every user read counters");
  } else if (limit.empty()) {
    checks.Unknown("counter_permission", "the driver does not tell who may read counters").because_of = c.root_failure;
  } else if (admin.value_or(false)) {
    checks.Ok("counter_permission", "only administrators may read counters (RmProfilingAdminOnly: 1), and this is one");
  } else {
    checks.Warn("counter_permission",
                "only administrators may read hardware counters (RmProfilingAdminOnly: 1), and this process is none; "
                "timelines are recorded all the same",
                CounterNext(c));
  }
}

// A service that watches the device's counters holds them for itself.
void CheckDcgm(const Context& c, Checks& checks) {
  constexpr std::string_view kPort = ":15B3";  // 5555, where the service listens
  std::string seen;
  for (const std::string& name : c.system.List("/proc")) {
    if (!NumberIn(name)) continue;
    const std::string program = FirstLineOf(c.system, "/proc/" + name + "/comm");
    if (program == "nv-hostengine" || program == "dcgm-exporter") seen = program + " (process " + name + ")";
    if (!seen.empty()) break;
  }
  for (const std::string& line : Split(c.system.Read("/proc/net/tcp", 1u << 20).value_or(""), '\n')) {
    const std::vector<std::string> fields = Split(line, ' ');
    constexpr std::string_view kListens = "0A";
    if (seen.empty() && fields.size() > 3 && fields[1].ends_with(kPort) && fields[3] == kListens)
      seen = "a service on port 5555";
  }
  if (seen.empty()) {
    checks.Ok("dcgm", "no DCGM is seen that could hold the counters");
    return;
  }
  checks.Warn("dcgm", seen + " of DCGM runs: while it watches profiling metrics, nobody else reads counters",
              "dcgmi profiling --pause; afterwards: dcgmi profiling --resume");
}

std::string Numbers(const DeviceState& devices, bool (*has)(const device::GpuFacts&)) {
  std::string list;
  for (const device::GpuFacts& gpu : devices.gpus) {
    if (has(gpu)) list += (list.empty() ? "" : ", ") + std::to_string(gpu.index);
  }
  return list;
}

}  // namespace

std::optional<bool> HasCapability(const System& system, unsigned number) {
  const std::string mask = ValueIn(system, "/proc/self/status", "CapEff", ':');
  const size_t digit = number / 4;
  if (mask.size() <= digit) return std::nullopt;
  const char c = mask[mask.size() - 1 - digit];
  const int value = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  if (value < 0) return std::nullopt;
  return (value >> (number % 4) & 1) != 0;
}

void CheckCounters(const Context& c, Checks& checks) {
  std::vector<Check> own;
  Checks to(&own);
  CheckPermission(c, to);
  if (!c.request.before_run) CheckDcgm(c, to);
  for (Check& check : own) {
    Check& added = check.state == CheckState::kWarning   ? checks.Warn(check.id, check.evidence, check.next)
                   : check.state == CheckState::kUnknown ? checks.Unknown(check.id, check.evidence)
                                                         : checks.Ok(check.id, check.evidence);
    added.because_of = check.because_of;
    added.concerns_timeline = false;
  }
}

void CheckDeviceModes(const Context& c, Checks& checks) {
  if (c.devices.gpus.empty()) {
    checks.Unknown("device_modes", "no device tells its modes").because_of = c.root_failure;
    return;
  }
  const std::string barred =
      Numbers(c.devices, [](const device::GpuFacts& gpu) { return gpu.compute_mode == "prohibited"; });
  const std::string shared =
      Numbers(c.devices, [](const device::GpuFacts& gpu) { return gpu.virtualization == "vgpu"; });
  const std::string split =
      Numbers(c.devices, [](const device::GpuFacts& gpu) { return gpu.mig_mode.value_or(false); });
  const std::string asleep =
      Numbers(c.devices, [](const device::GpuFacts& gpu) { return gpu.persistence_mode == false; });
  const std::optional<std::string> wanted = c.system.Variable("CUDA_VISIBLE_DEVICES");
  if (!barred.empty())
    checks.Fail("compute_mode", "device " + barred + ": computing is prohibited", "sudo nvidia-smi -c DEFAULT");
  else checks.Ok("compute_mode", "every device may compute");
  if (VisibleDevices(c.devices.gpus, wanted).empty())
    checks.Warn("visible_devices", fmt::format("CUDA_VISIBLE_DEVICES={} hides every device from the program", *wanted),
                "unset CUDA_VISIBLE_DEVICES");
  else checks.Ok("visible_devices", wanted ? "CUDA_VISIBLE_DEVICES=" + *wanted : "all");
  if (!shared.empty())
    checks.Warn("vgpu",
                "device " + shared + " is virtual: its host must allow profiling, which is off unless it was asked for",
                "let the administrator set enable_profiling=1 for this virtual GPU");
  if (!split.empty())
    checks.Warn("mig", "device " + split + " is split (MIG): readings are those of the whole device", "")
        .concerns_timeline = false;
  else checks.Ok("mig", "no device is split");
  if (asleep.empty()) checks.Ok("persistence_mode", "the driver stays loaded between programs");
  else
    checks
        .Warn("persistence_mode",
              "device " + asleep + ": the driver is loaded anew for every program, so its first call takes seconds",
              "sudo nvidia-smi -pm 1")
        .concerns_timeline = false;
}

}  // namespace warpscope::record::preflight
