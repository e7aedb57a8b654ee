#include "doctor/log_steps.h"

#include <fmt/format.h>

#include <algorithm>

#include "doctor/words.h"

namespace warpscope::doctor {
namespace {

constexpr size_t kMostSteps = 12;  // of faults; the others are counted

const faults::Burst& RootOf(const faults::Report& report, const faults::Incident& incident) {
  return report.bursts[incident.roots.front()];
}

// What a restart of the machine ends: a lost device, a hung firmware; not worn-out memory or a bad contact.
bool EndsWithRestart(const faults::Incident& incident) {
  using faults::Action;
  return std::none_of(incident.actions.begin(), incident.actions.end(),
                      [](Action one) { return one == Action::kReplace || one == Action::kCheckHardware; });
}

bool IsBeforeRestart(const faults::Report& report, const faults::Incident& incident) {
  const faults::Event& last = report.bursts[incident.roots.back()].first;
  return last.log < report.logs.size() && last.boot + 1 < report.logs[last.log].boots;
}

std::string Title(const faults::Report& report, const faults::Incident& incident) {
  const faults::Burst& root = RootOf(report, incident);
  std::string text = faults::NameOf(root);
  if (text != root.first.entry->title) text += fmt::format(" ({})", root.first.entry->title);
  return text;
}

std::string Evidence(const faults::Report& report, const faults::Incident& incident) {
  const faults::Burst& root = RootOf(report, incident);
  std::string text = fmt::format("{}, {}", Title(report, incident), faults::PlaceOf(root, report.machine));
  if (incident.roots.size() > 1 && incident.devices.size() > 1)
    text = fmt::format("{}, {} devices", Title(report, incident), incident.devices.size());
  if (const std::string when = faults::TextOf(root.first.time); !when.empty()) text += ", " + when;
  if (incident.count > 1) text += fmt::format(", {} times", incident.count);
  if (!incident.followers.empty())
    text += fmt::format("; {} followed from it", Plural(incident.followers.size(), "other fault"));
  if (IsBeforeRestart(report, incident)) text += "; the machine was restarted since";
  return text;
}

// The driver knows the state of remapping now, and its state is what counts: the step row_remapping tells a replacement
// that waits; one that does not wait any more was made since the log's line. "" where the driver tells nothing.
struct Now {
  std::string words;
  bool is_over = false;  // nothing is left to do
};
Now StateNow(const Machine& machine, const faults::Report& report, const faults::Incident& incident) {
  const std::string_view id = RootOf(report, incident).first.entry->id;
  if ((id != "xid-64" && id != "xid-63") || incident.devices.empty()) return {};
  bool waits = false;
  for (const faults::PciAddress& device : incident.devices) {
    const auto gpu = std::find_if(machine.gpus.begin(), machine.gpus.end(),
                                  [&](const Gpu& one) { return one.address == faults::TextOf(device); });
    const auto flag = gpu == machine.gpus.end()
                          ? std::nullopt
                          : gpu->Number(id == "xid-64" ? ReadingName::kRemappedFailure : ReadingName::kRemappedPending);
    if (!flag || (id == "xid-64" && *flag != 0)) return {};
    waits = waits || *flag != 0;
  }
  if (id == "xid-64") return {"the driver tells no failed replacement now", false};
  if (waits) return {"see row_remapping, the state that the driver tells now", true};
  return {"the driver tells now that no replacement waits: it was made since", true};
}

std::string NextOf(const faults::Report& report, const faults::Incident& incident) {
  const auto steps = faults::StepsOf(incident, report);
  if (steps.empty()) return std::string(faults::TitleOf(incident.action()));
  std::string text = steps[0].text;
  if (steps[0].command.empty()) return text;
  if (text.ends_with('.')) text.pop_back();
  return fmt::format("{}: {}", text, steps[0].command);
}

void AddFaults(const Machine& machine, const faults::Report& report, Steps& steps) {
  size_t shown = 0, left_out = 0;
  for (const faults::Incident& incident : report.incidents) {
    if (incident.severity == faults::Severity::kInfo) continue;
    if (shown == kMostSteps) {
      ++left_out;
      continue;
    }
    ++shown;
    const std::string id = "fault_" + std::string(RootOf(report, incident).first.entry->id);
    const std::string next = NextOf(report, incident);
    std::string evidence = Evidence(report, incident);
    if (const Now now = StateNow(machine, report, incident); !now.words.empty()) {
      if (now.is_over) steps.Ok(id, evidence + "; " + now.words);
      else steps.Warn(id, evidence + "; " + now.words, "what the driver tells now counts more than the log");
      continue;
    }
    const bool machine_acts = faults::ActorOf(incident).starts_with("the machine");
    const bool is_over = IsBeforeRestart(report, incident) && EndsWithRestart(incident);
    if (is_over || incident.severity == faults::Severity::kWarning) steps.Warn(id, evidence, next);
    else if (incident.severity == faults::Severity::kCritical) steps.Critical(id, evidence, next);
    else if (machine_acts) steps.Fail(id, evidence, next);
    else steps.Warn(id, evidence, next);  // a program's own fault: the machine is fit
  }
  if (left_out > 0) steps.Ok("faults", fmt::format("{} more: warpscope faults FILE", Plural(left_out, "fault")));
  if (shown == 0) {
    uint64_t lines = 0;
    for (const faults::LogFacts& log : report.logs) lines += log.lines;
    if (lines > 0) steps.Ok("faults", fmt::format("no fault of a GPU in {} of logs", Plural(lines, "line")));
  }
}

void AddErrors(const explain::Diagnosis& errors, Steps& steps) {
  constexpr size_t kMost = 6;
  size_t shown = 0;
  for (const explain::Finding& finding : errors.findings) {
    if (finding.relation == explain::Relation::kSame || finding.relation == explain::Relation::kFollows ||
        shown == kMost)
      continue;
    ++shown;
    const explain::Answer& answer = finding.answer;
    const std::string next = !answer.fixes.empty()   ? answer.fixes.front()
                             : answer.checks.empty() ? ""
                                                     : answer.checks.front().text;
    const std::string id = "error_" + std::string(finding.entry->id);
    std::string headline = answer.headline;
    while (headline.ends_with('.')) headline.pop_back();
    const std::string evidence = fmt::format("{} (line {})", headline, finding.line);
    if (finding.relation == explain::Relation::kRemark) steps.Warn(id, evidence, next);
    else steps.Fail(id, evidence, next);
  }
}

}  // namespace

void AddLogSteps(const Machine& machine, std::vector<Step>* all) {
  Steps steps(Part::kLog, all);
  if (machine.faults) AddFaults(machine, *machine.faults, steps);
  if (machine.errors) AddErrors(*machine.errors, steps);
}

std::string FaultBehind(const Machine& machine) {
  if (!machine.faults) return {};
  for (const faults::Incident& incident : machine.faults->incidents) {
    const faults::Scope scope = RootOf(*machine.faults, incident).first.entry->scope;
    const bool hardware = scope != faults::Scope::kApplication;
    if (incident.severity == faults::Severity::kCritical && hardware && !IsBeforeRestart(*machine.faults, incident))
      return Evidence(*machine.faults, incident);
  }
  return {};
}

}  // namespace warpscope::doctor
