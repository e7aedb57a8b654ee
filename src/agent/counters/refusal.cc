#include "agent/counters/refusal.h"

#include <stdio.h>

#include "agent/counters/perf.h"

namespace warpscope::agent {
namespace {

// The answers are of cupti_result.h.
const char* ReasonOf(int answer) {
  switch (answer) {
    case perf::kInsufficientPrivileges:
    case perf::kVirtualInsufficientPrivileges:
      return "the driver gives counters to administrators alone. Bare metal: options nvidia "
             "NVreg_RestrictProfilingToAdminUsers=0 in /etc/modprobe.d/nvidia.conf, then reboot. Docker: "
             "--cap-add=SYS_ADMIN. Kubernetes: securityContext.capabilities.add: [SYS_ADMIN]";
    case perf::kMigNotSupported:
      return "a MIG slice cannot be sampled. Use a whole device, or a compute instance that spans its GPU instance";
    case perf::kVirtualDeviceNotSupported:
      return "the virtual GPU has no profiling. Its host enables it: vgpu plugin parameter enable_profiling=1";
    case perf::kConfidentialNotSupported: return "confidential computing keeps counters closed";
    case perf::kCmpNotSupported: return "this mining processor has no counters";
    case perf::kSliNotSupported: return "switch SLI off";
    case perf::kWslNotSupported: return "enable developer mode of the driver in Windows: NVIDIA control panel";
    case perf::kOutOfMemory: return "no memory for its buffers";
    case perf::kNotSupported:
    case perf::kNotCompatible: return "this device or driver cannot do it";
    default: return "another profiler may hold the counters: end it, or pause DCGM's: dcgmi profile --pause";
  }
}

}  // namespace

void ExplainRefusal(const char* what, const char* call, int answer, char* text, size_t size) {
  snprintf(text, size, "%s: %s (%s answered %d)", what, ReasonOf(answer), call, answer);
}

}  // namespace warpscope::agent
