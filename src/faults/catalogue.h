// The catalogue of faults: what each means, how bad it is, what causes it, what to check, who must act. Data in
// xid.def, sxid.def, other.def, checks.def and actions.def; the words are ours, the facts those of the named source.
// [MT] Constants.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace warpscope::faults {

enum class Family : uint8_t { kXid, kSxid, kNvidia, kPcie, kHost, kAmd, kIntel, kAscend, kWindows };

enum class Severity : uint8_t {
  kInfo,      // nothing is wrong, or another entry tells the fault
  kWarning,   // goes on working; act when convenient
  kError,     // work was lost; the device can be used again
  kCritical,  // a device, link or machine is unusable, or its results are, until someone acts
};

enum class Scope : uint8_t { kApplication, kGpu, kLink, kNode };

enum class Action : uint8_t {
  kNothing,
  kFollowOther,  // a consequence: the fault before it says what to do
  kWatch,
  kFixApplication,
  kRestartApplication,
  kAddMemory,
  kUpdateDriver,
  kRepairInstallation,
  kCheckHardware,
  kResetGpu,
  kResetFabric,
  kReboot,
  kReplace,
};

struct Entry {
  std::string_view id;  // "xid-79", "sxid-20034", "aer-fatal": stable, part of the JSON
  Family family;
  int code;               // of Xids, SXids and Windows events; 0 for the others
  std::string_view name;  // the vendor's own name; "" where it has none
  std::string_view title;
  Severity severity;
  Scope scope;
  Action action;
  std::string_view meaning;
  std::string_view causes;  // most likely first, between "|"
  std::string_view checks;  // ids of checks.def, in order, between spaces
  std::string_view source;
};

// Families in the order above, within one by code, then as written.
std::span<const Entry> Catalogue();
const Entry* FindEntry(std::string_view id);
const Entry* FindXid(uint64_t code);
const Entry* FindSxid(uint64_t code);
// "79", "xid 79", "sxid-20034", "aer-fatal": all entries that it may mean.
std::vector<const Entry*> FindCode(std::string_view words);
// Entries that hold every word of `text` somewhere, in any case: those that have them in their name first, then the
// worse before the lighter. All in their order for "".
std::vector<const Entry*> SearchCatalogue(std::string_view text);

struct Check {
  std::string_view id;
  std::string_view text;     // what to look at, and what is normal
  std::string_view command;  // {gpu}: the PCI address
};
const Check* FindCheck(std::string_view id);

enum class Vendor : uint8_t { kAny, kNvidia, kAmd, kIntel, kAscend };
struct Step {
  Action action;
  Vendor vendor;  // kAny: for those that have none of their own
  std::string_view text;
  std::string_view command;  // "" if there is none; {gpu} as above
};
std::vector<Step> StepsOf(Action action, Vendor vendor);
Vendor VendorOf(Family family);

std::string_view NameOf(Family family);      // "xid", "pcie"
std::string_view NameOf(Severity severity);  // "critical"
std::string_view NameOf(Scope scope);        // "application", "GPU", "link", "node"
std::string_view NameOf(Action action);      // "reset_gpu": in the JSON
std::string_view TitleOf(Action action);     // "reset the GPU"
// "the application", "the machine", "nobody": who must act.
std::string_view ActorOf(Action action);

// The parts of a list between `separator`; nothing for "".
std::vector<std::string_view> Split(std::string_view text, char separator);

}  // namespace warpscope::faults
