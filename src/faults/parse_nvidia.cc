// Lines of NVIDIA's kernel module: Xids in the forms of all drivers, and faults that come without one.
#include "faults/message_numbers.h"
#include "faults/parsers.h"
#include "faults/scan_text.h"

namespace warpscope::faults {
namespace {

void ApplyText(uint64_t code, std::string_view text, Event* event) {
  switch (code) {
    case 13: ReadException(text, event); break;
    case 31: ReadMmuFault(text, event); break;
    case 48:
    case 171:
    case 172: ReadEccPlace(text, event); break;
    case 74: ReadNvlinkRegisters(text, event); break;
    case 94:
      // "Contained: SM (0x1). RST: Yes, D-RST: No": whether the driver needs a reset.
      if (Has(text, " RST: Yes")) {
        event->action = Action::kResetGpu;
        event->severity = Severity::kCritical;
      }
      break;
    case 119: ReadGspTimeout(text, event); break;
    case 154: ReadRecoveryAction(text, event); break;
    default:
      if (code >= 144 && code <= 150) ReadNvlink5(static_cast<int>(code), text, event);
  }
  if (const auto cause = NumberAfter(text, "caused by previous Xid "); cause && *cause < 100000)
    event->caused_by = static_cast<int>(*cause);
}

void NoteVersion(std::string_view rest, MachineFacts* facts) {
  const bool is_open = Has(rest, "Open Kernel Module");
  const auto behind = After(rest, "Kernel Module");
  if (!behind) return;
  std::string_view words = *behind;
  Skip(words, " for x86_64");
  Skip(words, " for aarch64");
  SkipSpaces(words);
  const std::string_view version = TakeWord(words);
  if (version.empty() || !IsDigit(version[0]) || version.size() > 32) return;
  facts->nvidia_version = version;
  facts->nvidia_is_open = is_open;
}

// "GPU at PCI:0000:02:00: GPU-<uuid>"
bool NoteUuid(std::string_view rest, MachineFacts* facts) {
  if (!Skip(rest, "GPU at ")) return false;
  size_t size = 0;
  const auto address = PciAt(rest, &size);
  if (!address) return false;
  rest.remove_prefix(size);
  Skip(rest, ":");
  SkipSpaces(rest);
  if (!rest.starts_with("GPU-")) return false;
  const std::string_view uuid = TakeWord(rest);
  facts->pci.AddGpu(*address, Vendor::kNvidia);
  auto& uuids = facts->uuids;
  for (auto& [known, text] : uuids) {
    if (known == *address) {
      text = uuid.substr(0, 64);
      return true;
    }
  }
  if (uuids.size() < 1024) uuids.emplace_back(*address, uuid.substr(0, 64));
  return true;
}

}  // namespace

void TakeProcess(std::string_view& rest, Event* event) {
  std::string_view words = rest;
  if (!Skip(words, "pid=")) return;
  if (const auto pid = TakeNumber(words)) {
    if (*pid != 0) event->pid = *pid;
  } else {
    words.remove_prefix(std::min(words.find(','), words.size()));  // '<unknown>'
  }
  if (!Skip(words, ", ")) {
    rest = Trim(words);
    return;
  }
  if (Skip(words, "name=")) {
    const size_t end = std::min(words.find(", "), words.size());
    const std::string_view name = words.substr(0, std::min<size_t>(end, 64));
    if (name != "<unknown>") event->process = name;
    words.remove_prefix(std::min(end + 2, words.size()));
  }
  rest = words;
}

// "PCI:0000:3b:00", "0000:3b:00"; before driver 300 "0003:00", bus and device.
std::optional<PciAddress> XidDevice(std::string_view where) {
  const std::string_view words = Trim(where);
  if (const auto address = PciAt(words)) return address;
  std::string_view rest = words;
  const auto bus = TakeHex(rest);
  if (words.size() != 7 || !bus || *bus > 255 || !Skip(rest, ":")) return {};
  const auto device = TakeHex(rest);
  if (!device || *device > 31 || !rest.empty()) return {};
  return PciAddress{0, static_cast<uint8_t>(*bus), static_cast<uint8_t>(*device), 0};
}

// `rest` begins behind "Xid (", or behind "Xid: " in the form of the first drivers, which name no device.
bool NvidiaParser::ReadXid(std::string_view rest, ParseContext& context, bool has_device) {
  std::optional<PciAddress> device;
  if (has_device) {
    const auto where = TakeUntil(rest, ")");
    if (!where) return false;
    device = XidDevice(*where);
    Skip(rest, ":");
  }
  SkipSpaces(rest);
  const auto code = TakeNumber(rest);
  if (!code || *code > 999999) return false;
  Skip(rest, ",");
  SkipSpaces(rest);
  const Entry* entry = FindXid(*code);
  Event event = ParseContext::Make(entry != nullptr ? entry : FindEntry("xid-unknown"), rest);
  event.code = static_cast<int>(*code);
  event.device = device;
  if (device) context.facts->pci.AddGpu(*device, Vendor::kNvidia);
  TakeProcess(rest, &event);
  event.text = Trim(rest).substr(0, Event::kMostText);
  ApplyText(*code, rest, &event);
  context.emit(std::move(event));
  return true;
}

bool NvidiaParser::ReadPlain(std::string_view rest, ParseContext& context) {
  const auto emit = [&](std::string_view id, std::optional<PciAddress> device) {
    Event event = ParseContext::Make(FindEntry(id), rest);
    event.device = device;
    if (device) context.facts->pci.AddGpu(*device, Vendor::kNvidia);
    context.emit(std::move(event));
    return true;
  };
  if (NoteUuid(rest, context.facts)) return true;
  if (Has(rest, "loading NVIDIA UNIX") || rest.starts_with("version: NVIDIA UNIX")) {
    NoteVersion(rest, context.facts);
    return true;
  }
  if (rest.starts_with("The NVIDIA GPU ")) {
    named_ = FindPci(rest);
    named_line_ = context.line;
    if (!Has(rest, "fallen off the bus")) return true;
  }
  const bool goes_on = named_ && context.line - named_line_ <= 4;
  const auto device = [&] { return FindPci(rest) ? FindPci(rest) : goes_on ? named_ : std::nullopt; };
  if (HasNoCase(rest, "fallen off the bus") || Has(rest, "NV_ERR_GPU_IS_LOST"))
    return emit("nv-fallen-off-bus", device());
  if (Has(rest, "waiting for RPC from GSP") || Has(rest, "waiting for RPC response from GPU"))
    return emit("nv-gsp-timeout", FindPci(rest));
  if (Has(rest, "GSP heartbeat timed out")) return emit("nv-gsp-timeout", FindPci(rest));
  // Pages of the firmware's state around an Xid 119 or 120.
  if (rest.starts_with("_kgspLogXid119") || rest.starts_with("kgspHealthCheck")) return true;
  if (Has(rest, "uvm encountered global fatal error")) return emit("nv-uvm-fatal", {});
  if (Has(rest, "RC watchdog: GPU is probably locked")) return emit("nv-watchdog", FindPci(rest));
  if (Has(rest, "requires use of the NVIDIA open") || Has(rest, "not supported by open") ||
      Has(rest, "Open nvidia.ko is only ready for use") || Has(rest, "Legacy drivers") ||
      Has(rest, "is not supported by the NVIDIA"))
    return emit("nv-unsupported-gpu", device());
  if (Has(rest, "RmInitAdapter failed")) {
    init_failed_line_ = context.line;
    return emit("nv-init-failed", FindPci(rest));
  }
  if (Has(rest, "rm_init_adapter failed")) {  // the second line of the same failure
    if (init_failed_line_ != 0 && context.line - init_failed_line_ <= 3) return true;
    return emit("nv-init-failed", FindPci(rest));
  }
  if (Has(rest, "API mismatch:")) return emit("nv-version-mismatch", {});
  if (Has(rest, "BAR") && (Has(rest, "is 0M @") || Has(rest, "is invalid")))
    return emit("nv-bar-invalid", FindPci(rest));
  if (Has(rest, "PCI I/O region assigned to your NVIDIA device is invalid")) return true;  // its BAR line follows
  if (Has(rest, "No NVIDIA GPU found") || Has(rest, "NVIDIA probe routine failed") ||
      Has(rest, "None of the NVIDIA devices were") || Has(rest, "NVIDIA probe routine was not called") ||
      Has(rest, "is already bound to ") || Has(rest, "Can't find an IRQ for your NVIDIA card"))
    return emit("nv-probe-failed", device());
  if (HasNoCase(rest, "nvlink") && HasNoCase(rest, "train") && HasNoCase(rest, "fail"))
    return emit("nv-nvlink-down", FindPci(rest));
  return false;
}

bool NvidiaParser::Read(const LogLine& line, ParseContext& context) {
  const auto behind = After(line.message, "NVRM: ");
  // Copied without the module's name: "Xid (PCI:0000:3b:00): 79, ...".
  if (std::string_view alone = Trim(line.message); !behind && Skip(alone, "Xid (") && alone.starts_with("PCI:"))
    return ReadXid(alone, context, true);
  if (!behind) {
    if (Has(line.message, "nv_get_p2p_free_callback") && Has(line.message, "ERROR")) {
      context.emit(ParseContext::Make(FindEntry("nv-peermem"), line.message));
      return true;
    }
    return false;
  }
  const bool is_first = line.message.starts_with("NVRM: ");
  // Other programs quote the kernel in their own lines; the kernel's line is counted.
  if (!is_first && !line.tag.empty() && line.tag != "kernel") return true;
  std::string_view rest = *behind;
  SkipSpaces(rest);
  if (Skip(rest, "Xid (")) return ReadXid(rest, context, true);
  if (std::string_view bare = rest; Skip(bare, "Xid: ") && !bare.empty() && IsDigit(bare[0]))
    return ReadXid(bare, context, false);
  return ReadPlain(rest, context);
}

}  // namespace warpscope::faults
