#include "faults/catalogue.h"

#include <algorithm>
#include <string>
#include <utility>

#include "faults/scan_text.h"

namespace warpscope::faults {
namespace {

constexpr std::string_view kXidCatalog = "NVIDIA, Xid Errors: Xid catalog (docs.nvidia.com/deploy/xid-errors)";
constexpr std::string_view kXidArchive =
    "NVIDIA, Xid Errors for Volta and older (docs.nvidia.com/deploy/xid-errors/archive)";
constexpr std::string_view kOpenModules = "NVIDIA open-gpu-kernel-modules: nverror.h, nvErrorLog callers";
constexpr std::string_view kMemoryGuide =
    "NVIDIA, GPU Memory Error Management (docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt)";
constexpr std::string_view kFabricGuide =
    "NVIDIA, Fabric Manager User Guide: NVSwitch SXid errors; open-gpu-kernel-modules: ctrl_dev_nvswitch.h";
constexpr std::string_view kKernelPci = "Linux: Documentation/PCI/pcieaer-howto.rst, drivers/pci/pcie";
constexpr std::string_view kKernelMm = "Linux: Documentation/admin-guide/mm, mm/oom_kill.c";
constexpr std::string_view kKernelAmd = "Linux: Documentation/gpu/amdgpu (RAS, debugging), drivers/gpu/drm/amd";
constexpr std::string_view kKernelIntel = "Linux: Documentation/gpu/i915.rst, xe.rst, drivers/gpu/drm/{i915,xe}";
constexpr std::string_view kAscendGuide = "Huawei, Ascend: black box log and health management fault definitions";
constexpr std::string_view kMicrosoftTdr =
    "Microsoft Learn: Timeout detection and recovery, bug checks 0x116 and 0x117, TdrDelay";

constexpr Entry kEntries[] = {
#define WS_XID(code, name, title, severity, scope, action, meaning, causes, checks, source) \
  {"xid-" #code, Family::kXid,   code,    name,   title,  Severity::severity,               \
   Scope::scope, Action::action, meaning, causes, checks, source},
#include "faults/xid.def"
#undef WS_XID
#define WS_SXID(code, name, title, severity, scope, action, meaning, causes, checks) \
  {"sxid-" #code, Family::kSxid,  code,    name,   title,  Severity::severity,       \
   Scope::scope,  Action::action, meaning, causes, checks, kFabricGuide},
#include "faults/sxid.def"
#undef WS_SXID
#define WS_FAULT(id, family, code, title, severity, scope, action, meaning, causes, checks, source) \
  {id,           Family::family, code,    "",     title,  Severity::severity,                       \
   Scope::scope, Action::action, meaning, causes, checks, source},
#include "faults/other.def"
#undef WS_FAULT
};

constexpr Check kChecks[] = {
#define WS_CHECK_STEP(id, text, command) {id, text, command},
#include "faults/checks.def"
#undef WS_CHECK_STEP
};

constexpr Step kSteps[] = {
#define WS_ACTION(action, vendor, text, command) {Action::action, Vendor::vendor, text, command},
#include "faults/actions.def"
#undef WS_ACTION
};

const Entry* FindNumber(Family family, uint64_t code) {
  for (const Entry& entry : kEntries) {
    if (entry.family == family && static_cast<uint64_t>(entry.code) == code) return &entry;
  }
  return nullptr;
}

constexpr std::string_view kDenials[] = {"non", "non-", "not "};
// "nonfatal", "non-fatal" and "not fatal" do not speak of what is fatal.
bool HoldsWord(std::string_view text, std::string_view word) {
  for (size_t at = 0; at + word.size() <= text.size(); ++at) {
    if (!HasNoCase(text.substr(at, word.size()), word)) continue;
    const std::string_view before = text.substr(0, at);
    const bool denied = !word.empty() && std::any_of(std::begin(kDenials), std::end(kDenials), [&](auto denial) {
      return before.size() >= denial.size() && HasNoCase(before.substr(before.size() - denial.size()), denial);
    });
    if (!denied) return true;
  }
  return false;
}

}  // namespace

std::span<const Entry> Catalogue() { return kEntries; }

const Entry* FindEntry(std::string_view id) {
  const auto* const found =
      std::find_if(std::begin(kEntries), std::end(kEntries), [&](const Entry& entry) { return entry.id == id; });
  return found == std::end(kEntries) ? nullptr : found;
}

const Entry* FindXid(uint64_t code) { return FindNumber(Family::kXid, code); }
const Entry* FindSxid(uint64_t code) { return FindNumber(Family::kSxid, code); }

std::vector<const Entry*> FindCode(std::string_view words) {
  std::string id;
  for (const char byte : Trim(words)) {
    if (byte == ' ' || byte == '_' || byte == ':') {
      if (!id.empty() && id.back() != '-') id += '-';
    } else {
      if (IsDigit(byte) && (id == "xid" || id == "sxid")) id += '-';  // "xid79"
      id += Lower(byte);
    }
  }
  std::vector<const Entry*> found;
  if (const Entry* entry = FindEntry(id)) return {entry};
  std::string_view digits = id;
  const auto code = TakeNumber(digits);
  if (!code || !digits.empty() || *code == 0) return found;
  for (const Entry& entry : kEntries) {
    if (static_cast<uint64_t>(entry.code) == *code) found.push_back(&entry);
  }
  return found;
}

namespace {

// How much an entry is about a word: by the part of it in which the word stands. 0 if in none.
int Weight(const Entry& entry, std::string_view word) {
  struct Part {
    std::string_view text;
    int weight;
  };
  constexpr int kName = 8, kKind = 4, kMeaning = 2, kAside = 1;
  int best = 0;
  for (const Part& part :
       {Part{entry.id, kName}, Part{entry.name, kName}, Part{entry.title, kName}, Part{NameOf(entry.scope), kKind},
        Part{NameOf(entry.severity), kKind}, Part{entry.meaning, kMeaning}, Part{TitleOf(entry.action), kAside},
        Part{entry.causes, kAside}}) {
    if (part.weight > best && HoldsWord(part.text, word)) best = part.weight;
  }
  return best;
}

}  // namespace

std::vector<const Entry*> SearchCatalogue(std::string_view text) {
  const std::vector<std::string_view> words = Split(text, ' ');
  std::vector<std::pair<int, const Entry*>> found;
  for (const Entry& entry : kEntries) {
    int sum = 0;
    const bool holds_all = std::all_of(words.begin(), words.end(), [&](std::string_view word) {
      const int weight = Weight(entry, word);
      sum += weight;
      return weight > 0;
    });
    if (holds_all) found.emplace_back(sum, &entry);
  }
  // What speaks of the words by name stands before what mentions them; then the worse before the lighter.
  if (!words.empty()) {
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second->severity > b.second->severity;
    });
  }
  std::vector<const Entry*> entries;
  entries.reserve(found.size());
  for (const auto& [sum, entry] : found) entries.push_back(entry);
  return entries;
}

