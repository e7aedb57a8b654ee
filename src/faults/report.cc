#include "faults/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "faults/incidents.h"
#include "faults/scan_text.h"

namespace warpscope::faults {
namespace {

std::string Capital(std::string text) {
  if (text.starts_with("the ") || text.starts_with("a ")) text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

// "GPU 0000:3b:00.0", "GPUs 0000:3b:00.0 and 0000:5e:00.0", "8 GPUs".
std::string DevicesOf(const Incident& incident, const Report& report) {
  const Burst& root = report.bursts[incident.roots.front()];
  if (incident.devices.empty() || root.first.entry->family == Family::kSxid) {
    if (incident.devices.size() > 1) return fmt::format("{} switches", incident.devices.size());
    return PlaceOf(root, report.machine);
  }
  const std::string_view noun = root.first.entry->family == Family::kAscend ? "NPU" : "GPU";
  if (incident.devices.size() == 1) return fmt::format("{} {}", noun, TextOf(incident.devices[0]));
  if (incident.devices.size() == 2)
    return fmt::format("{}s {} and {}", noun, TextOf(incident.devices[0]), TextOf(incident.devices[1]));
  return fmt::format("{} {}s", incident.devices.size(), noun);
}

std::string AnswerOf(const Report& report) {
  if (report.incidents.empty()) {
    uint64_t lines = 0;
    for (const LogFacts& log : report.logs) lines += log.lines;
    if (lines == 0) return "The log is empty: nothing to judge. Give what dmesg or journalctl -k print there, as root.";
    return fmt::format("No fault of a GPU, a link or the machine in {} line{}.", lines, lines == 1 ? "" : "s");
  }
  const Incident& worst = report.incidents.front();
  const Burst& root = report.bursts[worst.roots.front()];
  const std::string name = NameOf(root);
  std::string what = fmt::format("{}: {}", DevicesOf(worst, report), name);
  if (name != root.first.entry->title) what += fmt::format(", {}", root.first.entry->title);
  const std::string when = TextOf(root.first.time);
  if (!when.empty()) what += fmt::format(", {}{}", root.first.time.clock == Clock::kBoot ? "" : "at ", when);
  if (worst.occurrences > 1) what += fmt::format(", {} times", worst.occurrences);
  std::string answer = Capital(what) + ". ";
  const std::string actor = ActorOf(worst);
  std::string actions(TitleOf(worst.actions[0]));
  if (worst.actions.size() > 1) actions += fmt::format("; then: {}", TitleOf(worst.actions[1]));
  if (actor == "nobody") answer += fmt::format("Nobody has to act: {}.", actions);
  else answer += fmt::format("{} must act: {}.", Capital(actor), actions);
  const size_t others =
      static_cast<size_t>(std::count_if(report.incidents.begin() + 1, report.incidents.end(),
                                        [](const Incident& incident) { return incident.severity > Severity::kInfo; }));
  if (others > 0) answer += fmt::format(" {} further fault{} below.", others, others == 1 ? "" : "s");
  return answer;
}

// With the device's address; without one, or where the device is a switch, the command is that for all GPUs.
std::string Filled(std::string_view command, const Incident& incident, bool is_switch) {
  const PciAddress* address = is_switch                   ? nullptr
                              : !incident.devices.empty() ? &incident.devices[0]
                              : !incident.ports.empty()   ? &incident.ports[0]
                                                          : nullptr;
  std::string out(command);
  constexpr std::string_view kOption = " -i {gpu}";
  for (size_t at = out.find(kOption); address == nullptr && at != std::string::npos; at = out.find(kOption))
    out.erase(at, kOption.size());
  const std::string text = address != nullptr ? TextOf(*address) : "ADDRESS";
  for (size_t at = out.find("{gpu}"); at != std::string::npos; at = out.find("{gpu}", at + text.size()))
    out.replace(at, 5, text);
  return out;
}

}  // namespace

std::string NameOf(const Burst& burst) {
  const Event& event = burst.first;
  if (event.entry->family == Family::kXid || event.entry->id == "xid-unknown") return fmt::format("Xid {}", event.code);
  if (event.entry->family == Family::kSxid || event.entry->id == "sxid-unknown")
    return fmt::format("SXid {}", event.code);
  return std::string(event.entry->title);
}

std::string PlaceOf(const Burst& burst, const MachineFacts& machine) {
  const Event& event = burst.first;
  const Family family = event.entry->family;
  if (family == Family::kSxid || event.entry->id == "sxid-unknown") {
    if (!event.device) return event.place.empty() ? "NVSwitch" : event.place;
    return fmt::format("{} {}", event.place.empty() ? "NVSwitch" : event.place, TextOf(*event.device));
  }
  if (!event.device) {
    if (family == Family::kHost) return event.place.empty() ? "the machine" : event.place;
    if (!event.place.empty()) return event.place;
    return event.entry->scope == Scope::kNode ? "the machine" : "a device that the log does not name";
  }
  if (family == Family::kPcie && !machine.pci.IsGpu(*event.device)) {
    // The IOMMU names the device whose access it refused, whatever that is; AER names the port or the device.
    if (event.entry->id == "iommu-fault") return fmt::format("device {}", TextOf(*event.device));
    const auto gpus = machine.pci.GpusAt(*event.device);
    if (gpus.empty()) return fmt::format("port {}", TextOf(*event.device));
    std::string text = fmt::format("port {} of", TextOf(*event.device));
    for (const PciAddress& gpu : gpus) text += fmt::format(" GPU {}{}", TextOf(gpu), gpu == gpus.back() ? "" : ",");
    return text;
  }
  return fmt::format("{} {}", family == Family::kAscend ? "NPU" : "GPU", TextOf(*event.device));
}

Vendor VendorOf(const Incident& incident, const Report& report) {
  const Vendor vendor = VendorOf(report.bursts[incident.roots.front()].first.entry->family);
  if (vendor != Vendor::kAny || incident.devices.empty()) return vendor;
  return report.machine.pci.VendorAt(incident.devices[0]);
}

std::vector<NamedStep> StepsOf(const Incident& incident, const Report& report) {
  std::vector<NamedStep> steps;
  const bool is_switch = report.bursts[incident.roots.front()].first.entry->family == Family::kSxid;
  const bool is_windows = report.bursts[incident.roots.front()].first.entry->family == Family::kWindows;
  for (const Action action : incident.actions) {
    for (const Step& step : StepsOf(action, is_windows ? Vendor::kAny : VendorOf(incident, report)))
      steps.push_back({std::string(step.text), Filled(step.command, incident, is_switch)});
  }
  return steps;
}

std::vector<NamedStep> ChecksOf(const Incident& incident, const Report& report) {
  std::vector<NamedStep> checks;
  const bool is_switch = report.bursts[incident.roots.front()].first.entry->family == Family::kSxid;
  for (const std::string_view id : Split(report.bursts[incident.roots.front()].first.entry->checks, ' ')) {
    if (const Check* check = FindCheck(id))
      checks.push_back({std::string(check->text), Filled(check->command, incident, is_switch)});
  }
  return checks;
}

std::string ActorOf(const Incident& incident) {
  std::string actor(ActorOf(incident.actions[0]));
  if (incident.actions.size() > 1 && ActorOf(incident.actions[1]) != actor)
    actor += fmt::format(", then {}", ActorOf(incident.actions[1]));
  return actor;
}

Report MakeReport(std::vector<Burst> bursts, std::vector<LogFacts> logs, MachineFacts machine, uint64_t repeated,
                  uint64_t folded_late) {
  Report report;
  report.bursts = std::move(bursts);
  report.logs = std::move(logs);
  report.machine = std::move(machine);
  report.incidents = FindIncidents(report.bursts, report.machine);
  for (const Incident& incident : report.incidents) report.severity = std::max(report.severity, incident.severity);
  report.answer = AnswerOf(report);
  if (repeated > 0)
    report.notes.push_back(fmt::format("{} line{} that a second copy of the log repeats counted once.", repeated,
                                       repeated == 1 ? "" : "s"));
  if (folded_late > 0)
    report.notes.push_back(
        fmt::format("More than {} separate faults: {} later lines were added to earlier ones or left out.",
                    BurstFolder::kMostBursts, folded_late));
  bool unmapped = false;
  for (const Burst& burst : report.bursts) {
    const Event& event = burst.first;
    unmapped |= event.entry->family == Family::kPcie && event.device && event.severity >= Severity::kWarning &&
                event.entry->id != "iommu-fault" && report.machine.pci.GpusAt(*event.device).empty() &&
                !report.machine.pci.KnowsPort(*event.device);
  }
  if (unmapped)
    report.notes.push_back(
        "The logs do not tell what hangs below a PCIe port that reports errors; give the tree: --lspci FILE, from "
        "`sudo lspci -vv` or `lspci -tv`.");
  for (const LogFacts& log : report.logs) {
    if (log.unknown_lines > 0)
      report.notes.push_back(fmt::format(
          "{}: {} line{} of the driver with words of failure that no rule knows, first line {}: {}", log.name,
          log.unknown_lines, log.unknown_lines == 1 ? "" : "s", log.first_unknown_line, log.first_unknown));
    if (log.cut_lines > 0)
      report.notes.push_back(fmt::format("{}: {} line{} longer than {} bytes, read that far.", log.name, log.cut_lines,
                                         log.cut_lines == 1 ? "" : "s", Scanner::kMostLine));
  }
  return report;
}

}  // namespace warpscope::faults
