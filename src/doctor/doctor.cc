#include "doctor/doctor.h"

#include <fmt/format.h>

#include <algorithm>

#include "doctor/checks.h"
#include "doctor/inputs.h"
#include "doctor/log_steps.h"
#include "doctor/words.h"

namespace warpscope::doctor {
namespace {

// The first broken link of the chain is the cause of those behind it, but for what is broken whatever came before. The
// faults of frameworks stand by themselves.
void NameCauses(std::vector<Step>& steps) {
  const auto root = std::find_if(steps.begin(), steps.end(), [](const Step& step) {
    return step.part == Part::kChain && step.state == State::kFailure;
  });
  if (root == steps.end()) return;
  for (auto step = root + 1; step != steps.end(); ++step) {
    const bool may_follow = step->part == Part::kChain || step->follows_chain;
    if (step->state != State::kFailure || !may_follow || step->is_own) continue;
    step->because_of = root->id;
    step->is_critical = false;
    step->next.clear();
  }
}

int Rank(const Step& step) {
  if (step.state == State::kFailure) return step.is_critical ? 3 : 2;
  return step.state == State::kWarning ? 1 : 0;
}

int FindRoot(const std::vector<Step>& steps) {
  // The chain first: what fails in it keeps everything from working. Then the worst of the others.
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].part == Part::kChain && steps[i].state == State::kFailure) return static_cast<int>(i);
  }
  int best = -1;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].state == State::kFailure && (best < 0 || Rank(steps[i]) > Rank(steps[static_cast<size_t>(best)])))
      best = static_cast<int>(i);
  }
  return best;
}

std::string Headline(const Step& step) {
  return step.subject.empty() ? fmt::format("{}: {}", step.id, step.evidence)
                              : fmt::format("{}, {}: {}", step.subject, step.id, step.evidence);
}

std::string Devices(const Machine& machine) {
  std::vector<std::string> names;
  for (const Gpu& gpu : machine.gpus) {
    if (!gpu.is_part) names.push_back(gpu.Label());
  }
  return Joined(names, 3);
}

constexpr int kExitNothing = 1;  // nothing could be judged

void Answer(const Machine& machine, Diagnosis& diagnosis) {
  if (TellsNothing(machine)) {
    diagnosis.answer = "Nothing here tells the state of a GPU machine.";
    for (const Step& step : diagnosis.steps) {
      if (step.id != "inputs") continue;
      diagnosis.answer = fmt::format("Nothing here tells the state of a GPU machine: {}.", step.evidence);
      diagnosis.next = step.next;
    }
    diagnosis.exit_code = kExitNothing;
    return;
  }
  const size_t failures = CountOf(diagnosis, State::kFailure), warnings = CountOf(diagnosis, State::kWarning);
  const std::string and_warnings =
      warnings > 0
          ? fmt::format(" {}.", warnings == 1 ? "There is one warning" : fmt::format("There are {} warnings", warnings))
          : "";
  if (diagnosis.root >= 0) {
    const Step& root = diagnosis.steps[static_cast<size_t>(diagnosis.root)];
    const size_t followers = static_cast<size_t>(std::count_if(
        diagnosis.steps.begin(), diagnosis.steps.end(), [&](const Step& step) { return step.because_of == root.id; }));
    diagnosis.answer = root.part == Part::kChain ? "The first broken layer is " + Headline(root) + "."
                       : root.id == "inputs"     ? "Cannot be judged as one machine: " + root.evidence + "."
                                                 : "Broken: " + Headline(root) + ".";
    if (followers > 0)
      diagnosis.answer +=
          fmt::format(" {} because of it.",
                      followers == 1 ? "One later step fails" : fmt::format("{} later steps fail", followers));
    if (const size_t others = failures - followers - 1; others > 0)
      diagnosis.answer +=
          fmt::format(" {} on {} own.", others == 1 ? "One more is broken" : fmt::format("{} more are broken", others),
                      others == 1 ? "its" : "their");
    diagnosis.answer += and_warnings;
    diagnosis.next = root.next;
    return;
  }
  if (warnings > 0) {
    const auto first = std::find_if(diagnosis.steps.begin(), diagnosis.steps.end(),
                                    [](const Step& step) { return step.state == State::kWarning; });
    diagnosis.answer =
        fmt::format("Nothing is broken{}. {}: {}.", machine.gaps.empty() ? "" : " in what was read",
                    warnings == 1 ? "One warning" : fmt::format("{} warnings, the first", warnings), Headline(*first));
    diagnosis.next = first->next;
    return;
  }
  const std::string devices = Devices(machine);
  const size_t fine = CountOf(diagnosis, State::kOk);
  if (fine == 0) {
    // Not "in order": what nobody could judge must not pass a check by its exit code.
    diagnosis.answer = "Nothing here tells the state of a GPU machine.";
    diagnosis.exit_code = kExitNothing;
    return;
  }
  diagnosis.answer =
      fmt::format("In order as far as {}{}{}.", machine.is_live ? "can be seen from here" : "these files tell",
                  devices.empty() ? "" : ": ", devices);
}

}  // namespace

