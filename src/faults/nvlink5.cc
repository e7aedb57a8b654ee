// Xids 144-150: NVIDIA's public table, applied to the two numbers of the message.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "faults/message_numbers.h"
#include "faults/scan_text.h"

namespace warpscope::faults {
namespace {

enum class Status : uint8_t { kAny, kBits, kValue };
enum class Remedy : uint8_t { kIgnore, kIgnoreOrReset, kFollow154, kReset };
enum class Next : uint8_t {
  kNone,
  kSupport,
  kLinkFlow,
  kSympathetic,
  kOften,
  kSignal,
  kCables,
  kSoftware,
  kSoftwareOrSignal,
  kPeer,
  kHost,
};
enum class Fatality : uint8_t { kNonfatal, kLinkFatal, kFatal };
enum class Origin : uint8_t { kHardware, kSoftware, kEither, kFirmware };

struct Row {
  int xid;
  std::string_view old_unit, unit;
  uint32_t old_code, code;
  uint32_t reason;
  Status compared;
  uint32_t status;
  Remedy remedy;
  Next next;
  Fatality fatality;
  Origin origin;
  std::string_view brings;
};

constexpr Row kRows[] = {
#define WS_LINK_ERROR(xid, old_unit, unit, old_code, code, reason, compared, status, remedy, next, fatality, origin, \
                      brings)                                                                                        \
  {xid,    old_unit,       unit,       old_code,           code,           reason, Status::compared,                 \
   status, Remedy::remedy, Next::next, Fatality::fatality, Origin::origin, brings},
#include "faults/nvlink5.def"
#undef WS_LINK_ERROR
};

// IntrInfo[25:20] of a link that went down: the numbers of the register PUDE/PDDR that switches and adapters use as
// well (NVIDIA's Programmer's Reference Manual, local_reason_opcode; its mstflint prints them).
struct Reason {
  uint32_t number;
  std::string_view text;
};
constexpr Reason kReasons[] = {
    {0, "no reason was noted"},
    {1, "the reason is unknown"},
    {2, "too many bit errors"},
    {3, "the receiver lost its lock on blocks"},
    {4, "the receiver lost the lanes' alignment"},
    {5, "forward error correction lost its lock"},
    {10, "a packet was sent again and again without an answer"},
    {15, "taken down by management, though the link was healthy"},
    {16, "taken down by management, with many bit errors"},
    {17, "taken down by a command, though the link was healthy"},
    {18, "taken down by a command, with many bit errors"},
    {20, "the other side reported a fault"},
    {21, "the other side trains the link anew, for a reason that it does not tell"},
    {22, "taken down by a management command"},
    {23, "a cable was unplugged"},
    {24, "a cable could not be read"},
    {25, "a cable or module was too hot"},
    {32, "the other side went to sleep"},
    {33, "the other side was disabled"},
    {34, "the other side was disabled and its port locked"},
    {35, "the other side was too hot: check the cooling of the switch"},
    {36, "the other side was taken down on purpose"},
    {37, "the other side was reset"},
    {38, "a reset without a power cycle"},
    {40, "the hardware was told to take it down: look in the logs of machine and BMC"},
    {41, "too hot"},
    {42, "the link did not come back from power saving"},
    {43, "the link had to recover too often"},
};

std::string_view TextOf(Remedy remedy) {
  switch (remedy) {
    case Remedy::kIgnore:
    case Remedy::kIgnoreOrReset: return "nothing has to be done at once";
    case Remedy::kFollow154: return "do what an Xid 154 beside it asks for; without one restart the program";
    case Remedy::kReset: return "the GPU needs a reset";
  }
  return "";
}

std::string_view TextOf(Next next) {
  switch (next) {
    case Next::kNone: return "";
    case Next::kSupport: return "If it returns: ask the vendor's support.";
    case Next::kLinkFlow:
      return "If a link of this partition went down in the 30 s before, it is the consequence of that; if none did, "
             "report it.";
    case Next::kSympathetic: return "It is mostly a consequence of another fault: look for that first.";
    case Next::kOften: return "Report it if it comes more than once a day.";
    case Next::kSignal: return "Look at the signal of the link: bit error counters of both ends.";
    case Next::kCables: return "Look at cable, transceiver, seat and temperature of the link.";
    case Next::kSoftware: return "Software or an operator did it: find out who, if it was not expected.";
    case Next::kSoftwareOrSignal: return "Software or an operator did it, and the link had bit errors: look at both.";
    case Next::kPeer: return "The device at the other end comes first: look for its fault.";
    case Next::kHost: return "It is mostly a consequence: look in the other logs of the machine and its BMC.";
  }
  return "";
}

std::string_view TextOf(Fatality fatality) {
  switch (fatality) {
    case Fatality::kNonfatal: return "not fatal";
    case Fatality::kLinkFatal: return "fatal for the link";
    case Fatality::kFatal: return "fatal for the GPU";
  }
  return "";
}

std::string_view TextOf(Origin origin) {
  switch (origin) {
    case Origin::kHardware: return "a matter of hardware";
    case Origin::kSoftware: return "a matter of software";
    case Origin::kEither: return "hardware or software";
    case Origin::kFirmware: return "a matter of firmware";
  }
  return "";
}

struct Numbers {
  std::string_view unit;
  bool is_fatal = false, is_nonfatal = false;
  uint32_t info = 0;
  std::optional<uint32_t> status;
  bool is_cross_contained = false, is_injected = false;
};

std::optional<uint32_t> TakeWord32(std::string_view& text) {
  SkipSpaces(text);
  if (!Skip(text, "0x")) return {};
  const auto value = TakeHex(text);
  if (!value || *value > 0xFFFFFFFF) return {};
  return static_cast<uint32_t>(*value);
}

// "RLW_REMAP Nonfatal XC0 i0 Link 00 (0x00000004 0x00000001 ...", before R575 "XC 1 i 2 Link 01 [0x0000000a]".
std::optional<Numbers> ReadNumbers(std::string_view text) {
  Numbers out;
  std::string_view rest = text;
  out.unit = TakeWord(rest);
  if (out.unit.empty() || out.unit.size() > 32) return {};
  for (const char byte : out.unit) {
    if (!IsWordByte(byte) && byte != '/') return {};
  }
  out.is_nonfatal = Has(rest, "Nonfatal") || Has(rest, "Non-fatal") || Has(rest, "NonFatal");
  out.is_fatal = !out.is_nonfatal && Has(rest, "Fatal");
  out.is_cross_contained = Has(rest, "XC1") || Has(rest, "XC 1");
  for (const std::string_view mark : {" i1 ", " i2 ", " i 1 ", " i 2 "}) out.is_injected |= Has(rest, mark);
  const size_t open = rest.find_first_of("([");
  if (open == std::string_view::npos) return {};
  rest.remove_prefix(open + 1);
  const auto info = TakeWord32(rest);
  if (!info) return {};
  out.info = *info;
  Skip(rest, ",");
  out.status = TakeWord32(rest);
  return out;
}

bool FitsUnit(const Row& row, int code, uint32_t info, bool is_old) {
  return row.xid == code && (is_old ? (info & 0x3FF) == row.old_code : (info & 0x7F) == row.code);
}

bool Fits(const Row& row, const Numbers& numbers) {
  if ((numbers.info >> 20 & 0x3F) != row.reason) return false;
  switch (row.compared) {
    case Status::kAny: return true;
    case Status::kBits: return numbers.status && (*numbers.status & row.status) != 0;
    case Status::kValue: return numbers.status == row.status;
  }
  return false;
}

// The row that asks for most: a status may have several bits.
const Row* Find(int code, const Numbers& numbers, bool* is_old) {
  const Row* found = nullptr;
  for (const bool old : {true, false}) {
    for (const Row& row : kRows) {
      if (!FitsUnit(row, code, numbers.info, old) || !Fits(row, numbers)) continue;
      if (found != nullptr && found->remedy >= row.remedy) continue;
      found = &row;
      *is_old = old;
    }
    if (found != nullptr) return found;
  }
  return nullptr;
}

void Apply(Remedy remedy, const Row& row, Event* event) {
  switch (remedy) {
    case Remedy::kIgnore:
    case Remedy::kIgnoreOrReset:
      event->severity = row.next == Next::kNone ? Severity::kInfo : Severity::kWarning;
      event->action = row.next == Next::kNone ? Action::kNothing : Action::kWatch;
      return;
    case Remedy::kFollow154:
      event->severity = Severity::kError;
      event->action = Action::kRestartApplication;
      return;
    case Remedy::kReset:
      event->severity = Severity::kCritical;
      event->action = Action::kResetGpu;
      return;
  }
}

}  // namespace

