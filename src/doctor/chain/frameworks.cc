// frameworks: for what each installed framework was built, and whether that fits the devices and the driver here.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

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

// The oldest CUDA that compiles binaries which run on a major capability, for those where frameworks are met that are
// older (release notes of CUDA); "" for all before.
std::string_view CudaForMajor(int major) {
  return major == 11 ? "13.0" : major >= 10 ? "12.8" : major == 9 ? "11.8" : major == 8 ? "11.0" : "";
}

std::string Title(const Framework& framework) {
  return framework.version.empty() ? framework.title : fmt::format("{} {}", framework.title, framework.version);
}

// The oldest driver for each CUDA: minor versions need no newer one (CUDA Compatibility, "Minor Version
// Compatibility").
std::optional<int> CudaOfDriver(const Machine& machine) {
  if (const auto told = MajorOf(machine.driver_cuda)) return told;
  const std::string& driver = machine.nvidia_version.empty() ? machine.driver_version : machine.nvidia_version;
  const auto major = MajorOf(driver);
  if (!major) return std::nullopt;
  constexpr int kCuda13 = 580, kCuda12 = 525, kCuda11 = 450;
  return *major >= kCuda13 ? 13 : *major >= kCuda12 ? 12 : *major >= kCuda11 ? 11 : 10;
}

// What installs a build for GPUs; "" if only the framework's own pages tell. `capability` of the device, 0 if unknown.
std::string PackageOf(const Framework& framework, const Machine& machine, int capability = 0) {
  if (framework.id != "torch") return framework.package;
  const Vendor vendor = machine.MainVendor();
  const std::string pip = "pip install torch --index-url https://download.pytorch.org/whl/";
  if (vendor == Vendor::kAmd) return pip + "rocm6.4 (or the one of your ROCm)";
  if (vendor == Vendor::kIntel) return pip + "xpu";
  if (vendor == Vendor::kAscend) return "pip install torch torch-npu";
  // Wheels of cu128 and later have no kernels for what is older than Turing (PyTorch's release notes, 2.8).
  constexpr int kTuring = 75;
  const auto cuda = CudaOfDriver(machine);
  const bool is_old = capability != 0 && capability < kTuring;
  if (cuda && *cuda < 12) return pip + "cu118";
  if (is_old) return pip + "cu126";
  return pip + "cu128" + (cuda ? "" : " (or the one for your driver)");
}

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
  int capability = 0;
  for (const Gpu& gpu : machine.gpus) {
    if (gpu.compute_major && gpu.compute_minor) capability = *gpu.compute_major * 10 + *gpu.compute_minor;
  }
  if (const std::string package = PackageOf(framework, machine, capability); !package.empty())
    return "install the build for GPUs: " + package;
  return fmt::format("install the {} build of {}", Device(machine.MainVendor()), framework.title);
}

// The device is older than everything the framework has kernels for.
bool IsOlderThanAll(const Framework& framework, int capability) {
  if (framework.least) return capability < *framework.least;
  bool any = false;
  for (const std::string& text : framework.archs) {
    const auto arch = ArchOf(text);
    if (!arch) continue;
    any = true;
    if (arch->capability <= capability) return false;
  }
  return any;
}

std::string NextFor(const Machine& machine, const Framework& framework, const Gpu& gpu) {
  const int major = *gpu.compute_major, minor = *gpu.compute_minor;
  if (IsOlderThanAll(framework, major * 10 + minor))
    return fmt::format(
        "the device is older than what this build supports: install an older one that lists sm_{}{}, or build it from "
        "source with a toolkit that knows it (CUDA 12.x does from sm_50 on, 11.x from sm_35); driver and toolkit are "
        "not the cause",
        major, minor);
  const std::string package = PackageOf(framework, machine);
  return fmt::format(
      "install a build for CUDA {} or newer{}, and rebuild other extensions; driver and toolkit are not the cause",
      CudaFor(major, minor), package.empty() ? "" : ": " + package);
}

// What the framework has kernels for, in its own words.
std::string Supported(const Framework& framework) {
  const auto version = [](int capability) { return fmt::format("{}.{}", capability / 10, capability % 10); };
  if (!framework.archs.empty()) return "has kernels for " + ArchList(framework.archs);
  if (framework.least && framework.most)
    return fmt::format("supports the compute capabilities {} to {}", version(*framework.least),
                       version(*framework.most));
  return fmt::format("supports compute capability {} and newer", version(*framework.least));
}

