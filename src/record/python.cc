#include "record/python.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "record/program.h"

namespace warpscope::record {
namespace {

constexpr size_t kMostWords = 16;  // of a command that are looked at: launchers and their options stand in front

// "python", "python3", "python3.12", "python3.13t".
bool IsPythonName(const std::string& path) {
  const std::string name = BaseName(path);
  return name.rfind("python", 0) == 0 && name.find_first_not_of("0123456789.td", 6) == std::string::npos;
}

// Programs that start what cannot be told from their words: then the shell's Python is the best guess.
bool StartsOthers(const std::string& path) {
  constexpr std::array kNames = {"bash",  "sh",   "dash", "zsh",    "make",    "uv",    "poetry",
                                 "conda", "pixi", "srun", "mpirun", "mpiexec", "xargs", "time"};
  const std::string name = BaseName(path);
  return std::any_of(kNames.begin(), kNames.end(), [&](std::string_view one) { return name == one; });
}

// pyenv puts scripts in front of its versions: ROOT/shims/python stands for ROOT/versions/VERSION/bin/python.
std::string BehindShim(const System& system, const std::string& path) {
  const size_t at = path.rfind("/shims/");
  if (at == std::string::npos) return path;
  const std::string root = path.substr(0, at);
  std::string version = system.Variable("PYENV_VERSION").value_or("");
  if (version.empty()) version = FirstLineOf(system, system.WorkingFolder() + "/.python-version");
  if (version.empty()) version = FirstLineOf(system, root + "/version");
  const std::string behind = root + "/versions/" + version + "/bin/" + BaseName(path);
  return !version.empty() && system.Exists(behind) ? behind : path;
}

std::string ShellPython(const System& system) {
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const auto prefix = system.Variable(variable);
    if (prefix && system.Exists(*prefix + "/bin/python")) return *prefix + "/bin/python";
  }
  for (const char* word : {"python3", "python"}) {
    const std::string path = FindProgram(system, word);
    if (!path.empty()) return path;
  }
  return {};
}

// The interpreter among the program's words or behind its "#!" lines; "" if there is none.
std::string InterpreterIn(const System& system, const std::vector<std::string>& program) {
  if (program.empty()) return ShellPython(system);
  const ProgramChain chain = FollowProgram(system, program[0]);
  for (const std::string& path : chain.paths) {
    if (IsPythonName(path)) return path;
  }
  for (size_t i = 1; i < std::min(program.size(), kMostWords); ++i) {
    if (!IsPythonName(program[i])) continue;
    const std::string path = FindProgram(system, program[i]);
    if (!path.empty()) return path;
  }
  if (!chain.paths.empty() && (StartsOthers(chain.paths.front()) || StartsOthers(chain.paths.back())))
    return ShellPython(system);
  return {};
}

// "3.12" of "python3.12"; "" if the name does not tell.
std::string VersionInName(const std::string& path) {
  const std::string name = BaseName(path);
  const std::string rest = name.rfind("python", 0) == 0 ? name.substr(6) : std::string();
  return rest.find('.') == std::string::npos ? std::string() : rest;
}

std::string MajorMinor(const std::string& version) {
  const std::vector<std::string> parts = Split(version, '.');
  return parts.size() < 2 ? std::string() : parts[0] + "." + parts[1];
}

// The newest version that has a folder of packages under PREFIX/lib.
std::string VersionUnder(const System& system, const std::string& prefix) {
  std::string newest;
  uint64_t newest_minor = 0;
  for (const std::string& name : system.List(prefix + "/lib")) {
    const std::string version = VersionInName(name);
    const std::vector<std::string> parts = Split(version, '.');
    const auto minor = parts.size() == 2 ? NumberIn(parts[1]) : std::nullopt;
    if (!minor || (!newest.empty() && *minor <= newest_minor)) continue;
    newest = version;
    newest_minor = *minor;
  }
  return newest;
}

void AddFolder(const System& system, std::vector<std::string>& folders, const std::string& folder) {
  const auto info = system.Stat(folder);
  if (info && info->is_folder && std::find(folders.begin(), folders.end(), folder) == folders.end())
    folders.push_back(folder);
}

// Folders of packages of an installation.
void AddPrefix(const System& system, Python& python, const std::string& prefix) {
  const std::string lib = "/python" + python.version + "/";
  for (const char* folder : {"/lib", "/lib64", "/local/lib"}) {
    AddFolder(system, python.folders, prefix + folder + lib + "site-packages");
    AddFolder(system, python.folders, prefix + folder + lib + "dist-packages");
  }
  if (prefix == "/usr") AddFolder(system, python.folders, "/usr/lib/python3/dist-packages");
}

bool MattersToGpus(const std::string& name) {
  constexpr std::array kNames = {"torch",
                                 "tensorflow",
                                 "jax",
                                 "jaxlib",
                                 "triton",
                                 "numpy",
                                 "cupy",
                                 "flax",
                                 "numba",
                                 "vllm",
                                 "sglang",
                                 "transformers",
                                 "accelerate",
                                 "deepspeed",
                                 "xformers",
                                 "lightning",
                                 "pytorch-lightning",
                                 "torchvision",
                                 "torchaudio",
                                 "tensorrt",
                                 "onnxruntime-gpu",
                                 "keras",
                                 "horovod",
                                 "apex",
                                 "megatron-core",
                                 "pytorch-triton",
                                 "transformer-engine",
                                 "flash-attn",
                                 "flash-attn-3",
                                 "bitsandbytes",
                                 "warp-lang",
                                 "nvtx",
                                 "mxnet",
                                 "paddlepaddle-gpu",
                                 "paddlepaddle"};
  constexpr std::array kStarts = {"nvidia-",   "cupy-cuda",   "jax-cuda",  "jax-rocm",
                                  "tensorrt-", "tensorflow-", "flashinfer"};
  return std::any_of(kNames.begin(), kNames.end(), [&](std::string_view one) { return name == one; }) ||
         std::any_of(kStarts.begin(), kStarts.end(), [&](std::string_view start) { return name.rfind(start, 0) == 0; });
}

// "torch-2.11.0+cu130.dist-info" -> name and version. Older installations: "name-version-py3.12.egg-info".
std::optional<Package> PackageOf(const std::string& entry, const std::string& folder) {
  size_t end = std::string::npos;
  for (const std::string_view suffix : {".dist-info", ".egg-info"}) {
    if (entry.size() > suffix.size() && entry.compare(entry.size() - suffix.size(), suffix.size(), suffix) == 0)
      end = entry.size() - suffix.size();
  }
  const size_t dash = entry.find('-');
  if (end == std::string::npos || dash == std::string::npos || dash + 1 >= end) return std::nullopt;
  Package package{Lower(entry.substr(0, dash)), entry.substr(dash + 1, end - dash - 1), folder};
  package.version = package.version.substr(0, package.version.find("-py"));
  std::replace(package.name.begin(), package.name.end(), '_', '-');
  return package;
}

}  // namespace