std::string_view NameOf(State state) {
  switch (state) {
    case State::kFailure: return "failure";
    case State::kWarning: return "warning";
    case State::kUnknown: return "unknown";
    case State::kOk: break;
  }
  return "ok";
}

std::string_view NameOf(Part part) {
  switch (part) {
    case Part::kChain: return "chain";
    case Part::kSoftware: return "software";
    case Part::kSetup: return "setup";
    case Part::kHealth: return "health";
    case Part::kLog: break;
  }
  return "log";
}

Diagnosis Diagnose(const Machine& machine) {
  Diagnosis diagnosis;
  std::vector<Step>& all = diagnosis.steps;
  AddInputSteps(machine, &all);
#define WS_LINK(file, function, part) \
  {                                   \
    Steps steps(Part::part, &all);    \
    function(machine, steps);         \
  }
#include "doctor/chain.def"
#undef WS_LINK
  NameCauses(all);
  // The chain's cause in the words of the kernel, where its log tells them.
  for (Step& step : all) {
    if (step.part != Part::kChain || step.state != State::kFailure) continue;
    if (const std::string fault = FaultBehind(machine); !fault.empty()) step.evidence += "; the log says why: " + fault;
    break;
  }
  for (const Gpu& gpu : machine.gpus) {
    Steps steps(Part::kHealth, &all);
    steps.About(gpu.Label());
#define WS_HEALTH(file, function) function(machine, gpu, steps);
#include "doctor/health.def"
#undef WS_HEALTH
  }
  AddLogSteps(machine, &all);
  // The kernel's own words for libraries of another version.
  const bool is_mismatch = std::any_of(all.begin(), all.end(), [](const Step& step) {
    return step.id == "driver_library" && step.state == State::kFailure;
  });
  for (Step& step : all) {
    if (is_mismatch && step.id == "fault_nv-version-mismatch") step.because_of = "driver_library", step.next.clear();
  }
  diagnosis.root = FindRoot(all);
  // What a program says on a machine whose chain or framework is broken follows from that.
  for (Step& step : all) {
    const bool is_error = step.part == Part::kLog && step.id.starts_with("error_") && step.state == State::kFailure;
    const Step* root = diagnosis.root < 0 ? nullptr : &all[static_cast<size_t>(diagnosis.root)];
    if (is_error && root != nullptr && (root->part == Part::kChain || root->part == Part::kSoftware))
      step.because_of = root->id;
  }
  int rank = 0;
  for (const Step& step : all) rank = std::max(rank, Rank(step));
  constexpr int kCodes[] = {kExitInOrder, kExitWarning, kExitBroken, kExitCritical};
  diagnosis.exit_code = kCodes[rank];
  Answer(machine, diagnosis);
  return diagnosis;
}

size_t CountOf(const Diagnosis& diagnosis, State state) {
  return static_cast<size_t>(std::count_if(diagnosis.steps.begin(), diagnosis.steps.end(),
                                           [&](const Step& step) { return step.state == state; }));
}

}  // namespace warpscope::doctor