void ReadNvlink5(int code, std::string_view text, Event* event) {
  if (const auto link = NumberAfter(text, "Link ")) event->link = static_cast<int64_t>(*link & 0xFFFF);
  const auto numbers = ReadNumbers(text);
  const bool says_nonfatal = Has(text, "Nonfatal") || Has(text, "Non-fatal") || Has(text, "NonFatal");
  if (says_nonfatal) {
    event->severity = Severity::kWarning;
    event->action = Action::kWatch;
  } else if (Has(text, "Fatal")) {
    event->severity = Severity::kCritical;
    event->action = Action::kResetGpu;
  }
  if (!numbers) return;
  event->kind = numbers->unit;
  bool is_old = false;
  if (const Row* row = Find(code, *numbers, &is_old)) {
    Remedy remedy = row->remedy;
    Fatality fatality = row->fatality;
    // Errors that the receive pipe may raise to fatal ones carry a bit for it, behind the unit's code.
    if (remedy == Remedy::kIgnoreOrReset && (numbers->info >> (is_old ? 10 : 7) & 1) != 0) {
      remedy = Remedy::kReset;
      fatality = Fatality::kFatal;
    }
    Apply(remedy, *row, event);
    event->details.push_back(
        fmt::format("{}: {}, {}; {}.", numbers->unit, TextOf(fatality), TextOf(row->origin), TextOf(remedy)));
    if (row->old_unit == "NETIR_LINK_EVT") {
      event->kind += fmt::format(" {}", row->reason);
      const auto reason = std::find_if(std::begin(kReasons), std::end(kReasons),
                                       [&](const Reason& known) { return known.number == row->reason; });
      if (reason != std::end(kReasons))
        event->details.push_back(fmt::format("The link went down, reason {}: {}.", reason->number, reason->text));
    }
    if (const auto next = TextOf(row->next); !next.empty()) event->details.emplace_back(next);
    if (!row->brings.empty()) {
      std::string codes;
      for (const std::string_view brought : Split(row->brings, ' '))
        codes += fmt::format("{}{}", codes.empty() ? "" : ", ", brought);
      event->details.push_back(fmt::format("Xids that may come with it: {}.", codes));
    }
  } else {
    event->details.push_back(fmt::format(
        "{}: NVIDIA's public table has no row for these numbers, so that the word Fatal or Nonfatal counts.",
        numbers->unit));
  }
  if (numbers->is_cross_contained)
    event->details.emplace_back("It was contained across GPUs (XC1): programs on both sides of the link are ended.");
  if (numbers->is_injected) event->details.emplace_back("A tool injected it (i1): a test, no fault.");
}

}  // namespace warpscope::faults
