// What samples of the host side need, and devices of other vendors, which are not recorded.
#include <fmt/format.h>

#include <array>
#include <cerrno>

#include "record/preflight/checks.h"

namespace warpscope::record::preflight {
namespace {

constexpr unsigned kSysPtrace = 19;  // CAP_SYS_PTRACE

void CheckPtrace(const Context& c, Checks& checks) {
  const std::string scope = FirstLineOf(c.system, "/proc/sys/kernel/yama/ptrace_scope");
  const bool may = HasCapability(c.system, kSysPtrace).value_or(false);
  if (scope == "3" || (scope == "2" && !may)) {
    checks.Warn("ptrace", fmt::format("ptrace_scope is {}: the stacks of the program cannot be read", scope),
                scope == "3" ? "it can only be lowered at boot" : "sudo sysctl kernel.yama.ptrace_scope=1");
  } else {
    checks.Ok("ptrace",
              scope.empty() ? "not limited" : fmt::format("ptrace_scope is {}: own children may be read", scope));
  }
}

struct Vendor {
  std::string_view pci, node, name, next;
};
constexpr std::array kVendors = {
    Vendor{"0x1002", "/dev/kfd", "an AMD GPU",
           "rocprofv3 --sys-trace --output-format json -- PROGRAM, or torch.profiler; then: warpscope FILE"},
    Vendor{"0x8086", "", "an Intel GPU",
           "unitrace --chrome-kernel-logging PROGRAM, or torch.profiler; then: warpscope FILE"},
    Vendor{"0x19e5", "/dev/davinci_manager", "an Ascend NPU",
           "msprof --application=PROGRAM, or torch_npu.profiler; then: warpscope FOLDER"},
};

}  // namespace

void CheckHostSamples(const Context& c, Checks& checks) {
  const int error = c.system.PerfEventError();
  const std::string level = FirstLineOf(c.system, "/proc/sys/kernel/perf_event_paranoid");
  const std::string shown = level.empty() ? "" : fmt::format(" (perf_event_paranoid is {})", level);
  if (error == 0) checks.Ok("host_samples", "the kernel allows sampling own programs" + shown);
  else if (error == EACCES || error == EPERM)
    checks.Warn("host_samples", "the kernel forbids sampling" + shown + ": the run will say less of the host side",
                c.container.empty()
                    ? "sudo sysctl kernel.perf_event_paranoid=1"
                    : "give the container CAP_PERFMON, or let its seccomp profile pass perf_event_open");
  else checks.Unknown("host_samples", fmt::format("the kernel has no samples of programs (error {})", error));
  CheckPtrace(c, checks);
}

void CheckOtherVendors(const Context& c, Checks& checks) {
  std::string names, next;
  for (const Vendor& vendor : kVendors) {
    const auto found = PciDevices(c.system, vendor.pci);
    const bool has_node = !vendor.node.empty() && c.system.Exists(std::string(vendor.node));
    if (!has_node && (!found || found->empty())) continue;
    names += (names.empty() ? "" : ", ") + std::string(vendor.name);
    if (next.empty()) next = vendor.next;
  }
  if (names.empty()) {
    checks.Ok("other_vendor", "no AMD, Intel or Ascend device is seen");
    return;
  }
  const std::string evidence =
      fmt::format("there is {}: warpscope records NVIDIA devices only, and opens what the other tools record", names);
  // Beside an NVIDIA GPU it is a remark: many processors have graphics of their own.
  if (c.root_failure.empty()) checks.Ok("other_vendor", evidence);
  else checks.Warn("other_vendor", evidence, next);
}

}  // namespace warpscope::record::preflight
