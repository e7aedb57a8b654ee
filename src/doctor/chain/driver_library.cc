// driver_library: would a program load the driver's library, the right one, in the kernel driver's version.
#include <fmt/format.h>

#include <algorithm>

#include "doctor/checks.h"
#include "doctor/inputs.h"
#include "doctor/words.h"

namespace warpscope::doctor {
namespace {

std::string_view Problem(FileState state) {
  switch (state) {
    case FileState::kWhole: break;
    case FileState::kBrokenLink: return "a link to a file that is not there";
    case FileState::kNotElf: return "no library (not ELF)";
    case FileState::kTooShort: return "too short to be a library";
    case FileState::kOtherProcessor: return "a library for another processor";
  }
  return "";
}

bool IsStub(const std::string& path) { return path.find("/stubs/") != std::string::npos; }
bool IsCompat(const std::string& path) { return path.find("compat") != std::string::npos; }

std::string FixOfPlace(const Library& library) {
  const std::string folder = library.path.substr(0, library.path.rfind('/'));
  if (library.place == "loaded")
    return fmt::format("take {} out of LD_LIBRARY_PATH, or of the RPATH of that program", folder);
  if (library.place == "LD_LIBRARY_PATH") return fmt::format("take {} out of LD_LIBRARY_PATH", folder);
  return fmt::format("remove {} or reinstall the package that owns it, then: sudo ldconfig", library.path);
}

void Mismatch(const Machine& machine, const std::string& library, Steps& steps) {
  // The module's file is what a package holds; it was not loaded where the versions differ.
  const std::string kernel = machine.nvidia_version.empty() ? "another version" : "version " + machine.nvidia_version;
  const std::string& known = library.empty() ? machine.package_version : library;
  const std::string evidence =
      known.empty() ? fmt::format("the driver's libraries and the kernel's driver{} are of different versions",
                                  machine.nvidia_version.empty() ? "" : " (" + kernel + ")")
                    : fmt::format("the driver's libraries are of version {}, the kernel's driver is {}{}", known,
                                  machine.nvidia_version.empty() ? "of " : "", kernel);
  if (machine.container.empty())
    steps.Fail(
        "driver_library", evidence,
        "restart the machine (or reload the modules when nothing uses them); if both still differ, reinstall the "
        "driver's packages in one version, and hold them back from automatic updates");
  else
    steps.Fail("driver_library", evidence,
               RestartContainer(machine.container) +
                   ", so that the host's libraries are mounted anew; do not install a "
                   "driver inside of the image");
}

void Nvidia(const Machine& machine, Steps& steps) {
  const auto mismatch = [&](const std::string& library) {
    return !library.empty() && library.find('.') != std::string::npos && !machine.nvidia_version.empty() &&
           CompareVersions(library, machine.nvidia_version) != 0;
  };
  const bool says_mismatch = machine.management && Holds(machine.management->words, "version mismatch");
  const Library* chosen = ChosenLibrary(machine, "libcuda.so.1");
  if (chosen != nullptr && chosen->state != FileState::kWhole) {
    steps
        .Fail("driver_library", fmt::format("{} ({}) is {}", chosen->path, chosen->place, Problem(chosen->state)),
              FixOfPlace(*chosen))
        .is_own = true;
    return;
  }
  if (chosen != nullptr && IsStub(chosen->path)) {
    steps
        .Fail("driver_library",
              fmt::format("{} ({}) is a stub: it exists for linking and drives nothing", chosen->path, chosen->place),
              FixOfPlace(*chosen))
        .is_own = true;
    return;
  }
  if (machine.cuda && !machine.cuda->loaded && !machine.cuda->problem.empty() && chosen != nullptr) {
    steps
        .Fail("driver_library",
              fmt::format("{} ({}) cannot be loaded: {}", chosen->path, chosen->place, machine.cuda->problem),
              FixOfPlace(*chosen))
        .is_own = true;
    return;
  }
  if (machine.is_wsl && chosen != nullptr && !Holds(chosen->path, "/wsl/")) {
    const std::string evidence =
        fmt::format("{} ({}) comes before Windows' own in /usr/lib/wsl/lib: a Linux driver inside WSL", chosen->path,
                    chosen->place);
    const std::string next =
        "remove the driver inside WSL (sudo apt-get purge 'libnvidia-*' 'nvidia-*', then sudo ldconfig); a toolkit "
        "without a driver is cuda-toolkit";
    if (machine.management && !machine.management->works) steps.Fail("driver_library", evidence, next);
    else steps.Warn("driver_library", evidence, next);
    return;
  }
  if (chosen != nullptr && !IsCompat(chosen->path) && mismatch(chosen->version))
    return Mismatch(machine, chosen->version, steps);
  if (says_mismatch || mismatch(machine.library_version)) return Mismatch(machine, machine.library_version, steps);
  if (machine.management && machine.management->works && !IsMixed(machine) && mismatch(machine.driver_version)) {
    steps.Fail(
        "driver_library",
        fmt::format("NVML is of version {}, the kernel's driver is {}", machine.driver_version, machine.nvidia_version),
        "see what runs now: cat /proc/driver/nvidia/version; if both still differ, restart the machine; if not, "
        "the kernel's log is of an earlier start: give dmesg of this one");
    return;
  }
  const bool works = machine.management && machine.management->works;
  if (!works && mismatch(machine.package_version)) return Mismatch(machine, machine.package_version, steps);
  if (chosen != nullptr) {
    steps.Ok("driver_library", fmt::format("{} ({}){}", chosen->path, chosen->place,
                                           IsCompat(chosen->path) ? ", a forward-compatibility package" : ""));
    return;
  }
  if (!machine.libraries) {
    if (machine.is_windows || (machine.management && machine.management->works)) return;
    steps.Unknown("driver_library", "nothing tells which libcuda.so.1 a program would load",
                  "give what ldconfig -p prints there: --from FILE");
    return;
  }
  if (machine.is_wsl) {
    steps.Fail("driver_library", "libcuda.so.1 is in no folder that the loader searches",
               "export LD_LIBRARY_PATH=/usr/lib/wsl/lib:$LD_LIBRARY_PATH");
    return;
  }
  steps.Fail("driver_library", "libcuda.so.1 is in no folder that the loader searches",
             machine.container.empty()
                 ? "install the driver's libraries in the version of the kernel's, then: sudo ldconfig"
                 : LibraryFlags(machine.container));
}

}  // namespace

void CheckDriverLibrary(const Machine& machine, Steps& steps) {
  const Stack* stack = StackOf(machine.MainVendor());
  if (stack == nullptr) return Nvidia(machine, steps);
  if (!machine.libraries) return;
  for (const Library& library : *machine.libraries) {
    for (const std::string_view start : stack->libraries) {
      if (!library.name.starts_with(start)) continue;
      if (library.state == FileState::kWhole)
        return static_cast<void>(steps.Ok("driver_library", fmt::format("{} ({})", library.path, library.place)));
      return static_cast<void>(steps.Fail(
          "driver_library", fmt::format("{} ({}) is {}", library.path, library.place, Problem(library.state)),
          FixOfPlace(library)));
    }
  }
  if (machine.is_live)
    steps.Fail("driver_library", fmt::format("{} is in no folder that the loader searches", stack->libraries.front()),
               std::string(stack->library_install));
}

}  // namespace warpscope::doctor
