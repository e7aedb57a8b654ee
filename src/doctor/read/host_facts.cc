// The host: processors, limits, memory, variables, its container; and how many processes one job has on it.
#include <algorithm>

#include "doctor/read/line_reader.h"
#include "doctor/words.h"
#include "record/environment.h"
#include "record/redact.h"

namespace warpscope::doctor::read {
namespace {

// "NAME=", "export NAME=".
bool IsAssignment(std::string_view text) {
  if (text.starts_with("export ")) return true;
  const size_t end = text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
  return end != std::string_view::npos && end > 0 && text[end] == '=';
}

// "400000 100000", what a file cpu.max holds.
bool IsQuota(std::string_view text) {
  constexpr size_t kLongest = 48;
  return !text.empty() && text.size() <= kLongest && text[0] >= '0' && text[0] <= '9' &&
         text.find_first_not_of("0123456789 \t`") == std::string_view::npos;
}

class HostFacts final : public LineReader {
 public:
  std::vector<std::string_view> Marks() const override {
    return {"OMP_NUM",       "CPU(s):",  "nproc",    "cores:",     "processors:", "ranks:", "cpu.max", "MemTotal",
            "Memory Device", "/docker/", "kubepods", ".dockerenv", "-WSL",        " exec ", "root@"};
  }
  bool IsOpen() const override { return in_module_; }
  bool Begins(std::string_view line) const override { return IsAssignment(Trim(line)) || IsQuota(Trim(line)); }
  bool Line(std::string_view line, Machine& machine) override {
    const std::string_view text = Trim(line);
    if (text.empty()) return false;
    if (Variable(text, machine) || Processors(text, machine)) return true;
    if (const auto memory = Behind(text, "MemTotal:"); memory && text.starts_with("MemTotal")) {
      const auto words = Words(*memory);
      constexpr uint64_t kKibibyte = 1024, kMostKibibytes = uint64_t{1} << 40;  // a pebibyte
      if (!words.empty() && Count(words[0]).value_or(kMostKibibytes) < kMostKibibytes)
        machine.memory_bytes = *Count(words[0]) * kKibibyte;
      return true;
    }
    // dmidecode -t memory.
    if (text == "Memory Device") {
      in_module_ = true;
      if (!machine.memory_modules) machine.memory_modules = 0;
      return true;
    }
    if (in_module_ && text.starts_with("Size:")) {
      in_module_ = false;
      if (text.find("No Module") == std::string_view::npos)
        machine.memory_modules = machine.memory_modules.value_or(0) + 1;
      return true;
    }
    if (text.find("/docker/") != std::string_view::npos && text.find(':') != std::string_view::npos && text.size() > 20)
      return Container("docker", machine);
    if (text.find("kubepods") != std::string_view::npos) return Container("kubernetes", machine);
    if (text.starts_with("/.dockerenv") || text.find(" .dockerenv") != std::string_view::npos)
      return Container("docker", machine);
    if (IsRunInContainer(text, machine)) return true;
    if (text.find("microsoft-standard-WSL") != std::string_view::npos) return machine.is_wsl = true;
    return false;
  }

 private:
  static bool Container(std::string_view kind, Machine& machine) {
    if (machine.container.empty() || machine.container == "container") machine.container = kind;
    return true;
  }

  // What a person typed to look into a container, and the prompt in one, whose host has its id for a name:
  // "$ kubectl exec -it pod -- nvidia-smi", "root@3f2a1b4c5d6e:/workspace# nvidia-smi".
  static bool IsRunInContainer(std::string_view text, Machine& machine) {
    const std::vector<std::string_view> words = Words(text.substr(0, 200));
    for (size_t i = 0; i + 1 < std::min<size_t>(words.size(), 4); ++i) {
      if (words[i + 1] != "exec") continue;
      if (words[i] == "docker" || words[i] == "nerdctl") return Container("docker", machine);
      if (words[i] == "kubectl" || words[i] == "crictl" || words[i] == "oc") return Container("kubernetes", machine);
      if (words[i] == "podman" || words[i] == "apptainer" || words[i] == "singularity" || words[i] == "enroot")
        return Container(words[i], machine);
    }
    constexpr std::string_view kUser = "root@";
    constexpr size_t kIdSize = 12;
    if (!text.starts_with(kUser) || text.size() < kUser.size() + kIdSize + 2 || text[kUser.size() + kIdSize] != ':')
      return false;
    const std::string_view id = text.substr(kUser.size(), kIdSize);
    return id.find_first_not_of("0123456789abcdef") == std::string_view::npos && Container("docker", machine);
  }

