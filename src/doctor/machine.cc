#include "doctor/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "faults/pci_address.h"

namespace warpscope::doctor {
namespace {

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

struct Product {
  std::string_view words;  // in the product's name, lower case; the first that fits wins
  int major, minor;
};
// Longer names stand before the shorter ones that they hold.
constexpr std::array kProducts = {
    Product{"gb10", 12, 1},
    Product{"spark", 12, 1},
    Product{"thor", 11, 0},
    Product{"b300", 10, 3},
    Product{"b200", 10, 0},
    Product{"b100", 10, 0},
    Product{"rtx pro", 12, 0},
    Product{"rtx 50", 12, 0},
    Product{"h200", 9, 0},
    Product{"h100", 9, 0},
    Product{"h800", 9, 0},
    Product{"h20", 9, 0},
    Product{"gh200", 9, 0},
    Product{"l40", 8, 9},
    Product{"l20", 8, 9},
    Product{"nvidia l4", 8, 9},
    Product{"ada generation", 8, 9},
    Product{"6000 ada", 8, 9},
    Product{"sff ada", 8, 9},
    Product{"rtx 40", 8, 9},
    Product{"a100", 8, 0},
    Product{"a800", 8, 0},
    Product{"a30", 8, 0},
    Product{"orin", 8, 7},
    Product{"a10", 8, 6},
    Product{"a16", 8, 6},
    Product{"a40", 8, 6},
    Product{"a2", 8, 6},
    Product{"rtx a", 8, 6},
    Product{"rtx 30", 8, 6},
    Product{"rtx 20", 7, 5},
    Product{"gtx 16", 7, 5},
    Product{"quadro rtx", 7, 5},
    Product{"titan rtx", 7, 5},
    Product{"tesla t4", 7, 5},
    Product{"t400", 7, 5},
    Product{"t1000", 7, 5},
    Product{"t600", 7, 5},
    Product{"xavier", 7, 2},
    Product{"v100", 7, 0},
    Product{"titan v", 7, 0},
    Product{"gv100", 7, 0},
    Product{"p100", 6, 0},
    Product{"gp100", 6, 0},
    Product{"tesla p4", 6, 1},
    Product{"gtx 10", 6, 1},
    Product{"gt 10", 6, 1},
    Product{"quadro p", 6, 1},
    Product{"titan x (pascal)", 6, 1},
    Product{"titan xp", 6, 1},
    Product{"gtx 9", 5, 2},
    Product{"tesla m", 5, 2},
    Product{"quadro m", 5, 2},
    Product{"titan x", 5, 2},
    Product{"gtx 75", 5, 0},
    Product{"tesla k80", 3, 7},
    Product{"tesla k", 3, 5},
    Product{"k520", 3, 0},
    Product{"gt 7", 3, 5},
    Product{"gtx 7", 3, 5},
    Product{"gtx 6", 3, 0},
};
// What an architecture has at least, where the product is not known.
constexpr std::array kArchitectures = {
    Product{"ada lovelace", 8, 9},
    Product{"hopper", 9, 0},
    Product{"turing", 7, 5},
    Product{"volta", 7, 0},
};

std::optional<double> LastNumber(const std::vector<Look>& looks, model::ReadingName name) {
  for (auto look = looks.rbegin(); look != looks.rend(); ++look) {
    if (const auto value = look->Number(name)) return value;
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> Look::Number(ReadingName reading) const {
  const auto found = values.find(reading);
  return found == values.end() ? std::nullopt : found->second.number;
}

std::string Look::Text(ReadingName reading) const {
  const auto found = values.find(reading);
  return found == values.end() ? std::string() : found->second.text;
}

std::string Gpu::Label() const {
  std::string label = vendor == Vendor::kAscend ? "NPU" : "GPU";
  if (index) label += fmt::format(" {}", *index);
  else if (!address.empty()) label += " " + address;
  if (!name.empty()) label += " " + name;
  return label;
}

std::optional<double> Gpu::Number(ReadingName reading) const { return LastNumber(looks, reading); }

std::string Gpu::Text(ReadingName reading) const {
  for (auto look = looks.rbegin(); look != looks.rend(); ++look) {
    if (std::string text = look->Text(reading); !text.empty()) return text;
  }
  return {};
}

std::string Machine::Variable(std::string_view name) const {
  if (!variables) return {};
  const auto found = variables->find(std::string(name));
  return found == variables->end() ? std::string() : found->second;
}

std::vector<const PciDevice*> Machine::PciGpus(Vendor vendor) const {
  std::vector<const PciDevice*> found;
  if (!pci) return found;
  for (const PciDevice& device : *pci) {
    if (device.is_gpu && (vendor == Vendor::kAny || device.vendor == vendor)) found.push_back(&device);
  }
  return found;
}

const PciDevice* Machine::PciAt(const std::string& address) const {
  if (!pci || address.empty()) return nullptr;
  const auto found =
      std::find_if(pci->begin(), pci->end(), [&](const PciDevice& one) { return one.address == address; });
  return found == pci->end() ? nullptr : &*found;
}

Vendor Machine::MainVendor() const {
  for (const Vendor vendor : {Vendor::kNvidia, Vendor::kAmd, Vendor::kAscend, Vendor::kIntel}) {
    if (!PciGpus(vendor).empty()) return vendor;
    for (const Gpu& gpu : gpus) {
      if (gpu.vendor == vendor) return vendor;
    }
  }
  if (!nvidia_version.empty() || !driver_version.empty() || (management && !management->is_missing))
    return Vendor::kNvidia;
  return Vendor::kAny;
}

std::string_view NameOf(Vendor vendor) {
  switch (vendor) {
    case Vendor::kNvidia: return "NVIDIA";
    case Vendor::kAmd: return "AMD";
    case Vendor::kIntel: return "Intel";
    case Vendor::kAscend: return "Ascend";
    case Vendor::kAny: break;
  }
  return "";
}

int CompareVersions(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    const std::string_view left = a.substr(0, a.find('.')), right = b.substr(0, b.find('.'));
    uint64_t x = 0, y = 0;
    const bool ok = std::from_chars(left.data(), left.data() + left.size(), x).ec == std::errc() &&
                    std::from_chars(right.data(), right.data() + right.size(), y).ec == std::errc();
    if (!ok) return 0;
    if (x != y) return x < y ? -1 : 1;
    a.remove_prefix(std::min(left.size() + 1, a.size()));
    b.remove_prefix(std::min(right.size() + 1, b.size()));
  }
  return 0;
}

std::optional<int> MajorOf(std::string_view version) {
  int value = 0;
  const auto [end, error] = std::from_chars(version.data(), version.data() + version.size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

std::optional<std::pair<int, int>> ComputeCapabilityOf(std::string_view product, std::string_view architecture) {
  const std::string name = Lower(product);
  for (const Product& one : kProducts) {
    if (!name.empty() && name.find(one.words) != std::string::npos) return std::pair{one.major, one.minor};
  }
  const std::string family = Lower(architecture);
  for (const Product& one : kArchitectures) {
    if (family == one.words) return std::pair{one.major, one.minor};
  }
  return std::nullopt;
}

std::string PlainAddress(std::string_view text) {
  const auto address = faults::PciAt(text);
  return address ? faults::TextOf(*address) : std::string();
}

}  // namespace warpscope::doctor