// By the range that the framework tells itself: newer devices of the same major capability run its binaries.
Fit FitOfRange(const Framework& framework, int major, int minor) {
  if (framework.least && major * 10 + minor < *framework.least) return Fit::kNone;
  if (framework.most && major > *framework.most / 10) return Fit::kNone;
  return framework.least || framework.most ? Fit::kBinary : Fit::kUnknown;
}

// By the CUDA that it was built with, where no list tells: an older compiler does not know the device.
bool BuiltTooEarly(const Framework& framework, const Gpu& gpu, const Machine& machine, const std::string& id,
                   Steps& steps) {
  const std::string_view first = CudaForMajor(*gpu.compute_major);
  if (first.empty() || framework.cuda.find('.') == std::string::npos || CompareVersions(framework.cuda, first) >= 0)
    return false;
  const std::string evidence =
      fmt::format("{} was built with CUDA {}, and {} is sm_{}{}, for which CUDA {} is the first that makes kernels",
                  Title(framework), framework.cuda, gpu.Label(), *gpu.compute_major, *gpu.compute_minor, first);
  const std::string next = NextFor(machine, framework, gpu);
  // From 2.0 on PyTorch's wheels hold no PTX for what was not known; before, and in others, the driver may compile.
  constexpr int kBlackwell = 10;
  if (framework.id == "torch" && *gpu.compute_major >= kBlackwell)
    steps.Fail(id, evidence + ": the first kernel ends with \"no kernel image\", though is_available() says yes", next);
  else steps.Warn(id, evidence + ": it runs only if it holds PTX, and is slow at first", next);
  return true;
}

// Devices that no kernel of the framework runs on; true if a step was added.
bool Architectures(const Machine& machine, const Framework& framework, const std::string& id, Steps& steps) {
  for (const Gpu& gpu : machine.gpus) {
    if (gpu.is_part || gpu.vendor != Vendor::kNvidia || !gpu.compute_major || !gpu.compute_minor) continue;
    const int major = *gpu.compute_major, minor = *gpu.compute_minor;
    const Fit by_list = FitOf(framework.archs, major, minor);
    const Fit fit = by_list == Fit::kUnknown ? FitOfRange(framework, major, minor) : by_list;
    if (fit == Fit::kUnknown) {
      if (BuiltTooEarly(framework, gpu, machine, id, steps)) return true;
      continue;
    }
    if (fit == Fit::kNone) {
      steps.Fail(id,
                 fmt::format("{} {}, and {} is sm_{}{}: the first one ends with \"no kernel image\", though "
                             "is_available() says yes",
                             Title(framework), Supported(framework), gpu.Label(), major, minor),
                 NextFor(machine, framework, gpu));
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
  const auto needs = MajorOf(framework.cuda), has = offered.empty() ? CudaOfDriver(machine) : MajorOf(offered);
  if (!needs || !has || *needs <= *has) return false;
  if (offered.empty())
    offered = fmt::format("no more than {} (it is {})", *has,
                          machine.nvidia_version.empty() ? machine.driver_version : machine.nvidia_version);
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
  const bool may_be_cuda =
      framework.build == Build::kCuda || (framework.build == Build::kUnknown && (framework.least || framework.most));
  if (may_be_cuda && Architectures(machine, framework, id, steps)) return;
  std::string text = Title(framework);
  if (framework.build != Build::kUnknown)
    text += fmt::format(", for {}{}", NameOfBuild(framework.build), framework.cuda.empty() ? "" : " " + framework.cuda);
  if (!framework.archs.empty()) text += ", kernels for " + ArchList(framework.archs);
  if (framework.is_available == false) {
    steps
        .Fail(id, text + "; it says that no GPU is available",
              framework.build == Build::kUnknown
                  ? "see whether it is a build for the CPU: python -c 'import torch; print(torch.version.cuda)'"
                  : "see what keeps CUDA from starting: warpscope doctor there, or give what nvidia-smi and "
                    "ls -l /dev/nvidia* print")
        .follows_chain = true;
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
