// runtime_libraries: which libcudart, libcupti, cuDNN and NCCL wins on the library path, and what gets in its way.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "doctor/checks.h"
#include "doctor/words.h"

namespace warpscope::doctor {
namespace {

constexpr std::array<std::string_view, 4> kKinds = {"libcudart", "libcupti", "libcudnn", "libnccl"};

std::string KindOf(const Library& library) {
  for (const std::string_view kind : kKinds) {
    if (library.name.starts_with(kind)) return std::string(kind);
  }
  return {};
}

// "libcudart.so.12" -> 12.
std::optional<int> SonameMajor(const std::string& name) {
  const size_t so = name.find(".so.");
  return so == std::string::npos ? std::nullopt : MajorOf(std::string_view(name).substr(so + 4));
}

std::string Shown(const Library& library) {
  return fmt::format("{} ({}{})", library.path, library.version.empty() ? "" : library.version + ", ", library.place);
}

}  // namespace

void CheckRuntimeLibraries(const Machine& machine, Steps& steps) {
  if (!machine.libraries) return;
  std::map<std::string, std::vector<const Library*>> kinds;
  std::vector<std::string> broken, stubs;
  for (const Library& library : *machine.libraries) {
    const std::string kind = KindOf(library);
    if (library.path.find("/stubs/") != std::string::npos && library.place == "LD_LIBRARY_PATH")
      stubs.push_back(library.path);
    if (kind.empty()) continue;
    kinds[kind].push_back(&library);
    if (library.state != FileState::kWhole && library.is_chosen) broken.push_back(library.path);
  }
  if (!broken.empty())
    steps.Fail("runtime_libraries",
               Joined(broken) + ": cannot be loaded (a broken link, or no library for this processor)",
               "reinstall the package that owns it, or take its folder out of LD_LIBRARY_PATH");
  if (!stubs.empty() && (ChosenLibrary(machine, "libcuda.so.1") == nullptr ||
                         ChosenLibrary(machine, "libcuda.so.1")->path.find("/stubs/") == std::string::npos))
    steps.Warn("stub_libraries", Joined(stubs) + ": stubs stand on the library path, and exist for linking only",
               "take the folder named stubs out of LD_LIBRARY_PATH");
  for (const std::string_view kind : kKinds) {
    const auto found = kinds.find(std::string(kind));
    if (found == kinds.end()) continue;
    const std::vector<const Library*>& all = found->second;
    const auto chosen = std::find_if(all.begin(), all.end(), [](const Library* one) { return one->is_chosen; });
    const Library* first = chosen == all.end() ? all.front() : *chosen;
    // Of one name the one on LD_LIBRARY_PATH shadows the one that a framework's package brings.
    const Library* shadowed = nullptr;
    for (const Library* one : all) {
      const bool differs = one->path != first->path && !one->version.empty() && !first->version.empty() &&
                           CompareVersions(one->version, first->version) != 0;
      if (first->place == "LD_LIBRARY_PATH" && one->place == "Python package" && one->name == first->name && differs)
        shadowed = one;
    }
    if (shadowed != nullptr) {
      steps.Warn(std::string(kind),
                 fmt::format("{} wins over {}, which the framework was made with", Shown(*first), Shown(*shadowed)),
                 "unset LD_LIBRARY_PATH for this program, or take that folder out of it");
      continue;
    }
    std::vector<std::string> loaded;
    for (const Library* one : all) {
      if (one->place == "loaded") loaded.push_back(one->path);
    }
    if (loaded.size() > 1) {
      steps.Warn(std::string(kind), "loaded twice into one program: " + Joined(loaded),
                 "keep the one that its framework was made with: take the other's folder out of LD_LIBRARY_PATH");
      continue;
    }
    std::string text = Shown(*first);
    if (all.size() > 1) text += fmt::format("; {} more on the way", all.size() - 1);
    const auto major = SonameMajor(first->name), most = MajorOf(machine.driver_cuda);
    if (kind == "libcudart" && major && most && *major > *most)
      steps.Warn(std::string(kind),
                 fmt::format("{} is newer than the driver's CUDA {}", Shown(*first), machine.driver_cuda),
                 "update the driver, or use an older runtime");
    else steps.Ok(std::string(kind), text);
  }
}

}  // namespace warpscope::doctor
