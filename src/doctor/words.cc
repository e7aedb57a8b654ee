#include "doctor/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace warpscope::doctor {

std::string Plural(size_t count, std::string_view one) {
  const char* const end = count == 1 ? "" : one.ends_with('s') ? "es" : "s";
  return fmt::format("{} {}{}", count, one, end);
}

std::string Joined(const std::vector<std::string>& words, size_t most) {
  std::string text;
  for (size_t i = 0; i < words.size() && i < most; ++i) text += (i > 0 ? ", " : "") + words[i];
  if (words.size() > most) text += fmt::format(" and {} more", words.size() - most);
  return text;
}

std::string Gibibytes(double bytes) {
  constexpr double kMebibyte = 1u << 20, kGibibyte = 1u << 30;
  return bytes < kGibibyte ? fmt::format("{:.0f} MiB", bytes / kMebibyte)
                           : fmt::format("{:.1f} GiB", bytes / kGibibyte);
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;  // std::tolower asks a locale
  return lower;
}

bool Holds(std::string_view text, std::string_view part) { return Lower(text).find(part) != std::string::npos; }

std::string DeviceFlags(const std::string& container) {
  if (container == "kubernetes")
    return "ask for the device in the pod's container: resources: {limits: {nvidia.com/gpu: 1}}";
  if (container == "podman") return "start the container with: podman run --device nvidia.com/gpu=all ...";
  if (container == "apptainer") return "start the container with: apptainer exec --nv ...";
  if (container == "lxc") return "give the container the devices: lxc config device add NAME gpu gpu";
  return "start the container with: docker run --gpus all ... (the host needs the NVIDIA Container Toolkit)";
}

std::string LibraryFlags(const std::string& container) {
  const std::string variable = "NVIDIA_DRIVER_CAPABILITIES=compute,utility";
  if (container == "kubernetes") return "set in the pod's container: " + variable;
  return "start the container with: -e " + variable;
}

std::string RestartContainer(const std::string& container) {
  if (container == "kubernetes") return "delete the pod so that it is started anew";
  return "restart the container";
}

int PcieGeneration(double gt_per_s) {
  constexpr std::array kRates = {2.5, 5.0, 8.0, 16.0, 32.0, 64.0, 128.0};
  for (size_t i = 0; i < kRates.size(); ++i) {
    if (std::fabs(kRates[i] - gt_per_s) < 0.1) return static_cast<int>(i) + 1;
  }
  return 0;
}

const Library* ChosenLibrary(const Machine& machine, std::string_view name) {
  if (!machine.libraries) return nullptr;
  const auto found = std::find_if(machine.libraries->begin(), machine.libraries->end(),
                                  [&](const Library& one) { return one.is_chosen && one.name == name; });
  return found == machine.libraries->end() ? nullptr : &*found;
}

const Stack* StackOf(Vendor vendor) {
  static const std::array<Stack, 3> kStacks = {
      Stack{Vendor::kAmd,
            {"amdgpu"},
            "install the driver (amdgpu-dkms, or a kernel that holds amdgpu), then: sudo modprobe amdgpu",
            {"/dev/kfd", "/dev/dri/renderD"},
            "render and video",
            {"libamdhip64.so", "libhsa-runtime64.so"},
            "install ROCm's runtime: sudo apt install rocm-hip-runtime",
            "rocm-smi or amd-smi"},
      Stack{Vendor::kIntel,
            {"xe", "i915"},
            "use a kernel that drives this device, then: sudo modprobe xe (or i915)",
            {"/dev/dri/renderD"},
            "render",
            {"libze_loader.so"},
            "install Level Zero: sudo apt install libze1 intel-level-zero-gpu",
            "xpu-smi"},
      Stack{Vendor::kAscend,
            {},
            "",
            {"/dev/davinci_manager", "/dev/davinci"},
            "HwHiAiUser",
            {"libascendcl.so"},
            "install CANN and source its set_env.sh",
            "npu-smi"},
  };
  for (const Stack& stack : kStacks) {
    if (stack.vendor == vendor) return &stack;
  }
  return nullptr;
}

}  // namespace warpscope::doctor
