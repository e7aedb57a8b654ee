#include "faults/pci_address.h"

#include <fmt/format.h>

#include "faults/scan_text.h"

namespace warpscope::faults {
namespace {

constexpr uint64_t kMostDevices = 32;  // of a bus; PCI Express numbers devices with five bits

}  // namespace

std::string TextOf(const PciAddress& address) {
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", address.domain, address.bus, address.device, address.function);
}

std::optional<PciAddress> PciAt(std::string_view text, size_t* size) {
  std::string_view rest = text;
  Skip(rest, "PCI:");
  const std::string_view at_first = rest;
  const auto first = TakeHex(rest);
  const size_t first_digits = at_first.size() - rest.size();
  if (!first || !Skip(rest, ":")) return {};
  const std::string_view at_second = rest;
  const auto second = TakeHex(rest);
  if (!second || at_second.size() - rest.size() != 2) return {};
  PciAddress address;
  bool short_form = false;
  if ((first_digits == 4 || first_digits == 8) && rest.starts_with(':')) {
    rest.remove_prefix(1);
    const std::string_view at_third = rest;
    const auto third = TakeHex(rest);
    if (!third || at_third.size() - rest.size() != 2 || *third >= kMostDevices || *first > UINT32_MAX) return {};
    address = {static_cast<uint32_t>(*first), static_cast<uint8_t>(*second), static_cast<uint8_t>(*third), 0};
  } else if (first_digits == 2 && *second < kMostDevices) {
    address = {0, static_cast<uint8_t>(*first), static_cast<uint8_t>(*second), 0};
    short_form = true;
  } else {
    return {};
  }
  const bool has_function = rest.size() >= 2 && rest[0] == '.' && rest[1] >= '0' && rest[1] <= '7' &&
                            (rest.size() == 2 || !IsWordByte(rest[2]));
  if (has_function) {
    address.function = static_cast<uint8_t>(rest[1] - '0');
    rest.remove_prefix(2);
  } else if (short_form) {
    return {};  // 12:34 alone is a time of day
  }
  if (size != nullptr) *size = text.size() - rest.size();
  return address;
}

std::optional<PciAddress> FindPci(std::string_view text) {
  for (size_t at = text.find(':'); at != std::string_view::npos; at = text.find(':', at + 1)) {
    for (const size_t digits : {8, 4, 2}) {
      if (at < digits || (at > digits && IsWordByte(text[at - digits - 1]))) continue;
      if (const auto address = PciAt(text.substr(at - digits))) return address;
    }
  }
  return {};
}

}  // namespace warpscope::faults
