#include "faults/pci_tree.h"

#include "faults/scan_text.h"

namespace warpscope::faults {
namespace {

Vendor VendorOfId(uint64_t id) {
  switch (id) {
    case 0x10de: return Vendor::kNvidia;
    case 0x1002: return Vendor::kAmd;
    case 0x8086: return Vendor::kIntel;
    case 0x19e5: return Vendor::kAscend;
  }
  return Vendor::kAny;
}

Vendor VendorInWords(std::string_view words) {
  if (HasNoCase(words, "nvidia")) return Vendor::kNvidia;
  if (HasNoCase(words, "advanced micro devices") || HasNoCase(words, "amd/ati")) return Vendor::kAmd;
  if (HasNoCase(words, "intel")) return Vendor::kIntel;
  if (HasNoCase(words, "huawei")) return Vendor::kAscend;
  return Vendor::kAny;
}

// Display controllers (class 03) and processing accelerators (class 12): PCI Code and ID Assignment Specification.
bool IsGpuClass(std::string_view digits) { return digits.starts_with("03") || digits.starts_with("12"); }

bool IsGpuWords(std::string_view words) {
  return words.starts_with("VGA compatible controller") || words.starts_with("3D controller") ||
         words.starts_with("Display controller") || words.starts_with("Processing accelerators");
}

// "01", "01-02", "01-ff]"
bool TakeBuses(std::string_view text, uint8_t* first, uint8_t* last) {
  const auto low = TakeHex(text);
  if (!low || *low > 255) return false;
  auto high = low;
  if (Skip(text, "-")) high = TakeHex(text);
  if (!high || *high > 255 || *high < *low) return false;
  *first = static_cast<uint8_t>(*low);
  *last = static_cast<uint8_t>(*high);
  return true;
}

}  // namespace

void PciTree::AddBridge(const PciAddress& port, uint8_t first_bus, uint8_t last_bus) {
  if (bridges_.size() >= kMostDevices && !bridges_.contains(port)) return;
  bridges_[port] = {first_bus, last_bus};
}

void PciTree::AddGpu(const PciAddress& address, Vendor vendor, std::string_view name) {
  if (gpus_.size() >= kMostDevices && !IsGpu(address)) return;
  Gpu& gpu = gpus_.try_emplace(Plain(address), Gpu{vendor, ""}).first->second;
  if (vendor != Vendor::kAny) gpu.vendor = vendor;
  if (!name.empty()) gpu.name = name.substr(0, 120);
}

std::vector<PciAddress> PciTree::Gpus(Vendor vendor) const {
  std::vector<PciAddress> found;
  for (const auto& [address, gpu] : gpus_) {
    if (vendor == Vendor::kAny || gpu.vendor == vendor) found.push_back(address);
  }
  return found;
}

std::vector<PciAddress> PciTree::GpusAt(const PciAddress& device) const {
  if (IsGpu(device)) return {Plain(device)};
  std::vector<PciAddress> below;
  const auto bridge = bridges_.find(device);
  if (bridge == bridges_.end()) return below;
  for (const auto& [address, gpu] : gpus_) {
    if (address.domain == device.domain && address.bus >= bridge->second.first_bus &&
        address.bus <= bridge->second.last_bus)
      below.push_back(address);
  }
  return below;
}

Vendor PciTree::VendorAt(const PciAddress& address) const {
  const auto gpu = gpus_.find(Plain(address));
  return gpu == gpus_.end() ? Vendor::kAny : gpu->second.vendor;
}

std::string PciTree::NameAt(const PciAddress& address) const {
  const auto gpu = gpus_.find(Plain(address));
  return gpu == gpus_.end() ? "" : gpu->second.name;
}

bool PciTree::ReadKernelLine(std::string_view message) {
  std::string_view rest = message;
  const std::string_view driver = TakeWord(rest);
  size_t size = 0;
  const auto address = PciAt(rest, &size);
  if (!address || rest.starts_with("PCI:")) return false;
  rest.remove_prefix(size);
  if (!Skip(rest, ":")) return false;
  SkipSpaces(rest);
  if (driver == "nvidia") AddGpu(*address, Vendor::kNvidia);
  if (driver == "amdgpu") AddGpu(*address, Vendor::kAmd);
  if (driver == "i915" || driver == "xe") AddGpu(*address, Vendor::kIntel);
  if (driver != "pci") return false;  // what it says is others' matter
  uint8_t first = 0, last = 0;
  if (const auto buses = After(rest, "PCI bridge to [bus ")) {
    if (TakeBuses(*buses, &first, &last)) AddBridge(*address, first, last);
    return true;
  }
  if (!Skip(rest, "[")) return false;
  const auto vendor = TakeHex(rest);
  const auto pci_class = After(rest, "class 0x");
  if (vendor && pci_class && IsGpuClass(*pci_class) && VendorOfId(*vendor) != Vendor::kAny)
    AddGpu(*address, VendorOfId(*vendor));
  return true;
}

bool PciTree::ReadLspciLine(std::string_view line) {
  if (line.empty()) return false;
  size_t size = 0;
  if (IsHex(line[0])) {
    const auto address = PciAt(line, &size);
    if (!address || size >= line.size() || line[size] != ' ') return false;
    lspci_device_ = *address;
    std::string_view words = line.substr(size + 1);
    if (words.starts_with('"')) words.remove_prefix(1);  // lspci -m
    if (IsGpuWords(words)) {
      const auto name = After(words, ": ");
      AddGpu(*address, VendorInWords(words), name.value_or(""));
    } else if (Has(words, ": ") && words.size() > 5 && IsHex(words[0]) && words[4] == ':' && IsGpuClass(words)) {
      std::string_view ids = *After(words, ": ");  // lspci -n: "0302: 10de:20b2"
      if (const auto vendor = TakeHex(ids)) AddGpu(*address, VendorOfId(*vendor));
    }
    return true;
  }
  if (lspci_device_ && (line[0] == '\t' || line[0] == ' ')) {
    const auto second = After(line, "secondary=");
    const auto last = After(line, "subordinate=");
    if (second && last && Has(line, "Bus: primary=")) {
      std::string_view second_digits = *second, last_digits = *last;
      const auto low = TakeHex(second_digits), high = TakeHex(last_digits);
      if (low && high && *low <= *high && *high <= 255)
        AddBridge(*lspci_device_, static_cast<uint8_t>(*low), static_cast<uint8_t>(*high));
      return true;
    }
  }
  return (Has(line, "-[") || Has(line, "+-") || Has(line, "\\-")) && ReadLspciTree(line);
}

// "-[0000:00]-+-00.0  Name", "           +-01.0-[01]----00.0  NVIDIA ...", "           |  \-00.1". The bus of a device
// is that of the bracket before it in the line, else that of the branch whose column it hangs on.
bool PciTree::ReadLspciTree(std::string_view line) {
  std::optional<PciAddress> bus;
  std::optional<PciAddress> device;
  for (size_t at = 0; at < line.size(); ++at) {
    const char byte = line[at];
    if (byte == '[') {
      std::string_view rest = line.substr(at + 1);
      const std::string_view start = rest;
      const auto low = TakeHex(rest);
      if (!low) return false;
      if (start.size() - rest.size() >= 4 && Skip(rest, ":")) {  // a root: domain and bus
        const auto root = TakeHex(rest);
        if (!root || *root > 255) return false;
        bus = PciAddress{static_cast<uint32_t>(*low), static_cast<uint8_t>(*root), 0, 0};
        branches_.clear();
      } else {
        uint8_t first = 0, last = 0;
        if (!device || !TakeBuses(start, &first, &last)) return false;
        AddBridge(*device, first, last);
        bus = PciAddress{device->domain, first, 0, 0};
      }
      at += line.substr(at).find(']');
      if (at >= line.size()) return false;
    } else if (byte == '+' || byte == '\\') {
      if (bus) branches_[at] = *bus;
      else if (const auto branch = branches_.find(at); branch != branches_.end()) bus = branch->second;
      else return false;
    } else if (IsHex(byte)) {
      std::string_view rest = line.substr(at);
      const auto number = TakeHex(rest);
      if (!bus || !number || *number > 31 || rest.size() < 2 || rest[0] != '.' || !IsDigit(rest[1])) return false;
      device = PciAddress{bus->domain, bus->bus, static_cast<uint8_t>(*number), static_cast<uint8_t>(rest[1] - '0')};
      rest.remove_prefix(2);
      if (rest.starts_with("  ") || rest.empty()) {  // the name: the end of what matters
        const std::string_view name = Trim(rest);
        const Vendor vendor = VendorInWords(name);
        const bool is_part = HasNoCase(name, "audio") || HasNoCase(name, "usb") || HasNoCase(name, "bridge") ||
                             HasNoCase(name, "switch") || HasNoCase(name, "serial");
        // The tree tells no class: NVIDIA's function 0 below a port is a GPU unless its name says otherwise.
        if (vendor == Vendor::kNvidia && device->function == 0 && !is_part) AddGpu(*device, vendor, name);
        return true;
      }
      at = line.size() - rest.size() - 1;
    }
  }
  return device.has_value();
}

}  // namespace warpscope::faults
