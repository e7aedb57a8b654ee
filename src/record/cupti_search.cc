#include "record/cupti_search.h"

#include <algorithm>
#include <map>

#include "record/program.h"
#include "wire/cupti_names.h"

namespace warpscope::record {
namespace {

constexpr const char* kStart = "libcupti.so";

// By the name itself, else by the file that it is a link to.
std::optional<unsigned> MajorOf(const System& system, const std::string& path) {
  const auto major = CudaMajorOf(BaseName(path));
  return major ? major : CudaMajorOf(BaseName(system.RealPath(path)));
}

// The first name that would be found, as the agent goes through them.
std::optional<FoundLibrary> ByNames(const System& system, const LoaderSearch& loader, unsigned driver_major) {
  for (const char* name : wire::kCuptiNames) {
    const unsigned major = CudaMajorOf(name).value_or(0);
    if (driver_major > 0 && major > driver_major) continue;
    if (const auto found = loader.Find(name)) return found;
    for (const char* folder : wire::kCuptiFolders) {
      if (system.Exists(std::string(folder) + name)) return FoundLibrary{std::string(folder) + name, "toolkit folder"};
    }
  }
  return std::nullopt;
}

void AddOnce(const System& system, std::vector<FoundLibrary>& all, const FoundLibrary& one) {
  const std::string real = system.RealPath(one.path);
  const bool known = std::any_of(all.begin(), all.end(),
                                 [&](const FoundLibrary& other) { return system.RealPath(other.path) == real; });
  if (!known) all.push_back(one);
}

// version.json: {"cuda" : {"name" : "CUDA SDK", "version" : "13.0.1"}, ...}; version.txt: "CUDA Version 10.2.89".
std::string VersionOfToolkit(const System& system, const std::string& folder) {
  const std::string json = system.Read(folder + "/version.json").value_or("");
  const size_t cuda = json.find("\"cuda\""), key = cuda == std::string::npos ? cuda : json.find("\"version\"", cuda);
  if (key != std::string::npos) {
    const size_t begin = json.find('"', json.find(':', key));
    const size_t end = begin == std::string::npos ? begin : json.find('"', begin + 1);
    if (end != std::string::npos) return json.substr(begin + 1, std::min<size_t>(end - begin - 1, 32));
  }
  const std::string text = FirstLineOf(system, folder + "/version.txt");
  if (!text.empty()) return text.substr(text.rfind(' ') + 1);
  const std::string name = BaseName(folder);
  return name.rfind("cuda-", 0) == 0 ? name.substr(5) : "unknown version";
}

}  // namespace

std::vector<FoundLibrary> PackagedLibraries(const System& system, const Python& python, const std::string& start) {
  std::vector<FoundLibrary> found;
  const auto look = [&](const std::string& folder, const char* place) {
    for (const std::string& name : system.List(folder)) {
      if (name.rfind(start, 0) == 0) AddOnce(system, found, {folder + "/" + name, place});
    }
  };
  for (const std::string& folder : python.folders) {
    for (const std::string& part : system.List(folder + "/nvidia"))
      look(folder + "/nvidia/" + part + "/lib", "Python package");
    look(folder + "/torch/lib", "Python package");
  }
  look(python.prefix + "/lib", "Python environment");  // conda
  return found;
}

CuptiSearch SearchCupti(const System& system, const std::optional<Python>& python, unsigned driver_major) {
  CuptiSearch search;
  const LoaderSearch loader(system);
  std::vector<FoundLibrary> packaged;
  bool has_framework = false;
  if (python) {
    packaged = PackagedLibraries(system, *python, kStart);
    for (const Package& package : PackagesOf(system, *python)) has_framework |= package.name == "torch";
  }
  const std::string named = system.Variable(wire::kCuptiVariable).value_or("");
  if (has_framework && !packaged.empty()) search.chosen = packaged.front();
  else if (!named.empty()) {
    if (system.Exists(named)) search.chosen = FoundLibrary{named, wire::kCuptiVariable};
  } else search.chosen = ByNames(system, loader, driver_major);
  if (search.chosen) {
    search.chosen_major = MajorOf(system, search.chosen->path);
    search.candidates.push_back(*search.chosen);
  }
  for (const FoundLibrary& one : packaged) AddOnce(system, search.candidates, one);
  for (const FoundLibrary& one : loader.All(kStart)) AddOnce(system, search.candidates, one);
  for (const char* folder : wire::kCuptiFolders) {
    for (const char* name : wire::kCuptiNames) {
      if (system.Exists(std::string(folder) + name))
        AddOnce(system, search.candidates, {std::string(folder) + name, "toolkit folder"});
    }
  }
  return search;
}

std::vector<Toolkit> FindToolkits(const System& system) {
  std::vector<std::string> folders;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) folders.push_back(system.Variable(variable).value_or(""));
  const std::string compiler = FindProgram(system, "nvcc");
  if (!compiler.empty()) folders.push_back(FolderOf(FolderOf(system.RealPath(compiler))));
  for (const std::string& name : system.List("/usr/local")) {
    if (name == "cuda" || name.rfind("cuda-", 0) == 0) folders.push_back("/usr/local/" + name);
  }
  std::map<std::string, std::string> versions;
  for (const std::string& folder : folders) {
    const std::string real = folder.empty() ? folder : system.RealPath(folder);
    const auto info = system.Stat(real);
    if (!real.empty() && info && info->is_folder) versions.try_emplace(real, VersionOfToolkit(system, real));
  }
  std::vector<Toolkit> toolkits;
  for (const auto& [folder, version] : versions) toolkits.push_back({folder, version});
  return toolkits;
}

}  // namespace warpscope::record
