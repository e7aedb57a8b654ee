// Drivers without numbers, by the rows of patterns.def.
#include "faults/parsers.h"
#include "faults/scan_text.h"

namespace warpscope::faults {
namespace {

struct Pattern {
  std::string_view entry, driver, part, further;
};

constexpr Pattern kPatterns[] = {
#define WS_PATTERN(entry, driver, part, further) {entry, driver, part, further},
#include "faults/patterns.def"
#undef WS_PATTERN
};

// "for process python pid 1234", "in python [1234]"
void FindProcess(std::string_view message, Event* event) {
  if (auto rest = After(message, "process "); rest && !rest->starts_with("pid")) {
    const std::string_view name = TakeWord(*rest);
    if (Skip(*rest, "pid ")) {
      event->pid = TakeNumber(*rest);
      if (event->pid.value_or(0) == 0) event->pid.reset();
      else event->process = name.substr(0, 64);
    }
    return;
  }
  if (auto rest = After(message, ", in ")) {
    const auto name = TakeUntil(*rest, " [");
    const auto pid = TakeNumber(*rest);
    if (name && pid && name->size() <= 64) {
      event->process = *name;
      event->pid = pid;
    }
  }
}

}  // namespace

bool ReadPatterns(const LogLine& line, ParseContext& context) {
  const std::string_view message = line.message;
  for (const Pattern& pattern : kPatterns) {
    if (!Has(message, pattern.part) || !Has(message, pattern.driver) || !Has(message, pattern.further)) continue;
    // "uncorrectable" holds "correctable"; the kernel counts down to nothing as well.
    if (pattern.entry == "amd-ras-correctable" && Has(message, "uncorrectable")) continue;
    if (Has(message, " 0 correctable") || Has(message, ": 0 uncorrectable")) return true;
    Event event = ParseContext::Make(FindEntry(pattern.entry), message);
    event.device = FindPci(message);
    if (event.device) context.facts->pci.AddGpu(*event.device, VendorOf(event.entry->family));
    FindProcess(message, &event);
    context.emit(std::move(event));
    return true;
  }
  return false;
}

}  // namespace warpscope::faults
