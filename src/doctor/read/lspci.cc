// lspci in all its forms: one line a device, -nn with ids, -v and -vv with capabilities below it.
#include <charconv>

#include "doctor/read/line_reader.h"
#include "doctor/words.h"
#include "faults/pci_address.h"

namespace warpscope::doctor::read {
namespace {

struct Below {
  std::string address;
  std::optional<double> gt_per_s_max;
  std::optional<unsigned> width_max, first_bus, last_bus;
};

std::optional<double> NumberBehind(std::string_view line, std::string_view key) {
  const auto rest = Behind(line, key);
  double value = 0;
  constexpr double kMost = 1024;  // GT/s and lanes; PCIe 7 has 128 of the one, 32 of the other
  if (!rest || std::from_chars(rest->data(), rest->data() + rest->size(), value).ec != std::errc() || value <= 0 ||
      value > kMost)
    return std::nullopt;
  return value;
}

std::optional<unsigned> HexBehind(std::string_view line, std::string_view key) {
  const auto rest = Behind(line, key);
  unsigned value = 0;
  if (!rest || std::from_chars(rest->data(), rest->data() + rest->size(), value, 16).ec != std::errc() || value > 255)
    return std::nullopt;
  return value;
}

class Lspci final : public LineReader {
 public:
  std::vector<std::string_view> Marks() const override { return {"Unknown header type", "ACSCtl:"}; }
  bool Begins(std::string_view line) const override {
    if (line.empty()) return false;
    if (line[0] == ' ' || line[0] == '\t') return in_port_ || current_.has_value();
    // "3b:00.0 ", "0000:3b:00.0 ".
    return line.size() > 5 && (line[2] == ':' || line[4] == ':' || (line.size() > 8 && line[8] == ':'));
  }
  bool Line(std::string_view line, Machine& machine) override {
    if (line.empty()) return false;
    if (line[0] == ' ' || line[0] == '\t') return Capability(Trim(line), machine);
    size_t size = 0;
    const auto address = faults::PciAt(line, &size);
    // "0000:3b:00.0 3D controller: NVIDIA ...", "3b:00.0 Bridge [0680]: ...".
    if (!address || size + 1 >= line.size() || line[size] != ' ' ||
        line.substr(0, size).find('.') == std::string_view::npos)
      return false;
    const std::string_view rest = line.substr(size + 1);
    const size_t colon = rest.find(": ");
    if (colon == std::string_view::npos || colon > 60) return false;
    Device(faults::TextOf(*address), rest.substr(0, colon), rest.substr(colon + 2), machine);
    return true;
  }

  void End(Machine& machine) override {
    if (!machine.pci) return;
    for (PciDevice& device : *machine.pci) {
      const auto address = faults::PciAt(device.address);
      for (const Below& port : ports_) {
        const auto of_port = faults::PciAt(port.address);
        if (!address || !of_port || of_port->domain != address->domain || port.first_bus != address->bus) continue;
        device.link.slot_gt_per_s_max = port.gt_per_s_max;
        device.link.slot_width_max = port.width_max;
      }
    }
  }

 private:
  void Device(std::string address, std::string_view kind, std::string_view name, Machine& machine) {
    if (!machine.pci) machine.pci.emplace();
    current_.reset();
    in_port_ = false;
    if (machine.pci->size() >= kMostEntries || ports_.size() >= kMostEntries) return;
    const std::string words = Lower(kind);
    PciDevice device;
    device.address = std::move(address);
    device.vendor = VendorOf(name);
    const bool displays = words.find("vga") != std::string::npos || words.find("3d controller") != std::string::npos ||
                          words.find("display controller") != std::string::npos ||
                          words.find("processing accelerators") != std::string::npos;
    device.is_gpu = displays && device.vendor != Vendor::kAny;
    device.is_nvswitch = device.vendor == Vendor::kNvidia && words.starts_with("bridge");
    if (words.find("pci bridge") != std::string::npos) {
      ports_.push_back({device.address, {}, {}, {}, {}});
      in_port_ = true;
      return;
    }
    if (!device.is_gpu && !device.is_nvswitch) return;
    device.is_gone = name.find("(rev ff)") != std::string_view::npos;
    std::string_view product = name.substr(0, name.find(" [10de:"));
    product = product.substr(0, product.find(" (rev "));
    // "NVIDIA Corporation GA100 [A100 SXM4 80GB]": the name in brackets is the one on the box.
    const size_t open = product.rfind('['), close = product.rfind(']');
    device.name = std::string(open != std::string_view::npos && close != std::string_view::npos && close > open + 1
                                  ? product.substr(open + 1, close - open - 1)
                                  : product);
    machine.pci->push_back(std::move(device));
    current_ = machine.pci->size() - 1;
  }

