#include "record/visible_devices.h"

#include "record/system.h"

namespace warpscope::record {
namespace {

std::optional<unsigned> RowOf(const std::vector<device::GpuFacts>& gpus, const std::string& word) {
  if (const auto number = NumberIn(word))
    return *number < gpus.size() ? std::optional(static_cast<unsigned>(*number)) : std::nullopt;
  std::optional<unsigned> found;
  for (const device::GpuFacts& gpu : gpus) {
    if (word.rfind("GPU-", 0) != 0 || gpu.uuid.rfind(word, 0) != 0) continue;
    if (found) return std::nullopt;  // a start that fits several names none
    found = gpu.index;
  }
  return found;
}

}  // namespace

std::vector<VisibleDevice> VisibleDevices(const std::vector<device::GpuFacts>& gpus,
                                          const std::optional<std::string>& wanted) {
  std::vector<VisibleDevice> visible;
  if (!wanted || wanted->find("MIG") != std::string::npos) {
    for (const device::GpuFacts& gpu : gpus) visible.push_back({gpu.index, static_cast<int>(gpu.index)});
    return visible;
  }
  for (const std::string& part : Split(*wanted, ',')) {
    const auto row = RowOf(gpus, Trimmed(part));
    if (!row) break;
    visible.push_back({*row, static_cast<int>(visible.size())});
  }
  return visible;
}

bool NumbersMayDiffer(const std::vector<device::GpuFacts>& gpus, const std::optional<std::string>& order) {
  if (order == "PCI_BUS_ID") return false;
  for (const device::GpuFacts& gpu : gpus) {
    if (gpu.name != gpus.front().name) return true;
  }
  return false;
}

}  // namespace warpscope::record
