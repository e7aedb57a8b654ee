#include "explain/versions/arch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "explain/text/pattern.h"
#include "explain/text/quantity.h"

namespace warpscope::explain {
namespace {

struct ArchRow {
  int arch;
  std::string_view name;
  std::string_view cuda;  // first release with its code, from the release notes of the CUDA toolkit
};
constexpr ArchRow kArchs[] = {{35, "Kepler", "5.0"},
                              {37, "Kepler, K80", "6.5"},
                              {50, "Maxwell", "6.5"},
                              {52, "Maxwell", "6.5"},
                              {60, "Pascal, P100", "8.0"},
                              {61, "Pascal, GTX 10", "8.0"},
                              {70, "Volta, V100", "9.0"},
                              {75, "Turing, RTX 20, T4", "10.0"},
                              {80, "Ampere, A100", "11.0"},
                              {86, "Ampere, RTX 30", "11.1"},
                              {87, "Orin", "11.4"},
                              {89, "Ada, RTX 40, L4", "11.8"},
                              {90, "Hopper, H100", "11.8"},
                              {100, "Blackwell, B200", "12.8"},
                              {103, "Blackwell, B300", "12.9"},
                              {110, "Thor", "13.0"},
                              {120, "Blackwell, RTX 50", "12.8"},
                              {121, "Blackwell, GB10", "12.9"}};

std::string Short(int arch) { return fmt::format("sm_{}", arch); }

std::string ListOf(const std::vector<int>& archs) {
  std::string text;
  for (const int arch : archs) text += (text.empty() ? "" : " ") + Short(arch);
  return text;
}

// What to do for a device whose architecture a build with `archs` does not hold.
void AdviseArch(int device, const std::vector<int>& archs, std::string_view what, Answer* answer) {
  const int newest = *std::max_element(archs.begin(), archs.end());
  const int oldest = *std::min_element(archs.begin(), archs.end());
  answer->facts.push_back({"device_capability", "the GPU is", ArchName(device), device / 10.0});
  answer->facts.push_back({"newest_capability", "newest in the build", ArchName(newest), newest / 10.0});
  answer->facts.push_back({"oldest_capability", "oldest in the build", ArchName(oldest), oldest / 10.0});
  if (device > newest) {
    const std::string_view cuda = FirstCuda(device);
    answer->headline =
        fmt::format("This build of {} is older than the GPU: it holds code for {} to {} and the GPU is {}.", what,
                    Short(oldest), Short(newest), Short(device));
    answer->cause =
        "The wheel was built before this architecture. Driver and toolkit of the machine are not the cause.";
    const std::string release = cuda.empty() ? "a newer CUDA" : fmt::format("CUDA {} or newer", cuda);
    answer->fixes = {
        fmt::format("Install a build made with {}, for example: pip install --upgrade torch --index-url "
                    "https://download.pytorch.org/whl/cu{}",
                    release,
                    cuda == "12.8" || cuda.empty() ? "128"
                    : cuda == "12.9"               ? "129"
                    : cuda == "13.0"               ? "130"
                    : cuda == "11.8"               ? "118"
                                                   : "126"),
        fmt::format("Rebuild extensions (flash-attn, xformers, own ones) for it: TORCH_CUDA_ARCH_LIST=\"{}.{}\"",
                    device / 10, device % 10)};
    if (what != "PyTorch") answer->fixes[0] = fmt::format("Install a build of {} made with {}.", what, release);
  } else if (device < oldest) {
    answer->headline =
        fmt::format("The GPU is too old for this build of {}: it holds code from {} on and the GPU is {}.", what,
                    Short(oldest), Short(device));
    answer->cause = "Newer builds leave out old architectures.";
    answer->fixes = {fmt::format("Install an older build of {} or one for an older CUDA whose list holds {} (PyTorch: "
                                 "the cu118 or cu126 builds keep older GPUs).",
                                 what, Short(device)),
                     "Or build it from source for this architecture."};
  } else {
    answer->headline =
        fmt::format("The build of {} holds code for {} and not for {}, the GPU's.", what, ListOf(archs), Short(device));
    answer->cause = "A build for chosen architectures only.";
    answer->fixes = {fmt::format("Take the official build, or build with TORCH_CUDA_ARCH_LIST=\"{}.{}\".", device / 10,
                                 device % 10)};
  }
  answer->avoid = "Do not change the driver or install a toolkit: neither adds machine code to a wheel.";
}

// 12040 -> "12.4"
std::string CudaVersion(double number) {
  const auto value = static_cast<int>(number);
  return fmt::format("{}.{}", value / 1000, value % 1000 / 10);
}

}  // namespace

std::optional<int> ArchOf(std::string_view word) {
  for (const std::string_view prefix : {"sm_", "compute_"}) {
    if (FindWord(word.substr(0, prefix.size()), prefix) == 0) {
      size_t end = prefix.size();
      while (end < word.size() && word[end] >= '0' && word[end] <= '9') ++end;
      const auto number = NumberOf(word.substr(prefix.size(), end - prefix.size()));
      return number && *number >= 10 && *number < 1000 ? std::optional<int>(static_cast<int>(*number)) : std::nullopt;
    }
  }
  const auto number = NumberOf(word);
  if (!number || word.find('.') == std::string_view::npos || *number < 1 || *number >= 100) return std::nullopt;
  return static_cast<int>(std::lround(*number * 10));
}

std::vector<int> ArchsIn(std::string_view text) {
  std::vector<int> archs;
  for (size_t at = FindWord(text, "sm_"); at != std::string_view::npos && archs.size() < 64;
       at = FindWord(text, "sm_", at + 3)) {
    const auto arch = ArchOf(text.substr(at, 8));
    if (arch && std::find(archs.begin(), archs.end(), *arch) == archs.end()) archs.push_back(*arch);
  }
  return archs;
}

std::string ArchName(int arch) {
  for (const ArchRow& row : kArchs) {
    if (row.arch == arch) return fmt::format("{}.{} ({})", arch / 10, arch % 10, row.name);
  }
  return fmt::format("{}.{}", arch / 10, arch % 10);
}

std::string_view FirstCuda(int arch) {
  for (const ArchRow& row : kArchs) {
    if (row.arch == arch) return row.cuda;
  }
  return "";
}

void WorkTorchArch(std::span<const Match> matches, Answer* answer) {
  const std::string_view window = matches.front().window;
  std::optional<int> device;
  if (const auto match = Find("CUDA capability {w} is not compatible", window)) device = ArchOf(match->captures[0]);
  if (const auto match = Find("is of cuda capability {n}", window)) device = ArchOf(match->captures[0]);
  if (const auto match = Find("which is of compute capability (CC) {n}", window)) device = ArchOf(match->captures[0]);
  if (!device) return;
  std::vector<int> archs;
  if (const auto match = Find("supports CUDA capabilities", window)) archs = ArchsIn(window.substr(match->end, 400));
  if (const auto match = Find("supported by this library is {n}", window)) {
    if (const auto least = ArchOf(match->captures[0])) archs.push_back(*least);
  }
  if (const auto match = Find("following CCs are supported by this version of PyTorch", window))
    archs = ArchsIn(window.substr(match->end, 400));
  if (archs.empty()) {
    answer->facts.push_back({"device_capability", "the GPU is", ArchName(*device), *device / 10.0});
    answer->headline = fmt::format("This build of PyTorch has no code for the GPU (sm_{}).", *device);
    return;
  }
  AdviseArch(*device, archs, "PyTorch", answer);
}

void WorkPaddleArch(std::span<const Match> matches, Answer* answer) {
  const std::string_view window = matches.front().window;
  std::vector<int> archs;
  if (const auto match = Find("Paddle installation with arch: {*},", window)) {
    std::string_view list = match->captures[0];
    while (!list.empty() && archs.size() < 64) {
      const size_t space = list.find(' ');
      const auto number = NumberOf(list.substr(0, space));
      if (number && *number >= 10 && *number < 1000) archs.push_back(static_cast<int>(*number));
      if (space == std::string_view::npos) break;
      list.remove_prefix(space + 1);
    }
  }
  std::optional<int> device;
  if (const auto match = Find("GPU Compute Capability: {n}", window)) device = ArchOf(match->captures[0]);
  if (device && !archs.empty()) AdviseArch(*device, archs, "Paddle", answer);
}

void WorkOldDriver(std::span<const Match> matches, Answer* answer) {
  const std::string_view window = matches.front().window;
  if (const auto match = Find("(found version {n})", window)) {
    const auto found = NumberOf(match->captures[0]);
    if (!found || *found < 1000) return;
    const std::string cuda = CudaVersion(*found);
    answer->facts.push_back({"driver_cuda", "the driver supports CUDA up to", cuda, *found});
    answer->headline = fmt::format(
        "The NVIDIA driver is too old for this build: it supports CUDA up to {}, and the build was made with a newer "
        "one.",
        cuda);
    answer->fixes = {"Update the driver of the host.",
                     fmt::format("Or install a build for CUDA {} or older (PyTorch: choose it at "
                                 "pytorch.org/get-started/previous-versions).",
                                 cuda)};
    return;
  }
  const auto driver = Find("Driver API Version: {n}, Runtime API Version: {n}", window);
  if (driver) {
    answer->facts.push_back({"driver_cuda", "the driver supports CUDA up to", std::string(driver->captures[0]),
                             NumberOf(driver->captures[0]).value_or(0)});
    answer->facts.push_back({"runtime_cuda", "the build brings CUDA", std::string(driver->captures[1]),
                             NumberOf(driver->captures[1]).value_or(0)});
  }
  if (const auto match = Find("unsatisfied condition: cuda>={n}", window)) {
    answer->facts.push_back({"needed_cuda", "the image asks for CUDA", std::string(match->captures[0]),
                             NumberOf(match->captures[0]).value_or(0)});
    answer->headline =
        fmt::format("The container image asks for a driver that supports CUDA {} and the host's driver is older.",
                    match->captures[0]);
  }
}

void WorkNvmlMismatch(std::span<const Match> matches, Answer* answer) {
  const std::string_view window = matches.front().window;
  std::string library, module;
  if (const auto match = Find("NVML library version: {w}", window)) library = std::string(match->captures[0]);
  if (const auto match = Find("the NVIDIA kernel module has version {w}", window))
    module = std::string(match->captures[0]);
  if (const auto match = Find("client has the version {w}", window)) library = std::string(match->captures[0]);
  if (const auto match = Find("this kernel module has the version {w}", window))
    module = std::string(match->captures[0]);
  if (const auto match = Find("kernel module {w}, but", window); module.empty() && match)
    module = std::string(match->captures[0]);
  while (!library.empty() && library.back() == '.') library.pop_back();
  while (!module.empty() && module.back() == '.') module.pop_back();
  if (!library.empty())
    answer->facts.push_back({"library_version", "user library", library, NumberOf(library).value_or(0)});
  if (!module.empty())
    answer->facts.push_back({"module_version", "kernel module", module, NumberOf(module).value_or(0)});
  if (!library.empty() && !module.empty())
    answer->headline =
        fmt::format("The driver's user library is {} and the loaded kernel module is {}: one of them was updated.",
                    library, module);
  else if (!library.empty())
    answer->headline =
        fmt::format("The driver's user library is {} and the loaded kernel module is of another version.", library);
}

void WorkMissingLibrary(std::span<const Match> matches, Answer* answer) {
  const std::string& window = matches.front().window;
  std::string_view words = window;
  // TensorFlow's form names it behind its own words.
  if (const auto quoted = Find("Could not load dynamic library '{w}", words)) words.remove_prefix(words.find('\'') + 1);
  std::string name(words.substr(0, words.find_first_of(": '\"),;")));
  answer->facts.push_back({"library", "missing", name, 0});
  const size_t so = name.find(".so.");
  const std::string version = so == std::string::npos ? std::string() : name.substr(so + 4);
  const std::string stem = name.substr(0, name.find(".so"));
  if (stem == "libcuda" || stem == "libnvidia-ml" || stem == "libnvidia-ptxjitcompiler") {
    answer->headline = fmt::format("{} is missing: it belongs to the NVIDIA driver, not to the CUDA toolkit.", name);
    answer->cause =
        "No driver is installed here, or the container was started without GPUs, so that the driver's libraries are "
        "not mounted.";
    answer->checks = {{"Does the driver work?", "nvidia-smi"},
                      {"Is the library known?", fmt::format("ldconfig -p | grep {}", stem)}};
    answer->fixes = {"In a container: start it with --gpus all (NVIDIA container toolkit on the host).",
                     "On a host: install the NVIDIA driver; under WSL the library is in /usr/lib/wsl/lib."};
    answer->avoid = "Do not install a driver inside a container, and do not link the stub of the toolkit in its place.";
    return;
  }
  answer->headline = fmt::format("The loader does not find {}.", name);
  if (stem == "libcudnn" || stem.starts_with("libcudnn_")) {
    answer->cause = fmt::format("The program was built for cuDNN {} and another one, or none, is installed.", version);
    answer->fixes = {fmt::format("Install it into the program's environment: pip install nvidia-cudnn-cu12{}",
                                 version.starts_with("9")   ? "\">=9\""
                                 : version.starts_with("8") ? "\"<9\""
                                                            : ""),
                     "Put its folder on LD_LIBRARY_PATH, or update the program."};
  } else if (stem == "libnccl") {
    answer->fixes = {"pip install nvidia-nccl-cu12 into the environment, or install libnccl2."};
  } else if (!version.empty() && (stem == "libcudart" || stem == "libcublas" || stem == "libcublasLt" ||
                                  stem == "libcufft" || stem == "libcurand" || stem == "libcusparse" ||
                                  stem == "libcusolver" || stem == "libnvrtc" || stem == "libcupti")) {
    // Of these libraries' major versions only cudart, cublas and nvrtc follow the toolkit's (release notes, component
    // versions).
    const bool follows =
        stem == "libcudart" || stem.starts_with("libcublas") || stem == "libnvrtc" || stem == "libcupti";
    const std::string toolkit = follows ? fmt::format(" of CUDA {}", version) : std::string();
    answer->cause = fmt::format(
        "The program or extension was built against the library{}; this environment has another CUDA or none.",
        toolkit);
    answer->fixes = {follows ? fmt::format("Take a build of the package for the CUDA that is here (PyTorch's: "
                                           "torch.version.cuda), or install CUDA {}'s runtime.",
                                           version)
                             : std::string("Take a build of the package for the CUDA that is here, or install the "
                                           "library of the CUDA that it was built with."),
                     "If the library is installed: put its folder on LD_LIBRARY_PATH; wheels keep it in "
                     "site-packages/nvidia/*/lib."};
  }
  answer->checks = {
      {"Is it there, in which version?",
       fmt::format("ldconfig -p | grep {0}; find / -name '{0}.so*' -not -path '/proc/*' 2>/dev/null", stem)},
      {"What does PyTorch bring?", "python -c \"import torch; print(torch.__version__, torch.version.cuda)\""}};
  answer->avoid = fmt::format("Do not link another version under the name {}: it loads and fails later.", name);
}

void WorkUndefinedSymbol(std::span<const Match> matches, Answer* answer) {
  const Match& match = matches.front();
  const std::string symbol = match.captures.empty() ? std::string() : match.captures.back().substr(0, 120);
  if (!symbol.empty()) answer->facts.push_back({"symbol", "missing symbol", symbol, 0});
  if (Has(symbol, "c10") || Has(symbol, "torch") || Has(symbol, "N2at") || Has(symbol, "caffe2")) {
    answer->headline = "An extension was compiled against another version of PyTorch than the one installed.";
    answer->cause =
        "PyTorch was updated after the extension had been built, or a wheel for another PyTorch was installed.";
  } else if (Has(symbol, "nvJitLink")) {
    answer->headline = "libcusparse and libnvJitLink are of different CUDA versions.";
    answer->cause =
        "An older libnvJitLink stands first on the library path (a toolkit in LD_LIBRARY_PATH before the wheel's own).";
    answer->fixes = {"Take the toolkit's folder off LD_LIBRARY_PATH: unset LD_LIBRARY_PATH.",
                     "Or install the wheels again, so that both are of one version."};
  } else if (Has(symbol, "cu") || Has(symbol, "nv") || Has(symbol, "nccl")) {
    answer->headline =
        fmt::format("A CUDA library without {} was loaded: it is of another version than the program needs.", symbol);
    answer->cause = "Two versions of a CUDA library are on the path, and the wrong one comes first.";
  }
}

void WorkCpuWheel(std::span<const Match> matches, Answer* answer) {
  const Match& match = matches.front();
  if (const auto found = Find("+cpu", match.window.substr(0, 60)); found && found->begin > 0) {
    size_t begin = found->begin;
    while (begin > 0 && match.window[begin - 1] != ' ' && match.window[begin - 1] != '=') --begin;
    answer->facts.push_back({"torch_version", "installed", match.window.substr(begin, found->end - begin), 0});
  }
}

}  // namespace warpscope::explain
