// frameworks: for what each installed framework was built, and whether that fits the devices and the driver here.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "doctor/checks.h"
#include "doctor/words.h"

namespace warpscope::doctor {
namespace {

struct Arch {
  bool is_ptx = false, is_exact = false;  // compute_90; sm_90a runs on 9.0 only
  int capability = 0;                     // 90, 120
};

std::optional<Arch> ArchOf(std::string_view text) {
  Arch arch;
  for (const std::string_view start : {"sm_", "compute_"}) {
    if (!text.starts_with(start)) continue;
    arch.is_ptx = start == "compute_";
    text.remove_prefix(start.size());
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), arch.capability);
    if (error != std::errc() || arch.capability < 10) return std::nullopt;
    arch.is_exact = end != text.data() + text.size() && *end == 'a';
    return arch;
  }
  return std::nullopt;
}

enum class Fit : uint8_t { kBinary, kPtx, kNone, kUnknown };

// Binaries run on the same major capability from their minor one up, PTX on its capability and all newer ones (CUDA C++
// Programming Guide, "Binary Compatibility", "PTX Compatibility").
Fit FitOf(const std::vector<std::string>& archs, int major, int minor) {
  Fit fit = Fit::kUnknown;
  for (const std::string& text : archs) {
    const auto arch = ArchOf(text);
    if (!arch) continue;
    const int of_major = arch->capability / 10, of_minor = arch->capability % 10;
    if (fit == Fit::kUnknown) fit = Fit::kNone;
    if (arch->is_exact) {
      if (of_major == major && of_minor == minor && !arch->is_ptx) return Fit::kBinary;
      continue;
    }
    if (!arch->is_ptx && of_major == major && of_minor <= minor) return Fit::kBinary;
    if (arch->is_ptx && arch->capability <= major * 10 + minor) fit = Fit::kPtx;
  }
  return fit;
}

std::string ArchList(const std::vector<std::string>& archs) { return Joined(archs, 12); }

// The oldest CUDA that compiles for a capability (release notes of CUDA).
std::string_view CudaFor(int major, int minor) {
  if (major == 11) return "13.0";
  if (major >= 10) return minor == 0 ? "12.8" : "12.9";
  if (major == 9 || (major == 8 && minor == 9)) return "11.8";
  return "11.1";
}

std::string Title(const Framework& framework) { return fmt::format("{} {}", framework.title, framework.version); }

std::string_view Device(Vendor vendor) { return vendor == Vendor::kAny ? "GPU" : NameOf(vendor); }

// Whether the devices here are of another kind than the framework was built for.
bool IsOtherVendor(Build build, Vendor vendor) {
  return (vendor == Vendor::kNvidia && (build == Build::kRocm || build == Build::kXpu)) ||
         (vendor == Vendor::kAmd && (build == Build::kCuda || build == Build::kXpu)) ||
         (vendor == Vendor::kIntel && (build == Build::kCuda || build == Build::kRocm));
}

std::string_view NameOfBuild(Build build) {
  switch (build) {
    case Build::kCpu: return "the CPU";
    case Build::kCuda: return "CUDA";
    case Build::kRocm: return "ROCm";
    case Build::kXpu: return "Intel GPUs";
    case Build::kNpu: return "Ascend";
    case Build::kUnknown: break;
  }
  return "unknown";
}

std::string CpuFix(const Framework& framework, const Machine& machine) {
  if (!framework.package.empty()) return "install the build for GPUs: " + framework.package;
  return fmt::format("install the {} build of {}", Device(machine.MainVendor()), framework.title);
}

