#include "record/environment.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <thread>

extern char** environ;

namespace warpscope::record {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostBytes = 4096;

std::string FirstLine(const fs::path& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line.substr(0, kMostBytes);
}

// Value of "key : value" or "KEY=value" in a file.
std::string ValueIn(const fs::path& path, const std::string& key, char separator) {
  std::ifstream in(path);
  std::string line;
  for (int lines = 0; lines < 1000 && std::getline(in, line); ++lines) {
    if (line.rfind(key, 0) != 0) continue;
    const size_t at = line.find(separator);
    if (at == std::string::npos) continue;
    std::string value = line.substr(at + 1, kMostBytes);
    value.erase(0, value.find_first_not_of(" \t\""));
    while (!value.empty() && (value.back() == '"' || value.back() == ' ')) value.pop_back();
    return value;
  }
  return {};
}

std::string Upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

bool TellsOfSecret(const std::string& name) {
  const std::string upper = Upper(name);
  for (const char* word : {"TOKEN", "SECRET", "PASS", "PWD", "CRED", "KEY", "AUTH", "COOKIE", "SESSION"}) {
    if (upper.find(word) != std::string::npos) return true;
  }
  return false;
}

std::string ContainerKind() {
  std::error_code error;
  if (fs::exists("/.dockerenv", error)) return "docker";
  if (fs::exists("/run/.containerenv", error)) return "podman";
  if (std::getenv("KUBERNETES_SERVICE_HOST") != nullptr) return "kubernetes";
  const std::string group = FirstLine("/proc/1/cgroup");
  for (const char* word : {"kubepods", "docker", "lxc", "containerd"}) {
    if (group.find(word) != std::string::npos) return word;
  }
  return FirstLine("/proc/sys/kernel/osrelease").find("microsoft") != std::string::npos ? "WSL" : "";
}

}  // namespace

bool IsShownVariable(const std::string& name) {
  if (TellsOfSecret(name)) return false;
  for (const char* start : {"CUDA_", "NCCL_",      "TORCH",      "PYTORCH_", "OMP_",    "MKL_",    "OPENBLAS_",
                            "XLA_",  "TF_",        "JAX_",       "TRITON_",  "NVIDIA_", "CUBLAS_", "CUDNN_",
                            "RANK",  "LOCAL_RANK", "WORLD_SIZE", "HIP_",     "ROCR_",   "GLOO_",   "UCX_"}) {
    if (name.rfind(start, 0) == 0) return true;
  }
  return false;
}

std::string RedactedCommand(const std::vector<std::string>& words) {
  std::string text;
  bool hide_next = false;
  for (const std::string& word : words) {
    std::string shown = word;
    const size_t equals = word.find('=');
    const size_t scheme = word.find("://"), at = word.find('@');
    if (hide_next && (word.empty() || word[0] != '-')) shown = "***";
    else if (equals != std::string::npos && TellsOfSecret(word.substr(0, equals)))
      shown = word.substr(0, equals + 1) + "***";
    else if (scheme != std::string::npos && at != std::string::npos && at > scheme)
      shown = word.substr(0, scheme + 3) + "***" + word.substr(at);
    hide_next = !word.empty() && word[0] == '-' && equals == std::string::npos && TellsOfSecret(word);
    text += (text.empty() ? "" : " ") + shown;
  }
  return text.substr(0, kMostBytes);
}

std::string GitRevision(const std::string& folder) {
  std::error_code error;
  for (fs::path at = fs::absolute(folder, error); !at.empty(); at = at.parent_path()) {
    fs::path git = at / ".git";
    if (fs::is_regular_file(git, error)) {  // a worktree: "gitdir: PATH"
      const std::string line = FirstLine(git);
      if (line.rfind("gitdir: ", 0) == 0)
        git = fs::path(line.substr(8)).is_absolute() ? fs::path(line.substr(8)) : at / line.substr(8);
    }
    if (fs::is_directory(git, error)) {
      const std::string head = FirstLine(git / "HEAD");
      if (head.rfind("ref: ", 0) != 0) return head.substr(0, 40);
      const std::string ref = head.substr(5);
      if (ref.find("..") != std::string::npos) return {};
      std::string commit = FirstLine(git / ref);
      const std::string common = FirstLine(git / "commondir");
      if (commit.empty() && !common.empty()) commit = FirstLine(git / common / ref);
      const size_t slash = ref.rfind('/');
      return ref.substr(slash == std::string::npos ? 0 : slash + 1) + " " + commit.substr(0, 40);
    }
    if (at == at.root_path()) break;
  }
  return {};
}

std::vector<EnvironmentFact> CollectEnvironment(const std::vector<std::string>& program, const device::Nvml* nvml) {
  std::vector<EnvironmentFact> facts;
  const auto add = [&](const std::string& name, const std::string& value, int device = -1) {
    if (!value.empty()) facts.push_back({device, name, value});
  };
  add("command", RedactedCommand(program));
  add("git_revision", GitRevision("."));
  utsname system{};
  if (::uname(&system) == 0) add("kernel", std::string(system.sysname) + " " + system.release);
  add("operating_system", ValueIn("/etc/os-release", "PRETTY_NAME", '='));
  add("cpu", ValueIn("/proc/cpuinfo", "model name", ':'));
  add("cpu_threads", std::to_string(std::thread::hardware_concurrency()));
  add("memory_total_host", ValueIn("/proc/meminfo", "MemTotal", ':'));
  add("container", ContainerKind());
  std::vector<std::string> variables;
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) variables.emplace_back(*at);
  std::sort(variables.begin(), variables.end());
  for (const std::string& variable : variables) {
    const size_t equals = variable.find('=');
    if (equals != std::string::npos && IsShownVariable(variable.substr(0, equals)))
      add("variable " + variable.substr(0, equals), variable.substr(equals + 1, kMostBytes));
  }
  if (nvml == nullptr) return facts;
  add("driver_version", nvml->driver_version());
  add("cuda_version", nvml->cuda_version());
  const auto yes = [](const std::optional<bool>& on) {
    return !on ? std::string() : *on ? std::string("on") : std::string("off");
  };
  const auto number = [](const auto& value) {
    return value ? std::to_string(static_cast<long long>(*value)) : std::string();
  };
  for (const device::GpuFacts& gpu : nvml->gpus()) {
    const int device = static_cast<int>(gpu.index);
    add("name", gpu.name, device);
    add("pci_bus_id", gpu.bus_id, device);
    add("compute_mode", gpu.compute_mode.value_or(""), device);
    add("persistence_mode", yes(gpu.persistence_mode), device);
    add("mig_mode", yes(gpu.mig_mode), device);
    add("ecc_mode", yes(gpu.ecc_mode), device);
    add("power_limit_watts", number(gpu.power_limit_watts), device);
    add("clock_max_sm_mhz", number(gpu.clock_max_sm_mhz), device);
    add("clock_max_memory_mhz", number(gpu.clock_max_memory_mhz), device);
    add("memory_total_bytes", number(gpu.memory_total_bytes), device);
    add("pcie_gen_max", number(gpu.pcie_gen_max), device);
    add("pcie_width_max", number(gpu.pcie_width_max), device);
  }
  return facts;
}

}  // namespace warpscope::record
