#include "record/gpu_watch.h"

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace warpscope::record {
namespace {

// Whether the maps could be read, and whether they hold a device.
struct Maps {
  bool read = false, device = false;
};

Maps MapsOf(pid_t process) {
  constexpr std::string_view kDevices[] = {"/dev/nvidia", "/dev/kfd", "/dev/dri/render", "/dev/dxg"};
  std::ifstream file("/proc/" + std::to_string(process) + "/maps");
  Maps maps;
  std::string line;
  while (!maps.device && std::getline(file, line)) {
    maps.read = true;
    for (const std::string_view device : kDevices) maps.device |= line.find(device) != std::string::npos;
  }
  return maps;
}

void AddChildren(pid_t process, std::vector<pid_t>* processes) {
  const std::string number = std::to_string(process);
  std::ifstream file("/proc/" + number + "/task/" + number + "/children");
  pid_t child = 0;
  while (file >> child) processes->push_back(child);
}

}  // namespace

void GpuWatch::Look() {
  constexpr size_t kMostProcesses = 64;
  if (seen_) return;
  std::vector<pid_t> processes = {process_};
  bool read = false;
  for (size_t i = 0; i < processes.size() && i < kMostProcesses; ++i) {
    const Maps maps = MapsOf(processes[i]);
    read |= maps.read, seen_ |= maps.device;
    AddChildren(processes[i], &processes);
  }
  looks_ += read ? 1 : 0;
}

std::optional<bool> GpuWatch::Used() const {
  constexpr uint32_t kFewest = 5;
  if (seen_) return true;
  return looks_ >= kFewest ? std::optional(false) : std::nullopt;
}

}  // namespace warpscope::record
