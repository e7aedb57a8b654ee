// Drivers without numbers, by the rows of patterns.def.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/word_set.h"
#include "faults/parsers.h"
#include "faults/scan_text.h"

namespace warpscope::faults {
namespace {

struct Pattern {
  std::string_view entry, driver, part, further;
  bool is_more;
};

constexpr Pattern kPatterns[] = {
#define WS_PATTERN(entry, driver, part, further) {entry, driver, part, further, false},
#define WS_PATTERN_MORE(entry, driver, part, further) {entry, driver, part, further, true},
#include "faults/patterns.def"
#undef WS_PATTERN
#undef WS_PATTERN_MORE
};

// The driver words of all rows, each with the bit of its first row; found in one pass over a line, so that a line that
// holds a common word ("ring ") and no driver's name costs no more than that.
struct Drivers {
  std::vector<uint64_t> bits;  // of each row; 0: any line
  std::unique_ptr<WordSet> words;

  Drivers() {
    std::vector<std::pair<std::string_view, uint64_t>> all;
    for (const Pattern& pattern : kPatterns) {
      if (pattern.driver.empty()) {
        bits.push_back(0);
        continue;
      }
      const auto known =
          std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.first == pattern.driver; });
      bits.push_back(known != all.end() ? known->second : uint64_t{1} << all.size());
      if (known == all.end()) all.emplace_back(pattern.driver, bits.back());
    }
    words = std::make_unique<WordSet>(all);
  }
};

// "for process python pid 1234", "in python [1234]", "[drm] Xorg[1234] context reset"
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
  auto rest = After(message, ", in ");
  if (!rest) rest = After(message, " in ");
  std::string_view end = " [";
  if (Has(message, "] context reset")) {
    rest = After(message, "[drm] ");
    end = "[";
  }
  if (!rest) return;
  const auto name = TakeUntil(*rest, end);
  const auto pid = TakeNumber(*rest);
  if (name && pid && rest->starts_with(']') && !name->empty() && name->size() <= 64) {
    event->process = *name;
    event->pid = pid;
  }
}

// The number right before " new uncorrectable hardware errors", " correctable hardware errors"; absent if none stands
// there.
std::optional<uint64_t> CountOfErrors(std::string_view message) {
  for (const std::string_view words : {" new uncorrectable hardware error", " new correctable hardware error",
                                       " uncorrectable hardware error", " correctable hardware error"}) {
    const size_t at = message.find(words);
    if (at == std::string_view::npos) continue;
    size_t begin = at;
    while (begin > 0 && IsDigit(message[begin - 1])) --begin;
    std::string_view digits = message.substr(begin, at - begin);
    return TakeNumber(digits);
  }
  return {};
}

// Linux: drivers/gpu/drm/amd/amdkfd/kfd_int_process_v9.c, SQ_INTERRUPT_ERROR_TYPE.
void ReadShaderError(std::string_view message, Event* event) {
  constexpr std::string_view kTypes[] = {
      "Type 0: an uncorrectable error in a memory of the compute unit: hardware.",
      "Type 1: an illegal instruction.",
      "Type 2: an access to memory that is not mapped or not allowed.",
      "Type 3: a memory of the compute unit delivered spoilt data: hardware.",
  };
  const auto type = NumberAfter(message, "type ");
  if (type && *type < std::size(kTypes)) event->details.emplace_back(kTypes[*type]);
}

// Which unit asked for the page; Linux: amdgpu's gmc_v9_0.c, names of the clients.
void ReadPageFaultClient(std::string_view message, Event* event) {
  auto name = After(message, "client ID: ");
  if (!name) return;
  const std::string_view client = TakeWord(*name);
  if (client.starts_with("TCP") || client.starts_with("SQC"))
    event->details.emplace_back("The access came from a kernel or shader (TCP, SQC).");
  else if (client.starts_with("SDMA"))
    event->details.emplace_back("The access came from a copy engine (SDMA): a copy, or memory that moved.");
  else if (client.starts_with("CP"))
    event->details.emplace_back("The access came from the command processor (CPF, CPC, CPG): the queue itself.");
}

}  // namespace

bool ReadPatterns(const LogLine& line, ParseContext& context) {
  static const Drivers kDrivers;
  const std::string_view message = line.message;
  const uint64_t drivers = kDrivers.words->In(message);
  for (size_t row = 0; row < std::size(kPatterns); ++row) {
    const Pattern& pattern = kPatterns[row];
    if (kDrivers.bits[row] != 0 && (kDrivers.bits[row] & drivers) == 0) continue;
    if (!HasNoCase(message, pattern.part) || !HasNoCase(message, pattern.further)) continue;
    // The kernel counts down to nothing as well.
    if (CountOfErrors(message) == 0) return true;
    Event event = ParseContext::Make(FindEntry(pattern.entry), message);
    event.device = FindPci(message);
    if (event.device) context.facts->pci.AddGpu(*event.device, VendorOf(event.entry->family));
    event.is_header = pattern.is_more;
    FindProcess(message, &event);
    if (pattern.entry == "amd-page-fault") ReadPageFaultClient(message, &event);
    if (pattern.entry == "amd-shader-error") ReadShaderError(message, &event);
    context.emit(std::move(event));
    return true;
  }
  return false;
}

}  // namespace warpscope::faults
