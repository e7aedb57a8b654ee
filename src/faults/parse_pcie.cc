// Errors of PCI Express, as the kernel and as the firmware tell them.
#include "faults/parsers.h"
#include "faults/scan_text.h"

namespace warpscope::faults {
namespace {

constexpr uint64_t kMostRecordLines = 60;  // of a firmware error record

std::string_view AerEntry(std::string_view words) {
  if (HasNoCase(words, "non-fatal")) return "aer-nonfatal";
  if (HasNoCase(words, "fatal")) return "aer-fatal";
  if (Has(words, "Uncorrect")) return "aer-nonfatal";
  return "aer-corrected";
}

// "id=00e0": bus, device and function in 16 bits, domain left out.
std::optional<PciAddress> RequesterId(std::string_view words) {
  const auto behind = After(words, "id=");
  if (!behind) return {};
  std::string_view digits = *behind;
  const auto id = TakeHex(digits);
  if (!id || *id > 0xFFFF) return {};
  return PciAddress{0, static_cast<uint8_t>(*id >> 8), static_cast<uint8_t>(*id >> 3 & 31),
                    static_cast<uint8_t>(*id & 7)};
}

}  // namespace

// "{1}[Hardware Error]:   device_id: 0000:11:01.0" and its neighbours.
bool PcieParser::ReadFirmware(std::string_view message, ParseContext& context) {
  if (!Has(message, "[Hardware Error]:")) return false;
  if (Has(message, "Hardware error from APEI")) {
    record_line_ = context.line;
    record_severity_.clear();
    record_is_pcie_ = false;
    record_port_.reset();
    return true;
  }
  if (record_line_ == 0 || context.line - record_line_ > kMostRecordLines) return false;
  const auto field = [&](std::string_view name) -> std::optional<std::string_view> {
    const auto value = After(message, name);
    return value ? std::optional(Trim(*value)) : std::nullopt;
  };
  if (const auto severity = field("event severity: ")) record_severity_ = severity->substr(0, 24);
  if (const auto section = field("section_type: ")) {
    record_is_pcie_ = Has(*section, "PCIe");
    if (!record_is_pcie_) {
      Event event = ParseContext::Make(FindEntry("apei-error"), *section);
      if (record_severity_ == "corrected" || record_severity_ == "info") {
        event.severity = Severity::kWarning;
        event.action = Action::kWatch;
      }
      context.emit(std::move(event));
    }
  }
  if (const auto device = field("device_id: "); device && record_is_pcie_ && !record_port_) {
    record_port_ = PciAt(*device);
    const std::string_view id = record_severity_ == "fatal"                                     ? "aer-fatal"
                                : record_severity_ == "corrected" || record_severity_ == "info" ? "aer-corrected"
                                                                                                : "aer-nonfatal";
    Event event = ParseContext::Make(FindEntry(id), "told by the firmware (APEI), severity " + record_severity_);
    event.device = record_port_;
    context.emit(std::move(event));
  }
  if (auto bus = field("secondary_bus: 0x"); bus && record_port_) {
    const auto number = TakeHex(*bus);
    if (number && *number > 0 && *number <= 255 && !context.facts->pci.KnowsPort(*record_port_))
      context.facts->pci.AddBridge(*record_port_, static_cast<uint8_t>(*number), static_cast<uint8_t>(*number));
  }
  return true;
}

bool PcieParser::Read(const LogLine& line, ParseContext& context) {
  const std::string_view message = line.message;
  const auto emit = [&](std::string_view id, std::optional<PciAddress> device, bool is_header = false) {
    Event event = ParseContext::Make(FindEntry(id), message);
    event.device = device;
    event.is_header = is_header;
    context.emit(std::move(event));
    return true;
  };
  if (const auto severity = After(message, "PCIe Bus Error: severity="))
    return emit(AerEntry(severity->substr(0, severity->find(','))), FindPci(message));
  if (Has(message, "AER: device recovery failed") || Has(message, "AER: can't recover"))
    return emit("aer-recovery-failed", FindPci(message));
  if (Has(message, "AER: ") && Has(message, "received")) {
    const auto words = After(message, "AER: ");
    // The source, where it is told, is nearer to the fault than the port that heard of it.
    std::optional<PciAddress> source = FindPci(*words);
    if (!source) source = RequesterId(*words);
    if (!source || *source == PciAddress{}) source = FindPci(message);
    return emit(AerEntry(*words), source, true);
  }
  if (Has(message, "pciehp") && (Has(message, "Link Down") || Has(message, "Card not present")))
    return emit("pcie-link-down", FindPci(message));
  // POWER: the platform freezes the part of the bus behind an error.
  if (Has(message, "EEH: Frozen ") || Has(message, "EEH: This PCI device has failed"))
    return emit("pcie-eeh", FindPci(message));
  if (Has(message, "DPC: containment event")) return emit("pcie-dpc", FindPci(message));
  if (Has(message, "device inaccessible") || Has(message, "config space inaccessible")) {
    const auto device = FindPci(message);
    // Its driver speaks of it.
    for (const auto& [driver, vendor] : {std::pair("nvidia ", Vendor::kNvidia), std::pair("amdgpu ", Vendor::kAmd),
                                         std::pair("xe ", Vendor::kIntel), std::pair("i915 ", Vendor::kIntel)}) {
      if (device && message.starts_with(driver)) context.facts->pci.AddGpu(*device, vendor);
    }
    return device && context.facts->pci.IsGpu(*device) ? emit("pcie-inaccessible", device) : true;
  }
  const bool amd_iommu = Has(message, "IO_PAGE_FAULT");
  if (amd_iommu || (Has(message, "DMAR:") && Has(message, "Request device ["))) {
    Event event = ParseContext::Make(FindEntry("iommu-fault"), message);
    event.device = FindPci(*After(message, amd_iommu ? "IO_PAGE_FAULT" : "Request device ["));
    if (!event.device) event.device = FindPci(message);  // newer kernels put the device before it
    if (!event.device || !context.facts->pci.IsGpu(*event.device)) {
      event.severity = Severity::kWarning;  // another device's
      event.action = Action::kWatch;
    }
    context.emit(std::move(event));
    return true;
  }
  return ReadFirmware(message, context);
}

}  // namespace warpscope::faults
