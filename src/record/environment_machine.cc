// The machine: processor, memory, kernel, and the limits around the process.
#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <set>

#include "record/environment.h"

namespace warpscope::record {
namespace {

constexpr size_t kMostCpuInfoBytes = 4u << 20;

// Sockets and cores of /proc/cpuinfo, its hypervisor flag.
void AddProcessor(const System& system, Facts& facts) {
  const std::string text = system.Read("/proc/cpuinfo", kMostCpuInfoBytes).value_or("");
  std::set<std::string> sockets, cores;
  std::string model, socket;
  size_t threads = 0;
  for (const std::string& line : Split(text, '\n')) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string key = Trimmed(line.substr(0, colon)), value = Trimmed(line.substr(colon + 1));
    if (key == "processor") ++threads;
    else if (key == "model name" && model.empty()) model = value;
    else if (key == "physical id") sockets.insert(socket = value);
    else if (key == "core id") cores.insert(socket + "/" + value);
  }
  facts.emplace_back("cpu", model);
  if (!sockets.empty()) facts.emplace_back("cpu_sockets", std::to_string(sockets.size()));
  if (!cores.empty()) facts.emplace_back("cpu_cores", std::to_string(cores.size()));
  if (threads > 0) facts.emplace_back("cpu_threads", std::to_string(threads));
  facts.emplace_back("cpu_affinity", ValueIn(system, "/proc/self/status", "Cpus_allowed_list", ':'));
  const auto nodes = system.List("/sys/devices/system/node");
  const auto count = std::count_if(nodes.begin(), nodes.end(), [](const std::string& name) {
    return name.rfind("node", 0) == 0 && NumberIn(name.substr(4)).has_value();
  });
  if (count > 0) facts.emplace_back("numa_nodes", std::to_string(count));
  facts.emplace_back("cpu_governor", FirstLineOf(system, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"));
  const std::string clock = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
  facts.emplace_back("clock_source", FirstLineOf(system, clock));
  const bool is_guest = text.find(" hypervisor") != std::string::npos;
  const std::string vendor = FirstLineOf(system, "/sys/class/dmi/id/sys_vendor");
  const std::string product = FirstLineOf(system, "/sys/class/dmi/id/product_name");
  if (is_guest)
    facts.emplace_back("virtual_machine",
                       Trimmed(vendor + " " + product).empty() ? "yes" : Trimmed(vendor + " " + product));
}

// Folders of the control groups around the process, innermost first: version 2 has one tree, version 1 one a
// controller.
std::vector<std::string> GroupFolders(const System& system, const std::string& controller) {
  std::vector<std::string> folders;
  const std::string root = "/sys/fs/cgroup" + (controller.empty() ? controller : "/" + controller);
  for (const std::string& line : Split(system.Read("/proc/self/cgroup").value_or(""), '\n')) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::vector<std::string> controllers = Split(line.substr(first + 1, second - first - 1), ',');
    const bool is_it = controller.empty()
                           ? controllers.empty()
                           : std::find(controllers.begin(), controllers.end(), controller) != controllers.end();
    if (!is_it) continue;
    for (std::string path = line.substr(second + 1); path.size() > 1; path = FolderOf(path))
      folders.push_back(root + path);
    break;
  }
  folders.push_back(root);
  return folders;
}

void KeepLower(std::optional<double>& lowest, std::optional<double> value) {
  if (value && (!lowest || *value < *lowest)) lowest = value;
}

// The tightest limits of all groups around the process.
void AddLimits(const System& system, Facts& facts) {
  std::optional<double> cpus, bytes;
  const auto ratio = [](const std::string& quota, const std::string& period) -> std::optional<double> {
    const auto part = NumberIn(quota), whole = NumberIn(period);
    if (!part || !whole || *whole == 0) return std::nullopt;
    return static_cast<double>(*part) / static_cast<double>(*whole);
  };
  const auto size = [](const std::string& text) -> std::optional<double> {
    const auto number = NumberIn(text);
    constexpr uint64_t kUnlimited = uint64_t{1} << 60;  // version 1 writes a huge number for none
    return number && *number < kUnlimited ? std::optional(static_cast<double>(*number)) : std::nullopt;
  };
  for (const std::string& folder : GroupFolders(system, "")) {
    const std::vector<std::string> quota = Split(FirstLineOf(system, folder + "/cpu.max"), ' ');
    if (quota.size() == 2) KeepLower(cpus, ratio(quota[0], quota[1]));
    KeepLower(bytes, size(FirstLineOf(system, folder + "/memory.max")));
  }
  for (const std::string& folder : GroupFolders(system, "cpu"))
    KeepLower(cpus, ratio(FirstLineOf(system, folder + "/cpu.cfs_quota_us"),
                          FirstLineOf(system, folder + "/cpu.cfs_period_us")));
  for (const std::string& folder : GroupFolders(system, "memory"))
    KeepLower(bytes, size(FirstLineOf(system, folder + "/memory.limit_in_bytes")));
  if (cpus) facts.emplace_back("cpu_limit", fmt::format("{:.2f}", *cpus));
  if (bytes) facts.emplace_back("memory_limit_bytes", fmt::format("{:.0f}", *bytes));
}

// "[always] madvise never" -> "always".
std::string Chosen(const std::string& line) {
  const size_t open = line.find('['), close = line.find(']');
  return open == std::string::npos || close == std::string::npos || close < open
             ? std::string()
             : line.substr(open + 1, close - open - 1);
}

}  // namespace

void AddMachineFacts(const System& system, Facts& facts) {
  facts.emplace_back("host_name", FirstLineOf(system, "/proc/sys/kernel/hostname"));
  facts.emplace_back("kernel", Trimmed("Linux " + FirstLineOf(system, "/proc/sys/kernel/osrelease")));
  facts.emplace_back("operating_system", ValueIn(system, "/etc/os-release", "PRETTY_NAME", '='));
  AddProcessor(system, facts);
  const std::vector<std::string> memory = Split(ValueIn(system, "/proc/meminfo", "MemTotal", ':'), ' ');
  constexpr uint64_t kKibibyte = 1024;
  if (const auto kib = memory.empty() ? std::nullopt : NumberIn(memory[0]))
    facts.emplace_back("memory_total_host_bytes", std::to_string(*kib * kKibibyte));
  facts.emplace_back("huge_pages", Chosen(FirstLineOf(system, "/sys/kernel/mm/transparent_hugepage/enabled")));
  facts.emplace_back("container", IsWsl(system) ? "WSL" : ContainerKind(system));
  AddLimits(system, facts);
}

}  // namespace warpscope::record