const Check* FindCheck(std::string_view id) {
  for (const Check& check : kChecks) {
    if (check.id == id) return &check;
  }
  return nullptr;
}

std::vector<Step> StepsOf(Action action, Vendor vendor) {
  const auto of = [&](Vendor wanted) {
    std::vector<Step> steps;
    for (const Step& step : kSteps) {
      if (step.action == action && step.vendor == wanted) steps.push_back(step);
    }
    return steps;
  };
  std::vector<Step> steps = of(vendor);
  return steps.empty() ? of(Vendor::kAny) : steps;
}

Vendor VendorOf(Family family) {
  switch (family) {
    case Family::kXid:
    case Family::kSxid:
    case Family::kNvidia:
    case Family::kWindows: return Vendor::kNvidia;
    case Family::kAmd: return Vendor::kAmd;
    case Family::kIntel: return Vendor::kIntel;
    case Family::kAscend: return Vendor::kAscend;
    case Family::kPcie:
    case Family::kHost: return Vendor::kAny;
  }
  return Vendor::kAny;
}

std::string_view NameOf(Family family) {
  constexpr std::string_view kNames[] = {"xid", "sxid", "nvidia", "pcie", "host", "amd", "intel", "ascend", "windows"};
  return kNames[static_cast<size_t>(family)];
}

std::string_view NameOf(Severity severity) {
  constexpr std::string_view kNames[] = {"info", "warning", "error", "critical"};
  return kNames[static_cast<size_t>(severity)];
}

std::string_view NameOf(Scope scope) {
  constexpr std::string_view kNames[] = {"application", "GPU", "link", "node"};
  return kNames[static_cast<size_t>(scope)];
}

std::string_view NameOf(Action action) {
  constexpr std::string_view kNames[] = {
      "nothing",       "follow_other",        "watch",          "fix_application", "restart_application", "add_memory",
      "update_driver", "repair_installation", "check_hardware", "reset_gpu",       "reset_fabric",        "reboot",
      "replace"};
  return kNames[static_cast<size_t>(action)];
}

std::string_view TitleOf(Action action) {
  constexpr std::string_view kTitles[] = {"nothing to do",
                                          "look at the fault before it",
                                          "keep watching",
                                          "find the fault in the program",
                                          "restart the program",
                                          "give the program more memory, or let it use less",
                                          "update driver and firmware",
                                          "repair the driver's installation",
                                          "check the hardware: power, seat, cables, cooling",
                                          "reset the GPU",
                                          "reset all GPUs and switches",
                                          "reboot the machine",
                                          "have the hardware tested and replaced"};
  return kTitles[static_cast<size_t>(action)];
}

std::string_view ActorOf(Action action) {
  switch (action) {
    case Action::kNothing:
    case Action::kFollowOther:
    case Action::kWatch: return "nobody";
    case Action::kFixApplication:
    case Action::kRestartApplication:
    case Action::kAddMemory: return "the application";
    case Action::kUpdateDriver:
    case Action::kRepairInstallation:
    case Action::kCheckHardware:
    case Action::kResetGpu:
    case Action::kResetFabric:
    case Action::kReboot:
    case Action::kReplace: return "the machine";
  }
  return "nobody";
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t at = std::min(text.find(separator), text.size());
    if (at > 0) parts.push_back(text.substr(0, at));
    text.remove_prefix(std::min(at + 1, text.size()));
  }
  return parts;
}

}  // namespace warpscope::faults
