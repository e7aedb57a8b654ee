// PciAddress: where a device sits, in the many ways in which logs write it. [MT] Values.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpscope::faults {

struct PciAddress {
  uint32_t domain = 0;
  uint8_t bus = 0;
  uint8_t device = 0;
  uint8_t function = 0;

  auto operator<=>(const PciAddress&) const = default;
};

// "0000:3b:00.0", the form that lspci -D prints and nvidia-smi -i takes.
std::string TextOf(const PciAddress& address);

// An address at the start of `text`, after "PCI:" if there: 0000:3b:00.0, 00000000:3b:00.0, 0000:3b:00 (Xid lines leave
// the function out), 3b:00.0. `size` receives its length. Absent if there is none.
std::optional<PciAddress> PciAt(std::string_view text, size_t* size = nullptr);

// The first address in `text`.
std::optional<PciAddress> FindPci(std::string_view text);

}  // namespace warpscope::faults
