#include "faults/incidents.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "faults/relations.h"

namespace warpscope::faults {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kTogetherNs = 60 * kSecond;     // the same fault on several devices is one within this time
constexpr int64_t kCorrectedNs = 3600 * kSecond;  // how long before a lost GPU corrected errors of its link still speak

void NameDevices(std::vector<Burst>& bursts, const PciTree& pci) {
  for (Burst& burst : bursts) {
    const Family family = burst.first.entry->family;
    if (burst.first.device || family == Family::kPcie || family == Family::kHost || family == Family::kSxid ||
        burst.first.entry->scope == Scope::kNode)
      continue;
    const auto gpus = pci.Gpus(VendorOf(family));
    if (gpus.size() == 1) burst.first.device = gpus[0];
  }
}

bool IsId(const Burst& burst, std::string_view id) { return burst.first.entry->id == id; }

bool HoldsXid(const Incident& incident, const std::vector<Burst>& bursts, int code) {
  const auto holds = [&](size_t at) {
    return bursts[at].first.entry->family == Family::kXid && bursts[at].first.code == code;
  };
  return std::any_of(incident.roots.begin(), incident.roots.end(), holds) ||
         std::any_of(incident.followers.begin(), incident.followers.end(), holds);
}

// The strongest action that any of the lines asks for, then what the root asks for beside it.
void Judge(Incident& incident, const std::vector<Burst>& bursts) {
  const Burst& root = bursts[incident.roots.front()];
  Action own = root.first.action, strongest = own;
  incident.severity = root.first.severity;
  for (const size_t at : incident.roots) {
    incident.severity = std::max(incident.severity, bursts[at].first.severity);
    own = std::max(own, bursts[at].first.action);
  }
  strongest = own;
  std::string asked_by;
  for (const size_t at : incident.followers) {
    const Event& event = bursts[at].first;
    incident.severity = std::max(incident.severity, event.severity);
    // What the program has to do, the root says best; only what the machine needs adds to it.
    if (event.action <= strongest || event.action < Action::kUpdateDriver) continue;
    strongest = event.action;
    asked_by = NameOf(bursts[at]);
  }
  incident.actions = {strongest};
  const bool contained = HoldsXid(incident, bursts, 94) && !HoldsXid(incident, bursts, 95) &&
                         !HoldsXid(incident, bursts, 64) && strongest == Action::kResetGpu &&
                         !HoldsXid(incident, bursts, 154);
  if (contained) {
    incident.severity = Severity::kError;
    incident.actions = {Action::kRestartApplication, Action::kResetGpu};
    incident.notes.push_back(
        "The error was contained (Xid 94): only the programs named were hit, all others may go on. Reset the GPU when "
        "it is convenient; that also puts the replacement of the memory row into effect.");
  } else if (strongest != own && !asked_by.empty()) {
    incident.notes.push_back(
        fmt::format("{} asks for more than the first fault does: {}.", asked_by, TitleOf(strongest)));
    if (own == Action::kFixApplication || own == Action::kRestartApplication || own == Action::kAddMemory)
      incident.actions.push_back(own);
  }
  if (HoldsXid(incident, bursts, 63) && !HoldsXid(incident, bursts, 64))
    incident.notes.push_back("A memory row or page waits for its replacement: pending is not a failure of the GPU.");
}

// NVIDIA's workflow for Xid 13: exceptions of several programs that always name one SM speak against the GPU, those of
// many SMs at once against the program.
void NoteUnits(Incident& incident, const std::vector<Burst>& bursts) {
  std::set<std::string> units;
  std::set<Program> programs;
  for (const size_t at : incident.roots) {
    units.insert(bursts[at].units.begin(), bursts[at].units.end());
    programs.insert(bursts[at].programs.begin(), bursts[at].programs.end());
  }
  for (const size_t at : incident.followers) {
    if (bursts[at].first.code == 43 || bursts[at].first.code == 45)
      programs.insert(bursts[at].programs.begin(), bursts[at].programs.end());
  }
  constexpr size_t kMany = 4;
  if (units.size() == 1 && (programs.size() > 1 || incident.occurrences > 1))
    incident.notes.push_back(fmt::format(
        "Every time it was {}: if different programs fail there, test the GPU (dcgmi diag).", *units.begin()));
  else if (units.size() >= kMany)
    incident.notes.push_back(fmt::format(
        "{} SMs report it: the kernel does it wherever it runs, so that the hardware is unlikely.", units.size()));
}

void AddNotes(Incident& incident, const std::vector<Burst>& bursts, const MachineFacts& machine) {
  const Burst& root = bursts[incident.roots.front()];
  const Event& event = root.first;
  if (event.caused_by && HoldsXid(incident, bursts, *event.caused_by) == false)
    incident.notes.push_back(fmt::format(
        "The line names Xid {} as its cause; the log does not hold it. Look further back.", *event.caused_by));
  if (IsId(root, "xid-119") || IsId(root, "nv-gsp-timeout")) {
    if (machine.nvidia_is_open.value_or(false))
      incident.notes.push_back(
          "The open kernel modules are loaded: they always need the GSP, so that switching it off is no way out.");
    else if (machine.nvidia_is_open)
      incident.notes.push_back(
          "The proprietary modules are loaded: NVreg_EnableGpuFirmware=0 switches the GSP off on GPUs that can do "
          "without, "
          "as a work-around until a newer driver.");
    else
      incident.notes.push_back(
          "Switching the GSP off (NVreg_EnableGpuFirmware=0) works with the proprietary modules only; the open ones "
          "always need it.");
  }
  for (const size_t at : incident.followers) {
    const Event& asks = bursts[at].first;
    if (IsId(bursts[at], "xid-154") && !asks.details.empty() && asks.action != Action::kNothing)
      incident.notes.push_back(fmt::format("Xid 154: {}", asks.details.front()));
  }
  if (IsId(root, "xid-13")) NoteUnits(incident, bursts);
  const bool is_lost = IsId(root, "xid-79") || IsId(root, "nv-fallen-off-bus");
  if (!is_lost || !event.device) return;
  for (const Burst& other : bursts) {
    if (!IsId(other, "aer-corrected") || !other.first.device || !Comparable(other, root)) continue;
    const auto gpus = machine.pci.GpusAt(*other.first.device);
    if (std::find(gpus.begin(), gpus.end(), *event.device) == gpus.end()) continue;
    const int64_t ago = PositionOf(event.time, event.line) - PositionOf(other.first.time, other.first.line);
    if (ago < 0 || ago > kCorrectedNs) continue;
    incident.notes.push_back(fmt::format("Its PCIe port {} had {} corrected error{} before: the link was bad already.",
                                         TextOf(*other.first.device), other.count, other.count == 1 ? "" : "s"));
    break;
  }
}

void AddDevices(Incident& incident, const std::vector<Burst>& bursts, const PciTree& pci) {
  std::set<PciAddress> devices, ports;
  for (const size_t at : incident.roots) {
    const Event& event = bursts[at].first;
    if (!event.device) continue;
    if (event.entry->family != Family::kPcie || pci.IsGpu(*event.device)) {
      devices.insert(*event.device);
      continue;
    }
    ports.insert(*event.device);
    for (const PciAddress& gpu : pci.GpusAt(*event.device)) devices.insert(gpu);
  }
  incident.devices.assign(devices.begin(), devices.end());
  incident.ports.assign(ports.begin(), ports.end());
}

// The same fault at once on several devices, or again on the same ones, is told once.
std::vector<Incident> Merge(std::vector<Incident> incidents, const std::vector<Burst>& bursts) {
  std::vector<Incident> merged;
  std::map<const Entry*, std::vector<size_t>> known;
  for (Incident& incident : incidents) {
    const Burst& root = bursts[incident.roots.front()];
    Incident* target = nullptr;
    for (const size_t at : known[root.first.entry]) {
      Incident& candidate = merged[at];
      const Burst& last = bursts[candidate.roots.back()];
      if (last.first.code != root.first.code || last.first.severity != root.first.severity) continue;
      const bool together =
          Comparable(last, root) &&
          PositionOf(root.first.time, root.first.line) - PositionOf(last.last_time, last.last_line) <= kTogetherNs;
      const bool same_device = last.first.device == root.first.device;
      if (!together && !same_device) continue;
      if (same_device || !together) ++candidate.occurrences;
      target = &candidate;
      break;
    }
    if (target == nullptr) {
      known[root.first.entry].push_back(merged.size());
      merged.push_back(std::move(incident));
      continue;
    }
    target->roots.insert(target->roots.end(), incident.roots.begin(), incident.roots.end());
    target->followers.insert(target->followers.end(), incident.followers.begin(), incident.followers.end());
  }
  return merged;
}

}  // namespace

std::vector<Incident> FindIncidents(std::vector<Burst>& bursts, const MachineFacts& machine) {
  NameDevices(bursts, machine.pci);
  const auto leaders = FindLeaders(bursts, machine.pci);
  std::vector<Incident> incidents;
  std::vector<size_t> incident_of(bursts.size());
  for (size_t at = 0; at < bursts.size(); ++at) {
    if (leaders[at]) continue;
    incident_of[at] = incidents.size();
    incidents.emplace_back().roots = {at};
  }
  for (size_t at = 0; at < bursts.size(); ++at) {
    size_t root = at;
    while (leaders[root]) root = *leaders[root];
    if (root != at) incidents[incident_of[root]].followers.push_back(at);
  }
  incidents = Merge(std::move(incidents), bursts);
  for (Incident& incident : incidents) {
    for (const size_t at : incident.roots) incident.count += bursts[at].count;
    Judge(incident, bursts);
    AddNotes(incident, bursts, machine);
    AddDevices(incident, bursts, machine.pci);
  }
  std::stable_sort(incidents.begin(), incidents.end(),
                   [](const Incident& left, const Incident& right) { return left.severity > right.severity; });
  return incidents;
}

}  // namespace warpscope::faults
