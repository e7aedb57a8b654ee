// The PCI bus by /sys/bus/pci.
#include <fmt/format.h>

#include <array>
#include <charconv>

#include "doctor/probe/probe.h"

namespace warpscope::doctor {
namespace {

constexpr const char* kBus = "/sys/bus/pci/devices";

struct VendorId {
  std::string_view id;
  Vendor vendor;
};
constexpr std::array kVendors = {VendorId{"0x10de", Vendor::kNvidia}, VendorId{"0x1002", Vendor::kAmd},
                                 VendorId{"0x8086", Vendor::kIntel}, VendorId{"0x19e5", Vendor::kAscend}};

// "16.0 GT/s PCIe", "Unknown".
std::optional<double> Rate(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && value > 0 ? std::optional(value) : std::nullopt;
}

std::optional<unsigned> Lanes(const std::string& text) {
  const auto value = record::NumberIn(text);
  constexpr uint64_t kMostLanes = 32;  // 255 stands for "unknown"
  return value && *value > 0 && *value <= kMostLanes ? std::optional(static_cast<unsigned>(*value)) : std::nullopt;
}

PcieLink LinkOf(const record::System& system, const std::string& folder) {
  PcieLink link;
  link.gt_per_s = Rate(record::FirstLineOf(system, folder + "/current_link_speed"));
  link.gt_per_s_max = Rate(record::FirstLineOf(system, folder + "/max_link_speed"));
  link.width = Lanes(record::FirstLineOf(system, folder + "/current_link_width"));
  link.width_max = Lanes(record::FirstLineOf(system, folder + "/max_link_width"));
  const std::string port = record::FolderOf(system.RealPath(folder));
  if (PlainAddress(record::BaseName(port)).empty()) return link;
  link.slot_gt_per_s_max = Rate(record::FirstLineOf(system, port + "/max_link_speed"));
  link.slot_width_max = Lanes(record::FirstLineOf(system, port + "/max_link_width"));
  return link;
}

}  // namespace

void ProbeBus(const record::System& system, Machine& machine) {
  const std::vector<std::string> names = system.List(kBus);
  if (names.empty()) return;
  machine.pci.emplace();
  for (const std::string& name : names) {
    const std::string folder = fmt::format("{}/{}", kBus, name);
    // Classes of PCI: 0x0300 VGA, 0x0302 3D, 0x0380 display, 0x12.. accelerator, 0x0680 other bridge.
    const std::string vendor = record::FirstLineOf(system, folder + "/vendor"),
                      kind = record::FirstLineOf(system, folder + "/class");
    PciDevice device;
    device.address = PlainAddress(name);
    for (const VendorId& one : kVendors) {
      if (vendor == one.id) device.vendor = one.vendor;
    }
    if (device.vendor == Vendor::kAny || device.address.empty()) continue;
    device.is_gpu = kind.starts_with("0x03") || kind.starts_with("0x12");
    device.is_nvswitch = device.vendor == Vendor::kNvidia && kind.starts_with("0x0680");
    if (!device.is_gpu && !device.is_nvswitch) continue;
    const std::string driver = system.RealPath(folder + "/driver");
    device.driver = driver.empty() ? std::string() : record::BaseName(driver);
    device.link = LinkOf(system, folder);
    // A device that fell off answers its configuration with ones only.
    const auto config = system.ReadAt(folder + "/config", 0, 4);
    device.is_gone = config && *config == std::string(4, '\xff');
    const std::string group = record::FirstLineOf(system, folder + "/iommu_group/type");
    if (!group.empty()) machine.iommu_translates = machine.iommu_translates.value_or(false) || group.starts_with("DMA");
    machine.pci->push_back(std::move(device));
  }
}

}  // namespace warpscope::doctor
