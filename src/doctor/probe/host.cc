// The host: variables, processors and their limits, memory; processes that matter.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "doctor/probe/probe.h"
#include "record/environment.h"

namespace warpscope::doctor {
namespace {

std::optional<double> CpuLimit(const record::Facts& facts) {
  for (const auto& [name, value] : facts) {
    double limit = 0;
    const bool is_number = std::from_chars(value.data(), value.data() + value.size(), limit).ec == std::errc();
    if (name == "cpu_limit" && is_number) return limit;
  }
  return std::nullopt;
}

// "D" of "4711 (python3 x) D 1 ...": the name may hold anything, so the last bracket counts.
char StateIn(const std::string& stat) {
  const size_t close = stat.rfind(')');
  return close == std::string::npos || close + 2 >= stat.size() ? '\0' : stat[close + 2];
}

}  // namespace

void ProbeHost(const record::System& system, Machine& machine) {
  machine.variables.emplace();
  for (const auto& [name, value] : system.Variables()) {
    if (record::IsShownVariable(name)) (*machine.variables)[name] = record::RedactedValue(name, value);
  }
  record::Facts facts;
  record::AddMachineFacts(system, facts);
  for (const auto& [name, value] : facts) {
    if (name == "cpu_threads") machine.cpu_threads = static_cast<unsigned>(record::NumberIn(value).value_or(0));
    if (name == "memory_total_host_bytes") machine.memory_bytes = record::NumberIn(value);
    if (name == "virtual_machine") machine.is_virtual = true;
  }
  machine.cpu_limit = CpuLimit(facts);
  const std::string uptime = system.Read("/proc/uptime").value_or("");  // "12345.67 ..."
  double seconds = 0;
  if (std::from_chars(uptime.data(), uptime.data() + uptime.size(), seconds).ec == std::errc())
    machine.uptime_s = seconds;
  for (const char* name : {"LOCAL_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE", "SLURM_NTASKS_PER_NODE"}) {
    const auto count = record::NumberIn(system.Variable(name).value_or(""));
    if (count && *count > 0 && !machine.ranks) machine.ranks = static_cast<unsigned>(std::min<uint64_t>(*count, 4096));
  }
  // Slots of memory: DMI type 17, whose size field (bytes 12 and 13) is 0 for an empty one. Only root may read them.
  unsigned modules = 0;
  for (const std::string& name : system.List("/sys/firmware/dmi/entries")) {
    if (!name.starts_with("17-")) continue;
    const std::string raw = system.Read("/sys/firmware/dmi/entries/" + name + "/raw").value_or("");
    if (raw.size() > 13 && (raw[12] != 0 || raw[13] != 0)) ++modules;
  }
  if (modules > 0) machine.memory_modules = modules;
  if (machine.container.empty() && system.Exists("/etc/docker")) {
    const bool has = system.Exists("/usr/bin/nvidia-container-runtime") || system.Exists("/usr/bin/nvidia-ctk");
    if (!machine.PciGpus(Vendor::kNvidia).empty()) machine.container_toolkit = has;
  }
}

void ProbeProcesses(const record::System& system, Machine& machine) {
  constexpr size_t kMostProcesses = 5000, kMostFiles = 512;
  machine.mps_runs = false;
  machine.holders.emplace();
  size_t count = 0;
  for (const std::string& name : system.List("/proc")) {
    const auto pid = record::NumberIn(name);
    if (!pid || ++count > kMostProcesses) continue;
    const std::string folder = "/proc/" + name;
    Process process{*pid, record::FirstLineOf(system, folder + "/comm"), std::nullopt, true,
                    StateIn(record::FirstLineOf(system, folder + "/stat"))};
    if (process.name == "nv-fabricmanager") machine.fabric_manager = Service{true, "", ""};
    if (process.name == "nvidia-persiste")
      machine.persistence_daemon = Service{true, "", ""};  // the kernel keeps 15 bytes
    if (process.name == "nvidia-cuda-mps") machine.mps_runs = true;
    size_t files = 0;
    for (const std::string& file : system.List(folder + "/fd")) {
      if (++files > kMostFiles) break;
      const std::string target = system.RealPath(folder + "/fd/" + file);
      const bool is_device =
          target.starts_with("/dev/nvidia") && target.size() > 11 && target[11] >= '0' && target[11] <= '9';
      if (!is_device && target != "/dev/kfd") continue;
      machine.holders->push_back(process);
      break;
    }
    for (Gpu& gpu : machine.gpus) {
      if (!gpu.processes) continue;
      for (Process& one : *gpu.processes) {
        if (one.pid != *pid) continue;
        one.name = process.name, one.is_seen = true, one.state = process.state;
      }
    }
  }
  for (Gpu& gpu : machine.gpus) {
    if (!gpu.processes) continue;
    for (Process& one : *gpu.processes) {
      if (!one.is_seen) one.is_seen = false;
    }
  }
}

}  // namespace warpscope::doctor