std::optional<Python> FindPython(const System& system, const std::vector<std::string>& program) {
  Python python;
  python.interpreter = InterpreterIn(system, program);
  if (python.interpreter.empty()) return std::nullopt;
  python.interpreter = BehindShim(system, python.interpreter);
  for (const std::string& folder : Split(system.Variable("PYTHONPATH").value_or(""), ':'))
    AddFolder(system, python.folders, folder);

  // A virtual environment is told by its file beside or above the interpreter, which is a link to another one.
  const std::string bin = FolderOf(python.interpreter);
  std::string config = FolderOf(bin) + "/pyvenv.cfg";
  if (!system.Exists(config)) config = bin + "/pyvenv.cfg";
  const bool is_virtual = system.Exists(config);
  const std::string real = system.RealPath(python.interpreter);
  const std::string base = is_virtual ? FolderOf(ValueIn(system, config, "home", '='))
                                      : FolderOf(FolderOf(real.empty() ? python.interpreter : real));
  python.prefix = is_virtual ? FolderOf(config) : base;
  python.version = is_virtual ? MajorMinor(ValueIn(system, config, "version", '=')) : std::string();
  if (python.version.empty()) python.version = VersionInName(real);
  if (python.version.empty()) python.version = VersionUnder(system, python.prefix);
  if (python.version.empty()) return python;
  const bool sees_base = !is_virtual || Lower(ValueIn(system, config, "include-system-site-packages", '=')) == "true";
  if (is_virtual) AddPrefix(system, python, python.prefix);
  if (sees_base) {
    const auto home = system.Variable("HOME");
    if (home) AddFolder(system, python.folders, *home + "/.local/lib/python" + python.version + "/site-packages");
    AddPrefix(system, python, base);
  }
  return python;
}

std::vector<Package> PackagesOf(const System& system, const Python& python) {
  std::map<std::string, Package> packages;
  for (const std::string& folder : python.folders) {
    for (const std::string& entry : system.List(folder)) {
      const auto package = PackageOf(entry, folder);
      if (package && MattersToGpus(package->name)) packages.try_emplace(package->name, *package);
    }
  }
  std::vector<Package> sorted;
  sorted.reserve(packages.size());
  for (auto& [name, package] : packages) sorted.push_back(std::move(package));
  return sorted;
}

std::string TorchCudaVersion(const System& system, const Python& python) {
  for (const std::string& folder : python.folders) {
    const std::string path = folder + "/torch/version.py";
    if (!system.Exists(path)) continue;
    // cuda: Optional[str] = '13.0'
    std::string value = ValueIn(system, path, "cuda", '=');
    std::erase_if(value, [](char c) { return c == '\'' || c == '"'; });
    return value == "None" ? std::string() : value;
  }
  return {};
}

}  // namespace warpscope::record