  // "OMP_NUM_THREADS=8", "export X=y", "OMP_NUM_THREADS unset".
  static bool Variable(std::string_view text, Machine& machine) {
    if (text.starts_with("export ")) text = Trim(text.substr(7));
    if (text.starts_with("OMP_NUM_THREADS") &&
        (text.find("unset") != std::string_view::npos || text.find("not set") != std::string_view::npos)) {
      if (!machine.variables) machine.variables.emplace();
      return true;
    }
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals > 60) return false;
    const std::string name(text.substr(0, equals));
    if (name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != std::string::npos) return false;
    std::string value(Trim(text.substr(equals + 1)));
    if (value.size() >= 2 && (value[0] == '"' || value[0] == '\'') && value.back() == value[0])
      value = value.substr(1, value.size() - 2);
    if (name == "LOCAL_WORLD_SIZE" || name == "OMPI_COMM_WORLD_LOCAL_SIZE") Ranks(value, machine);
    if (!record::IsShownVariable(name)) return false;
    if (!machine.variables) machine.variables.emplace();
    if (machine.variables->size() < kMostEntries) (*machine.variables)[name] = record::RedactedValue(name, value);
    return true;
  }

  static void Ranks(std::string_view value, Machine& machine) {
    constexpr uint64_t kMost = 4096;
    if (const auto count = Count(value); count && *count > 0 && *count <= kMost)
      machine.ranks = static_cast<unsigned>(*count);
  }

  bool Processors(std::string_view text, Machine& machine) const {
    // lscpu "CPU(s):   368", "nproc: 368", "368 cores".
    for (const std::string_view key : {"CPU(s):", "nproc:", "cores:", "processors:"}) {
      if (!text.starts_with(key)) continue;
      constexpr uint64_t kMost = 100000;
      const auto count = Count(Trim(text.substr(key.size())));
      if (count && *count > 0 && *count <= kMost) machine.cpu_threads = static_cast<unsigned>(*count);
      return count.has_value();
    }
    for (const std::string_view key :
         {"ranks:", "--nproc_per_node=", "--nproc-per-node=", "--nproc_per_node ", "--nproc-per-node "}) {
      const auto value = Behind(text, key);
      if (!value || (key == "ranks:" && !text.starts_with(key))) continue;
      Ranks(value->substr(0, value->find(' ')), machine);
      return true;
    }
    // cpu.max: "400000 100000", alone or behind its name.
    std::string_view quota = text;
    if (const auto behind = Behind(text, "cpu.max")) quota = *behind;
    else if (Words(text).size() != 2) return false;
    while (!quota.empty() &&
           (quota.front() == ':' || quota.front() == '=' || quota.front() == '`' || quota.front() == ' '))
      quota.remove_prefix(1);
    const auto words = Words(quota);
    if (words.size() < 2) return false;
    const auto part = Count(words[0]), period = Count(words[1].substr(0, words[1].find_first_not_of("0123456789")));
    constexpr uint64_t kLeastPeriod = 1000, kMostPeriod = 1000000;  // us, as the kernel allows
    if (!part || !period || *period < kLeastPeriod || *period > kMostPeriod) return false;
    machine.cpu_limit = static_cast<double>(*part) / static_cast<double>(*period);
    return true;
  }

  bool in_module_ = false;
};

}  // namespace

std::unique_ptr<LineReader> Make_host_facts() { return std::make_unique<HostFacts>(); }

}  // namespace warpscope::doctor::read
