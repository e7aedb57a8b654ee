#include "faults/message_numbers.h"

#include <fmt/format.h>

#include <optional>

#include "faults/scan_text.h"

namespace warpscope::faults {
namespace {

struct Meaning {
  std::string_view word, text;
};

// Names that the driver prints for hardware warp errors (CUDA's debugger calls them CUDA_EXCEPTION_n).
constexpr Meaning kExceptions[] = {
    {"Out Of Range Address", "a kernel used an address outside of every array (illegal memory access, CUDA error 700)"},
    {"MMU NACK", "a kernel used an address that has no page (illegal memory access, CUDA error 700)"},
    {"Misaligned Address", "an address is not a multiple of the size of the access (CUDA error 716)"},
    {"Illegal Instruction Encoding",
     "the code holds an instruction that the GPU does not have (CUDA error 715): a wrong build, overwritten code, or a "
     "failing SM if it is always the same"},
    {"Illegal Instruction Parameter", "an instruction was given values that it does not take (CUDA error 715)"},
    {"Invalid Address Space", "an instruction used a pointer of another memory space (CUDA error 717)"},
    {"Invalid Program Counter", "the kernel jumped outside of its code (CUDA error 718)"},
    {"Stack Error", "a kernel's stack overflowed: deep recursion or large local arrays"},
    {"Out Of Range Register", "the code uses more registers than the launch gave it: a wrong build"},
    {"Shader Program Header", "the header of a graphics program is damaged: a shader, or the driver"},
    {"ECC", "data on the chip was spoilt by a memory error: see Xid 48"},
};

constexpr Meaning kFaultTypes[] = {
    {"FAULT_PDE_SIZE", "the page table has a wrong form: a fault of the driver"},
    {"FAULT_PDE", "nothing is mapped anywhere near: memory never allocated or long freed, or an index far outside"},
    {"FAULT_PTE", "this page is not mapped, though its neighbours may be: memory just freed, or an index past the end"},
    {"FAULT_RO_VIOLATION", "a write to memory that may only be read"},
    {"FAULT_PRIV_VIOLATION", "the page belongs to the driver alone"},
    {"FAULT_UNBOUND_INST_BLOCK", "the channel had no address space any more: its program had ended"},
    {"FAULT_INFO_TYPE_POISONED", "the data was spoilt by an uncorrectable memory error: hardware, not the program"},
    {"FAULT_INFO_TYPE_ATOMIC_VIOLATION", "an atomic operation on memory that allows none (of the host, or of a peer)"},
    {"FAULT_INFO_TYPE_UNSUPPORTED_KIND",
     "the mapping is of a kind that this engine cannot use: mostly the driver, or "
     "peer access that the board does not have"},
    {"FAULT_UNSUPPORTED_APERTURE", "the memory cannot be reached from this engine: peer access that the board lacks"},
    {"FAULT_CC_VIOLATION", "the access breaks the rules of confidential computing"},
    {"FAULT_INFO_TYPE_REGION_VIOLATION", "the address lies in a region that is closed to it"},
};

// "0x7f97_94000000": the driver writes the upper and the lower half apart.
std::optional<uint64_t> TakeSplitHex(std::string_view text) {
  if (!Skip(text, "0x")) return {};
  const auto high = TakeHex(text);
  if (!high) return {};
  if (!Skip(text, "_")) return high;
  const auto low = TakeHex(text);
  if (!low || *low > 0xFFFFFFFF || *high > 0xFFFFFFFF) return {};
  return *high << 32 | *low;
}

// What a driver may ask for. The names changed with R610 ("PF FLR", "Bus Reset", "OS Reboot"), the numbers did not:
// NVML's nvmlDeviceGpuRecoveryAction_t; 5 and 6 since R615.
enum class Recovery : uint8_t { kNone, kReset, kReboot, kDrainPeers, kDrainAndReset, kUnknown };

Recovery RecoveryOf(std::string_view wanted) {
  if (HasNoCase(wanted, "reboot") || HasNoCase(wanted, "power cycle")) return Recovery::kReboot;
  if (HasNoCase(wanted, "drain")) return HasNoCase(wanted, "reset") ? Recovery::kDrainAndReset : Recovery::kDrainPeers;
  if (HasNoCase(wanted, "reset") || Has(wanted, "FLR")) return Recovery::kReset;
  if (HasNoCase(wanted, "none")) return Recovery::kNone;
  constexpr Recovery kNumbers[] = {Recovery::kNone,          Recovery::kReset, Recovery::kReboot, Recovery::kDrainPeers,
                                   Recovery::kDrainAndReset, Recovery::kReset, Recovery::kReboot};
  if (!Skip(wanted, "0x")) return Recovery::kUnknown;
  const auto value = TakeHex(wanted);
  return value && *value < std::size(kNumbers) ? kNumbers[*value] : Recovery::kUnknown;
}

std::string_view TextOf(Recovery recovery) {
  switch (recovery) {
    case Recovery::kReboot: return "reboot the machine";
    case Recovery::kDrainAndReset: return "give the GPU no new work, let the running work end, then reset it";
    case Recovery::kReset: return "reset the GPU now";
    case Recovery::kDrainPeers: return "end what works with this GPU over NVLink, and start no such work";
    case Recovery::kNone: return "nothing any more";
    case Recovery::kUnknown: break;
  }
  return "";
}

}  // namespace

void ReadRecoveryAction(std::string_view text, Event* event) {
  const auto from = After(text, "changed from ");
  const auto wanted = from ? After(*from, " to ") : std::nullopt;
  if (!wanted) return;
  const Recovery recovery = RecoveryOf(*wanted);
  switch (recovery) {
    case Recovery::kReboot:
      event->action = Action::kReboot;
      event->severity = Severity::kCritical;
      break;
    case Recovery::kReset:
    case Recovery::kDrainAndReset:
      event->action = Action::kResetGpu;
      event->severity = Severity::kCritical;
      break;
    case Recovery::kDrainPeers:
      event->action = Action::kWatch;
      event->severity = Severity::kWarning;
      break;
    case Recovery::kNone: event->action = Action::kNothing; break;
    case Recovery::kUnknown: break;
  }
  if (const auto words = TextOf(recovery); !words.empty())
    event->details.push_back(fmt::format("The driver asks for: {}.", words));
}

void ReadException(std::string_view text, Event* event) {
  if (auto unit = After(text, "(GPC ")) {
    // "(GPC 0, TPC 1, SM 2)"
    if (const auto inside = TakeUntil(*unit, ")"); inside && inside->size() < 40)
      event->unit = fmt::format("GPC {}", *inside);
  }
  for (const Meaning& exception : kExceptions) {
    if (!Has(text, exception.word)) continue;
    event->details.push_back(fmt::format("{}: {}.", exception.word, exception.text));
    return;
  }
  // The class of the commands: the last byte says what kind of engine they are for (open-gpu-kernel-modules,
  // class/*.h).
  if (auto number = After(text, "Class ")) {
    const auto engine = TakeHex(*number);
    if (engine && (*engine & 0xFF) == 0xC0) event->details.emplace_back("The work was a compute kernel.");
    if (engine && (*engine & 0xFF) == 0x97)
      event->details.emplace_back("The work was drawing (3D), no compute kernel.");
  }
}

void ReadMmuFault(std::string_view text, Event* event) {
  std::string access;
  if (auto kind = After(text, "ACCESS_TYPE_")) {
    const std::string_view word = TakeWord(*kind);
    access = Has(word, "WRITE") ? "write" : Has(word, "READ") ? "read" : Has(word, "ATOMIC") ? "atomic access" : "";
  }
  const auto at = After(text, "faulted @ ");
  const auto address = at ? TakeSplitHex(*at) : std::nullopt;
  std::string engine;
  if (auto words = After(text, "ENGINE ")) engine = TakeWord(*words).substr(0, 32);
  if (address && !access.empty() && !engine.empty()) {
    constexpr uint64_t kNull = 65536;  // no array begins in the first pages
    event->details.push_back(fmt::format("A {} by {} at address 0x{:x}{}.", access, engine, *address,
                                         *address < kNull ? ", near zero: a null pointer" : ""));
  }
  const auto type = After(text, "is of type ");
  if (!type) return;
  for (const Meaning& fault : kFaultTypes) {
    if (!type->starts_with(fault.word)) continue;
    event->details.push_back(fmt::format("{}: {}.", fault.word, fault.text));
    // Not the program's fault, so the program need not be searched.
    if (fault.word == "FAULT_INFO_TYPE_POISONED") event->action = Action::kRestartApplication;
    return;
  }
}

void ReadEccPlace(std::string_view text, Event* event) {
  if (HasNoCase(text, "framebuffer") || Has(text, "DRAM") || Has(text, "HBM") || Has(text, "GDDR"))
    event->details.emplace_back("The error lies in DRAM: the row or page is replaced at the next reset (Xid 63).");
  else if (HasNoCase(text, "SRAM") || Has(text, "detected on GPU in "))
    event->details.emplace_back(
        "The error lies in memory on the chip (SRAM): rows cannot be replaced there. Replace the GPU if nvidia-smi -q "
        "-d "
        "ECC shows the SRAM threshold as exceeded.");
}

void ReadGspTimeout(std::string_view text, Event* event) {
  const auto waited = NumberAfter(text, "Timeout after ");
  auto function = After(text, "Expected function ");
  if (!waited || !function) return;
  const auto open = After(*function, "(");
  if (!open) return;
  const std::string_view name = open->substr(0, std::min(open->find(')'), open->size()));
  if (name.empty() || name.size() > 48 || *waited > 100000) return;
  event->details.push_back(fmt::format("The driver waited {} s for an answer to {}.", *waited, name));
}

}  // namespace warpscope::faults
