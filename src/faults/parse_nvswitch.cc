// SXids, from the switch's driver and from Fabric Manager's log.
#include "faults/parsers.h"
#include "faults/scan_text.h"

namespace warpscope::faults {
namespace {

void ApplySeverity(bool is_fatal, bool is_nonfatal, Event* event) {
  if (is_fatal && event->severity < Severity::kCritical) {
    event->severity = Severity::kCritical;
    event->action = std::max(event->action, Action::kResetFabric);
  } else if (is_nonfatal && event->severity == Severity::kCritical && event->code != 10003 && event->code != 19084) {
    // Those two need the reset of all GPUs and switches also where the line says non-fatal (Fabric Manager User Guide).
    event->severity = Severity::kWarning;
    event->action = Action::kWatch;
  }
}

Event MakeSxid(uint64_t code, std::string_view text) {
  const Entry* entry = FindSxid(code);
  Event event = ParseContext::Make(entry != nullptr ? entry : FindEntry("sxid-unknown"), text);
  event.code = static_cast<int>(code);
  return event;
}

// "detected NVSwitch non-fatal error 12028 on fid 0 on NVSwitch pci bus id 00000000:83:00.0 physical id 0 port 34"
bool ReadFabricManager(std::string_view message, ParseContext& context) {
  const auto found = After(message, "detected NVSwitch ");
  if (!found) return false;
  const auto code = NumberAfter(*found, "error ");
  if (!code || *code > 999999) return true;
  Event event = MakeSxid(*code, *found);
  if (const auto address = After(*found, "pci bus id ")) event.device = PciAt(*address);
  if (const auto port = NumberAfter(*found, " port ")) event.link = static_cast<int64_t>(*port & 0xFFFF);
  ApplySeverity(found->starts_with("fatal"), found->starts_with("non-fatal"), &event);
  context.emit(std::move(event));
  return true;
}

}  // namespace

bool ReadNvswitch(const LogLine& line, ParseContext& context) {
  const size_t at = line.message.find("SXid (");
  if (at == std::string_view::npos) return ReadFabricManager(line.message, context);
  if (!line.tag.empty() && line.tag != "kernel" && !line.message.starts_with("nvidia-nvswitch")) return true;
  std::string_view rest = line.message.substr(at);
  Skip(rest, "SXid (");
  const auto where = TakeUntil(rest, ")");
  if (!where) return false;
  Skip(rest, ":");
  SkipSpaces(rest);
  const auto code = TakeNumber(rest);
  if (!code || *code > 999999) return false;
  Skip(rest, ",");
  SkipSpaces(rest);
  // Lines that only go on with registers of the same error.
  if (rest.starts_with("Severity ") || rest.starts_with("Data {")) return true;
  Event event = MakeSxid(*code, rest);
  event.device = PciAt(Trim(*where));
  std::string_view name = line.message.substr(0, at);
  if (const size_t begin = name.find("nvidia-nvswitch"); begin != std::string_view::npos) {
    name.remove_prefix(begin);
    event.place = name.substr(0, std::min<size_t>(name.find_first_of(": "), 32));
  }
  if (const auto link = NumberAfter(rest, "Link ")) event.link = static_cast<int64_t>(*link & 0xFFFF);
  ApplySeverity(rest.starts_with("Fatal"), rest.starts_with("Non-fatal") || rest.starts_with("Non-Fatal"), &event);
  context.emit(std::move(event));
  return true;
}

}  // namespace warpscope::faults