  static Vendor VendorOf(std::string_view name) {
    if (name.starts_with("NVIDIA") || name.find("[10de:") != std::string_view::npos) return Vendor::kNvidia;
    if (name.starts_with("Advanced Micro Devices") || name.find("[1002:") != std::string_view::npos)
      return Vendor::kAmd;
    if (name.starts_with("Intel") || name.find("[8086:") != std::string_view::npos) return Vendor::kIntel;
    if (name.starts_with("Huawei") || name.find("[19e5:") != std::string_view::npos) return Vendor::kAscend;
    return Vendor::kAny;
  }

  bool Capability(std::string_view line, Machine& machine) {
    if (in_port_) return Port(line, machine);
    // Lines that were searched for, without the bridges that they are of.
    if (!current_ && !machine.pci && line.starts_with("ACSCtl:")) return Access({}, line, machine);
    if (!current_) return false;
    PciDevice& device = (*machine.pci)[*current_];
    if (line.starts_with("LnkCap:")) {
      device.link.gt_per_s_max = NumberBehind(line, "Speed ");
      if (const auto width = NumberBehind(line, "Width x")) device.link.width_max = static_cast<unsigned>(*width);
    } else if (line.starts_with("LnkSta:")) {
      device.link.gt_per_s = NumberBehind(line, "Speed ");
      if (const auto width = NumberBehind(line, "Width x")) device.link.width = static_cast<unsigned>(*width);
    } else if (const auto driver = Behind(line, "Kernel driver in use:")) {
      device.driver = std::string(driver->substr(0, 40));
    } else if (line.find("!!! Unknown header type 7f") != std::string_view::npos) {
      device.is_gone = true;
    } else if (line.starts_with("Kernel modules:") && !device.driver) {
      device.driver = "";  // modules are known, none is in use
    } else {
      return false;
    }
    return true;
  }

  // Requests or completions between devices below are redirected to the root.
  static bool Access(const std::string& address, std::string_view line, Machine& machine) {
    const bool redirects =
        line.find("ReqRedir+") != std::string_view::npos || line.find("CmpltRedir+") != std::string_view::npos;
    if (machine.bridges.size() < kMostEntries) machine.bridges.push_back({address, redirects});
    return true;
  }

  bool Port(std::string_view line, Machine& machine) {
    Below& port = ports_.back();
    if (line.starts_with("Bus:")) {
      port.first_bus = HexBehind(line, "secondary=");
      port.last_bus = HexBehind(line, "subordinate=");
    } else if (line.starts_with("LnkCap:")) {
      port.gt_per_s_max = NumberBehind(line, "Speed ");
      if (const auto width = NumberBehind(line, "Width x")) port.width_max = static_cast<unsigned>(*width);
    } else if (line.starts_with("ACSCtl:")) {
      return Access(port.address, line, machine);
    } else {
      return false;
    }
    return true;
  }

  std::optional<size_t> current_;
  std::vector<Below> ports_;
  bool in_port_ = false;
};

}  // namespace

std::unique_ptr<LineReader> Make_lspci() { return std::make_unique<Lspci>(); }

}  // namespace warpscope::doctor::read
