// PciTree: which devices hang below which port, gathered from the kernel's own lines at start-up and from what lspci
// prints (plain, -v, -t). A port that reports an error is not the device that caused it: this finds the device.
// [one thread] to fill, [MT] to ask.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "faults/catalogue.h"
#include "faults/pci_address.h"

namespace warpscope::faults {

class PciTree {
 public:
  // A kernel message: "pci 0000:00:01.0: PCI bridge to [bus 01]", "pci 0000:01:00.0: [10de:2330] type 00 class
  // 0x030200", "nvidia 0000:01:00.0: enabling device". True if it told something.
  bool ReadKernelLine(std::string_view message);
  // A line of lspci in any of its forms.
  bool ReadLspciLine(std::string_view line);
  // May be a line of lspci that no word tells: "0000:3b:00.0 ...", "3b:00.0 ...", "\tBus: primary=...".
  static bool Begins(std::string_view line) {
    const bool is_place = line.size() > 5 && (line[2] == ':' || line[4] == ':' || (line.size() > 8 && line[8] == ':'));
    return is_place || (!line.empty() && (line[0] == '\t' || line[0] == ' '));
  }

  void AddBridge(const PciAddress& port, uint8_t first_bus, uint8_t last_bus);
  void AddGpu(const PciAddress& address, Vendor vendor, std::string_view name = {});

  bool IsGpu(const PciAddress& address) const { return gpus_.contains(Plain(address)); }
  std::vector<PciAddress> Gpus(Vendor vendor) const;  // kAny: all; in order of address
  // The device itself if it is a GPU, else the GPUs below the port.
  std::vector<PciAddress> GpusAt(const PciAddress& device) const;
  bool KnowsPort(const PciAddress& port) const { return bridges_.contains(port); }
  Vendor VendorAt(const PciAddress& address) const;
  std::string NameAt(const PciAddress& address) const;  // "" if unknown

 private:
  struct Bridge {
    uint8_t first_bus;
    uint8_t last_bus;
  };
  struct Gpu {
    Vendor vendor;
    std::string name;
  };
  // GPUs have their audio and USB functions at the same place.
  static PciAddress Plain(PciAddress address) {
    address.function = 0;
    return address;
  }
  bool ReadLspciTree(std::string_view line);

  static constexpr size_t kMostDevices = 20000;
  std::map<PciAddress, Bridge> bridges_;
  std::map<PciAddress, Gpu> gpus_;
  std::optional<PciAddress> lspci_device_;  // of the block of `lspci -v` that is being read
  std::map<size_t, PciAddress> branches_;   // of `lspci -t`: column of a branch -> its domain and bus
};

}  // namespace warpscope::faults