// Devices that no kernel of the framework runs on; true if a step was added.
bool Architectures(const Machine& machine, const Framework& framework, const std::string& id, Steps& steps) {
  for (const Gpu& gpu : machine.gpus) {
    if (gpu.is_part || gpu.vendor != Vendor::kNvidia || !gpu.compute_major || !gpu.compute_minor) continue;
    const int major = *gpu.compute_major, minor = *gpu.compute_minor;
    const Fit fit = FitOf(framework.archs, major, minor);
    if (fit == Fit::kNone) {
      const std::string_view cuda = CudaFor(major, minor);
      steps.Fail(
          id,
          fmt::format("{} has kernels for {}, and {} is sm_{}{}: the first one ends with \"no kernel image\", though "
                      "is_available() says yes",
                      Title(framework), ArchList(framework.archs), gpu.Label(), major, minor),
          fmt::format("install a build for CUDA {} or newer{}, and rebuild other extensions; driver and toolkit are "
                      "not the cause",
                      cuda, framework.package.empty() ? "" : ": " + framework.package));
      return true;
    }
    if (fit == Fit::kPtx) {
      steps.Warn(
          id,
          fmt::format("{} has no binary kernels for {} (sm_{}{}), only PTX ({}): the first run compiles them and is "
                      "slow",
                      Title(framework), gpu.Label(), major, minor, ArchList(framework.archs)),
          "install a build that lists this architecture; meanwhile keep the cache: CUDA_CACHE_MAXSIZE=4294967296");
      return true;
    }
  }
  return false;
}

// A CUDA that the driver is too old for; true if a step was added.
bool DriverTooOld(const Machine& machine, const Framework& framework, const std::string& id, Steps& steps) {
  std::string offered = machine.driver_cuda;
  if (offered.empty() && machine.cuda && machine.cuda->version)
    offered = fmt::format("{}.{}", *machine.cuda->version / 1000, *machine.cuda->version % 1000 / 10);
  const auto needs = MajorOf(framework.cuda), has = MajorOf(offered);
  if (!needs || !has || *needs <= *has) return false;
  const Library* driver = ChosenLibrary(machine, "libcuda.so.1");
  if (driver != nullptr && driver->path.find("compat") != std::string::npos) return false;
  steps.Fail(
      id, fmt::format("{} was built for CUDA {}, and the driver offers {}", Title(framework), framework.cuda, offered),
      fmt::format("update the driver, or install a build for CUDA {}", *has));
  return true;
}

void Check(const Machine& machine, const Framework& framework, Steps& steps) {
  const std::string id = "framework_" + framework.id;
  const Vendor vendor = machine.MainVendor();
  if (framework.build == Build::kCpu) {
    const std::string evidence = fmt::format("{} is a build for the CPU{}: it never uses a GPU", Title(framework),
                                             framework.id == "torch" ? " (torch.version.cuda is None)" : "");
    if (vendor == Vendor::kAny && machine.is_live) steps.Warn(id, evidence, CpuFix(framework, machine));
    else steps.Fail(id, evidence, CpuFix(framework, machine) + "; the driver is not the cause");
    return;
  }
  if (IsOtherVendor(framework.build, vendor)) {
    steps.Fail(id,
               fmt::format("{} was built for {}, the device here is of {}", Title(framework),
                           NameOfBuild(framework.build), NameOf(vendor)),
               fmt::format("install the build for {}", NameOf(vendor)));
    return;
  }
  if (framework.build == Build::kCuda && DriverTooOld(machine, framework, id, steps)) return;
  if (framework.build == Build::kCuda && Architectures(machine, framework, id, steps)) return;
  std::string text = Title(framework);
  if (framework.build != Build::kUnknown)
    text += fmt::format(", for {}{}", NameOfBuild(framework.build), framework.cuda.empty() ? "" : " " + framework.cuda);
  if (!framework.archs.empty()) text += ", kernels for " + ArchList(framework.archs);
  if (framework.is_available == false) {
    steps.Fail(id, text + "; it says that no GPU is available", "");
    return;
  }
  steps.Ok(id, text);
}

}  // namespace

void CheckFrameworks(const Machine& machine, Steps& steps) {
  if (!machine.frameworks) return;
  for (const Framework& framework : *machine.frameworks) Check(machine, framework, steps);
  if (machine.frameworks->empty() && machine.is_live)
    steps.Unknown("frameworks", machine.python.empty() ? "not found: there is no Python"
                                                       : "not found: none is installed in " + machine.python);
}

}  // namespace warpscope::doctor
