// CUPTI: whether one is found and fits, whether another one or a library of stubs gets in its way.
#include <fmt/format.h>

#include <set>

#include "record/loader_search.h"
#include "record/preflight/checks.h"
#include "wire/cupti_names.h"

namespace warpscope::record {
namespace preflight {
namespace {

// The package of pip that holds libcupti for a CUDA version.
std::string PackageFor(unsigned major) {
  return major >= 13 || major == 0 ? "nvidia-cuda-cupti" : fmt::format("nvidia-cuda-cupti-cu{}", major);
}

std::string Shown(const FoundLibrary& one) { return fmt::format("{} ({})", one.path, one.place); }

void NotFound(const Context& c, Checks& checks) {
  const std::string named = c.system.Variable(wire::kCuptiVariable).value_or("");
  if (!named.empty()) {
    checks.Fail("cupti", fmt::format("{}={}: there is no such file", wire::kCuptiVariable, named),
                fmt::format("unset {}, or name a libcupti that exists", wire::kCuptiVariable));
    return;
  }
  if (!c.cupti.candidates.empty()) {
    std::string list;
    for (const FoundLibrary& one : c.cupti.candidates) list += (list.empty() ? "" : ", ") + Shown(one);
    checks.Fail("cupti", "no libcupti that fits the driver is where the loader searches; found elsewhere: " + list,
                fmt::format("export {}={}", wire::kCuptiVariable, c.cupti.candidates.front().path));
    return;
  }
  checks.Fail("cupti", "no libcupti: not in LD_LIBRARY_PATH, the loader's cache, Python packages or a CUDA toolkit",
              fmt::format("pip install {}, then export {}=PATH of its libcupti.so.* (pip show -f {})",
                          PackageFor(c.driver_major), wire::kCuptiVariable, PackageFor(c.driver_major)));
}

// Another version in front on the loader's way can be loaded by a library of the program that names it.
void CheckConflict(const Context& c, Checks& checks) {
  const FoundLibrary& chosen = *c.cupti.chosen;
  const unsigned major = c.cupti.chosen_major.value_or(0);
  for (const FoundLibrary& other : c.cupti.candidates) {
    const auto other_major = CudaMajorOf(BaseName(other.path));
    const bool differs = other_major && major != 0 && *other_major != major;
    if (other.place != "LD_LIBRARY_PATH" || other.path == chosen.path || !differs) continue;
    checks.Warn("cupti_conflict",
                fmt::format("two versions of CUPTI may meet in one program: {} and {}", Shown(chosen), Shown(other)),
                "take " + FolderOf(other.path) + " out of LD_LIBRARY_PATH");
    return;
  }
  checks.Ok("cupti_conflict", "no second version of CUPTI in LD_LIBRARY_PATH");
}

}  // namespace

void CheckCupti(const Context& c, Checks& checks) {
  if (!c.cupti.chosen) return NotFound(c, checks);
  const FoundLibrary& chosen = *c.cupti.chosen;
  const unsigned major = c.cupti.chosen_major.value_or(0);
  const std::string framework = c.python ? TorchCudaVersion(c.system, *c.python) : std::string();
  const auto framework_major = NumberIn(framework.substr(0, framework.find('.')));
  if (IsStub(chosen.path)) {
    checks.Fail("cupti", Shown(chosen) + " is a library of stubs",
                "take " + FolderOf(chosen.path) + " out of LD_LIBRARY_PATH");
  } else if (major > 0 && c.driver_major > 0 && major > c.driver_major) {
    checks.Fail(
        "cupti",
        fmt::format("{} belongs to CUDA {}, the driver offers CUDA {}", Shown(chosen), major, c.devices.cuda_version),
        fmt::format("update the driver, or use a program and CUPTI for CUDA {}", c.driver_major));
  } else if (major > 0 && framework_major && *framework_major != major) {
    checks.Warn("cupti",
                fmt::format("{} belongs to CUDA {}, PyTorch was built for CUDA {}", Shown(chosen), major, framework),
                fmt::format("pip install {}", PackageFor(static_cast<unsigned>(*framework_major))));
  } else {
    checks.Ok("cupti", major == 0 ? Shown(chosen) : fmt::format("{}, of CUDA {}", Shown(chosen), major));
  }
  CheckConflict(c, checks);
}

// The runtime of CUDA that the program would load; one that is linked statically is not seen.
void CheckRuntime(const Context& c, Checks& checks) {
  constexpr const char* kStart = "libcudart.so";
  std::vector<FoundLibrary> found;
  if (c.python) found = PackagedLibraries(c.system, *c.python, kStart);
  for (const FoundLibrary& one : LoaderSearch(c.system).All(kStart)) found.push_back(one);
  std::string list;
  for (const FoundLibrary& one : found) list += (list.empty() ? "" : ", ") + Shown(one);
  const auto name = found.empty() ? std::string() : BaseName(c.system.RealPath(found.front().path));
  const unsigned major = CudaMajorOf(name).value_or(0);
  if (c.driver_major > 0 && major > c.driver_major)
    checks.Warn("cuda_runtime",
                fmt::format("{} belongs to CUDA {}, the driver offers CUDA {}: CUDA may not start",
                            Shown(found.front()), major, c.devices.cuda_version),
                fmt::format("update the driver, or use a program for CUDA {}", c.driver_major));
  else checks.Ok("cuda_runtime", found.empty() ? "no libcudart beside the program's own" : list);
}

void CheckLibraryPath(const Context& c, Checks& checks) {
  const LoaderSearch loader(c.system);
  std::string kept, stubs;
  bool takes_driver = false;
  for (const std::string& folder : loader.named_folders()) {
    const bool has_driver = c.system.Exists(folder + "/libcuda.so.1");
    if (!IsStub(folder + "/") || (!has_driver && !c.system.Exists(folder + "/libcuda.so"))) {
      kept += (kept.empty() ? "" : ":") + folder;
      continue;
    }
    if (stubs.empty()) stubs = folder;
    takes_driver |= has_driver;
  }
  const std::string next = "export LD_LIBRARY_PATH=" + kept;
  if (stubs.empty()) checks.Ok("stubs", "no folder of stubs in LD_LIBRARY_PATH");
  else if (takes_driver)
    checks.Fail("stubs", stubs + " in LD_LIBRARY_PATH hides the driver: the libcuda.so.1 there does nothing", next);
  else
    checks.Warn("stubs", stubs + " in LD_LIBRARY_PATH: a program that loads libcuda.so gets one that does nothing",
                next);
}

}  // namespace preflight

Check CheckMaps(const std::string& maps) {
  std::set<std::string> stubs, cuptis;
  for (const std::string& line : Split(maps, '\n')) {
    const size_t slash = line.find('/');
    if (slash == std::string::npos) continue;
    std::string path = Trimmed(line.substr(slash));
    constexpr std::string_view kDeleted = " (deleted)";
    if (path.ends_with(kDeleted)) path.resize(path.size() - kDeleted.size());
    const std::string name = BaseName(path);
    const bool is_cupti = name.rfind("libcupti.so", 0) == 0;
    if (is_cupti) cuptis.insert(path);
    if (IsStub(path) && (is_cupti || name.rfind("libcuda.so", 0) == 0)) stubs.insert(path);
  }
  const auto list = [](const std::set<std::string>& paths) {
    std::string text;
    for (const std::string& path : paths) text += (text.empty() ? "" : " and ") + path;
    return text;
  };
  std::vector<Check> all;
  preflight::Checks checks(&all);
  const std::string two = cuptis.size() > 1 ? "more than one CUPTI is loaded: " + list(cuptis) : "";
  if (!stubs.empty()) {
    checks.Fail("loaded_libraries", "a library of stubs is loaded: " + list(stubs) + (two.empty() ? "" : "; " + two),
                "take " + FolderOf(*stubs.begin()) + " out of LD_LIBRARY_PATH");
  } else if (!two.empty()) {
    checks.Fail("loaded_libraries", two, "keep one of them: take the folder of the other out of LD_LIBRARY_PATH");
  } else if (cuptis.empty()) {
    checks.Unknown("loaded_libraries", "no libcupti in this listing", "list the process after its first use of CUDA");
  } else {
    checks.Ok("loaded_libraries", "one CUPTI: " + *cuptis.begin());
  }
  return all.front();
}

}  // namespace warpscope::record
