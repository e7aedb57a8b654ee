// vendor_health: what the vendor's own tool calls unhealthy, in its words.
#include "doctor/checks.h"
#include "doctor/words.h"

namespace warpscope::doctor {
namespace {

std::string Next(const Machine& machine, const Gpu& gpu) {
  static_cast<void>(machine);
  const std::string id = gpu.index ? std::to_string(*gpu.index) : "ID";
  switch (gpu.vendor) {
    case Vendor::kAscend:
      return "see what failed: npu-smi info -t health -i " + id + "; the kernel's log: warpscope faults";
    case Vendor::kIntel: return "see what failed: xpu-smi health -d " + id + "; the kernel's log: warpscope faults";
    case Vendor::kAmd: return "see what failed: amd-smi metric -g " + id + "; the kernel's log: warpscope faults";
    case Vendor::kNvidia:
    case Vendor::kAny: break;
  }
  return "see the kernel's log: warpscope faults";
}

}  // namespace

void CheckVendorHealth(const Machine& machine, const Gpu& gpu, Steps& steps) {
  for (const Complaint& one : gpu.complaints) {
    const std::string next = Next(machine, gpu);
    switch (one.grade) {
      case Complaint::Grade::kMinor: steps.Warn("vendor_health", one.words, next); break;
      case Complaint::Grade::kMajor: steps.Fail("vendor_health", one.words, next); break;
      case Complaint::Grade::kCritical:
        steps.Critical("vendor_health", one.words, "take the device out of work; " + next);
        break;
    }
  }
}

}  // namespace warpscope::doctor
