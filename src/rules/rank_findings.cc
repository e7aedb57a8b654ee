#include "rules/rank_findings.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::Interval;
using analysis::IntervalSet;
using analysis::WhatIf;

// More of a finding's own time than this inside another's makes it a symptom.
constexpr double kSymptomCoverRatio = 0.6;
// So does a gain of which less than this is left once the other is fixed: a wait is short when what made it long is
// gone.
constexpr double kLeftOfSymptomRatio = 0.25;
// What a finding gains once those before it are fixed is told where it is less than this of its gain alone.
constexpr double kToldLeftRatio = 0.5;
// Specific causes below this gain do not take worth away from a general one.
constexpr double kStandingGainPct = 2.0;
constexpr double kGeneralWorthRatio = 0.4;
// A general cause that names one place goes before a residual one that is spread over the program unless it is worth
// much less: it is one change, and the replay of a fully captured step is the hopeful end of what the other brings.
constexpr double kNearWorthRatio = 0.6;
// Work that keeps more than this of its length is slowed down by the cause, but not the cause's own.
constexpr double kMildRatio = 0.5;

struct Touched {
  std::map<uint32_t, IntervalSet> host;  // by thread
  std::set<uint32_t> gpu;
};

// mild: device work that only becomes a little shorter counts, too.
Touched TouchedBy(const model::Trace& trace, const WhatIf& change, bool mild) {
  std::map<uint32_t, std::vector<Interval>> spans;
  Touched touched;
  const auto call = [&](uint32_t row) {
    if (row != model::kNone)
      spans[trace.host.thread[row]].push_back({trace.host.start_ns[row], trace.host.end_ns(row)});
  };
  for (const auto& edit : change.gpu_edits) {
    const double kept_ns = kMildRatio * static_cast<double>(trace.gpu.dur_ns[edit.row]);
    if (!mild && edit.kind == WhatIf::Gpu::kDuration && static_cast<double>(edit.value) > kept_ns) continue;
    touched.gpu.insert(edit.row);
    if (edit.kind == WhatIf::Gpu::kRemove) call(trace.gpu.call[edit.row]);
  }
  for (const auto& merge : change.merges) {
    for (const uint32_t row : merge.rows) call(trace.gpu.call[row]);
  }
  for (const auto& edit : change.call_edits) call(edit.row);
  for (const auto& edit : change.host_edits) {
    if (edit.kind == WhatIf::Host::kScale && edit.ratio > kMildRatio) continue;
    spans[edit.thread].push_back({edit.start_ns, edit.end_ns});
  }
  for (auto& [thread, list] : spans) touched.host[thread] = IntervalSet(std::move(list));
  return touched;
}

double SavedMs(const std::optional<analysis::Prediction>& prediction) {
  return prediction ? prediction->step_ms_before - prediction->step_ms_after : 0;
}

struct Ranked {
  Candidate candidate;
  double worth_ms = 0;
  double beyond_ms = 0;  // of a general one: what it gains once the specific ones are fixed, its symptoms left out

  // Gains that print alike are alike: then the surer one goes first.
  double told_worth() const {
    const auto& predicted = candidate.finding.predicted;
    if (!predicted || !(predicted->step_ms_before > 0)) return 0;
    const double pct = 100 * worth_ms / predicted->step_ms_before;
    return pct < 10 ? std::round(10 * pct) / 10 : std::round(pct);
  }
};

// What a general change gains beyond the specific ones already standing.
double MarginalMs(const Context& context, const WhatIf& specific, const WhatIf& general) {
  if (!context.sim) return 0;
  WhatIf both = specific;
  both.Add(general);
  const auto with = context.Predict(both, analysis::Side::kHost);
  const auto without = context.Predict(specific, analysis::Side::kHost);
  return std::max(0.0, SavedMs(with) - SavedMs(without));
}

void SortByWorth(std::vector<Ranked>& ranked) {
  std::stable_sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) {
    const bool a_known = a.candidate.finding.predicted.has_value();
    const bool b_known = b.candidate.finding.predicted.has_value();
    if (a_known != b_known) return a_known;
    if (a.told_worth() != b.told_worth()) return a.told_worth() > b.told_worth();
    if (a.candidate.finding.confidence != b.candidate.finding.confidence)
      return a.candidate.finding.confidence < b.candidate.finding.confidence;
    if (a.worth_ms != b.worth_ms) return a.worth_ms > b.worth_ms;
    if (a.candidate.finding.share_pct != b.candidate.finding.share_pct) {
      return a.candidate.finding.share_pct > b.candidate.finding.share_pct;
    }
    return a.candidate.finding.id < b.candidate.finding.id;
  });
}

// A residual cause right before a general one of nearly the same worth gives way to it.
void PlaceResidual(std::vector<Ranked>& ranked) {
  for (size_t i = 1; i < ranked.size(); ++i) {
    const Ranked& first = ranked[i - 1];
    const Ranked& second = ranked[i];
    if (first.candidate.rule->breadth != Breadth::kResidual || second.candidate.rule->breadth != Breadth::kGeneral)
      continue;
    if (second.worth_ms <= 0 || second.worth_ms < kNearWorthRatio * first.worth_ms) continue;
    std::swap(ranked[i - 1], ranked[i]);
  }
}

// A general cause that names one place goes before a specific one where it brings more even after that one is fixed
// than that one brings alone: then the specific one is the smaller part of the same time.
void PlaceGeneral(std::vector<Ranked>& ranked) {
  for (size_t i = 1; i < ranked.size(); ++i) {
    if (ranked[i].candidate.rule->breadth != Breadth::kGeneral) continue;
    for (size_t at = i; at > 0; --at) {
      const Ranked& before = ranked[at - 1];
      if (before.candidate.rule->breadth != Breadth::kSpecific || ranked[at].beyond_ms < before.worth_ms) break;
      std::swap(ranked[at - 1], ranked[at]);
    }
  }
}

// Two findings about the same time: that the other ranks wait for this one goes before what this rank does meanwhile.
// It is the same change, seen by all.
void PlaceStraggler(const Context& context, std::vector<Ranked>& ranked) {
  if (context.index.ranks().size() < 2) return;
  for (size_t i = 1; i < ranked.size(); ++i) {
    if (ranked[i].candidate.finding.id != "exposed_communication") continue;
    for (; i > 0; --i) {
      const Ranked& before = ranked[i - 1];
      if (ranked[i].worth_ms < kNearWorthRatio * before.worth_ms) return;
      const WhatIf &own = ranked[i].candidate.finding.change, &other = before.candidate.finding.change;
      if (own.empty() || CoverRatio(context.trace, other, own) < kSymptomCoverRatio) return;
      std::swap(ranked[i - 1], ranked[i]);
    }
    return;
  }
}

// The step after `changes` and `change`, and after `changes` alone; absent without a simulator or a change.
std::optional<std::pair<double, double>> StepBeyond(const Context& context, const WhatIf& changes,
                                                    const WhatIf& change) {
  if (!context.sim || changes.empty() || change.empty()) return std::nullopt;
  WhatIf both = changes;
  both.Add(change);
  const auto with = context.Predict(both, analysis::Side::kHost);
  const auto without = context.Predict(changes, analysis::Side::kHost);
  if (!with || !without) return std::nullopt;
  return std::pair(without->step_ms_after, std::min(with->step_ms_after, without->step_ms_after));
}

// The finding that explains this one: its change covers what this one's touches, or leaves little of its gain.
const Finding* Explained(const Context& context, const std::vector<Finding>& standing, const Ranked& row) {
  const Finding& finding = row.candidate.finding;
  if (finding.change.empty()) return nullptr;
  for (const Finding& cause : standing) {
    if (CoverRatio(context.trace, cause.change, finding.change) >= kSymptomCoverRatio) return &cause;
  }
  // General remedies are weighed by what they gain beyond the specific ones; those two may be two ways to one end.
  if (row.candidate.rule->breadth != Breadth::kSpecific) return nullptr;
  for (const Finding& cause : standing) {
    const auto beyond = StepBeyond(context, cause.change, finding.change);
    if (beyond && beyond->first - beyond->second < kLeftOfSymptomRatio * SavedMs(finding.predicted)) return &cause;
  }
  return nullptr;
}

// "a", "a and b", "a, b and c"
std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return text;
}

// A finding whose gain alone is larger than that of the one before it, or shrinks once those before it are fixed, says
// what it brings then: this is what its place follows from.
void TellWhatIsLeft(const Context& context, std::vector<Finding>& standing) {
  WhatIf fixed;
  std::vector<std::string> named;  // ids of what is fixed: a reader may not see them above (small ones are summed up)
  double before_ms = 0;            // what the finding before saves
  for (Finding& finding : standing) {
    const double saved_ms = SavedMs(finding.predicted);
    if (saved_ms > 0 && !finding.change.empty()) {
      const auto beyond = StepBeyond(context, fixed, finding.change);
      if (beyond && beyond->first > 0) {
        const double left_ms = beyond->first - beyond->second;
        if (left_ms < kToldLeftRatio * saved_ms || saved_ms > before_ms) {
          finding.evidence.push_back({"once " + Joined(named) + (named.size() == 1 ? " is" : " are") +
                                          " fixed, it brings a step from " + Ms(beyond->first) + " to " +
                                          Ms(beyond->second) + " (" + Pct(-100 * left_ms / beyond->first) + ")",
                                      context.Query("whatif")});
        }
      }
      fixed.Add(finding.change);
      if (std::find(named.begin(), named.end(), finding.id) == named.end()) named.push_back(finding.id);
    }
    before_ms = saved_ms;
  }
}

// What ends the run leads, whatever it costs in time.
void PlaceUrgent(std::vector<Finding>& findings) {
  std::stable_partition(findings.begin(), findings.end(), [](const Finding& finding) { return finding.urgent; });
}

// The verdict of a healthy program leads, or closes the list.
void PlaceSaturated(std::vector<Finding>& findings) {
  const auto saturated = std::find_if(findings.begin(), findings.end(),
                                      [](const Finding& finding) { return finding.id == "device_saturated"; });
  if (saturated == findings.end()) return;
  const bool notable = std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.predicted && finding.predicted->gain_pct >= kNotableGainPct;
  });
  if (notable) {
    std::rotate(saturated, saturated + 1, findings.end());
  } else {
    std::rotate(findings.begin(), saturated, saturated + 1);
  }
}

// Whether the specific cause costs the step something only because of this general one, which is worth more: a wait
// that would hide behind the device's work if the host came earlier.
bool HangsOn(const Context& context, const Ranked& specific, const Ranked& general) {
  if (general.worth_ms <= specific.worth_ms) return false;
  const auto left = StepBeyond(context, general.candidate.finding.change, specific.candidate.finding.change);
  return left && left->first - left->second < kLeftOfSymptomRatio * specific.worth_ms;
}

// General remedies are worth what they gain beyond the specific causes that do not hang on them.
void WeighGeneral(const Context& context, std::vector<Ranked>& ranked) {
  std::vector<const Ranked*> specific;
  for (const Ranked& row : ranked) {
    const auto& prediction = row.candidate.finding.predicted;
    const bool stands = prediction && prediction->gain_pct >= kStandingGainPct;
    if (row.candidate.rule->breadth == Breadth::kSpecific && stands) specific.push_back(&row);
  }
  for (Ranked& row : ranked) {
    const Breadth breadth = row.candidate.rule->breadth;
    const WhatIf& change = row.candidate.finding.change;
    if (breadth == Breadth::kSpecific) continue;
    // A gain told in other units (per sample) is no rival of those of the step.
    if (breadth == Breadth::kResidual && change.empty()) row.worth_ms = 0;
    if (row.worth_ms <= 0) continue;
    if (specific.empty() && !row.candidate.finding.upper_bound) continue;
    const bool names_a_place = breadth == Breadth::kGeneral && !row.candidate.finding.upper_bound;
    WhatIf beside;
    for (const Ranked* other : specific) {
      if (!names_a_place || !HangsOn(context, *other, row)) beside.Add(other->candidate.finding.change);
    }
    if (!beside.empty()) row.worth_ms = std::min(row.worth_ms, MarginalMs(context, beside, change));
    if (names_a_place) row.beyond_ms = row.worth_ms;
    row.worth_ms *= kGeneralWorthRatio;
  }
}

}  // namespace

double CoverRatio(const model::Trace& trace, const WhatIf& outer, const WhatIf& inner) {
  const Touched large = TouchedBy(trace, outer, false);
  const Touched small = TouchedBy(trace, inner, true);
  double total = 0;
  double covered = 0;
  for (const auto& [thread, spans] : small.host) {
    total += static_cast<double>(spans.length_ns());
    const auto it = large.host.find(thread);
    if (it != large.host.end()) covered += static_cast<double>(it->second.IntersectionLength(spans));
  }
  for (const uint32_t row : small.gpu) {
    total += static_cast<double>(trace.gpu.dur_ns[row]);
    if (large.gpu.contains(row)) covered += static_cast<double>(trace.gpu.dur_ns[row]);
  }
  return total > 0 ? covered / total : 0;
}

std::vector<Finding> RankFindings(const Context& context, std::vector<Candidate> candidates) {
  std::vector<Ranked> ranked;
  for (Candidate& candidate : candidates) {
    const double worth = SavedMs(candidate.finding.predicted);
    ranked.push_back({std::move(candidate), worth});
  }
  WeighGeneral(context, ranked);
  SortByWorth(ranked);
  PlaceResidual(ranked);
  PlaceGeneral(ranked);
  PlaceStraggler(context, ranked);
  std::vector<Finding> standing;
  std::vector<Finding> symptoms;
  for (Ranked& row : ranked) {
    Finding& finding = row.candidate.finding;
    if (finding.caused_by.empty()) {
      if (const Finding* cause = Explained(context, standing, row); cause != nullptr) finding.caused_by = cause->id;
    }
    (finding.caused_by.empty() ? standing : symptoms).push_back(std::move(finding));
  }
  PlaceSaturated(standing);
  PlaceUrgent(standing);
  TellWhatIsLeft(context, standing);
  standing.insert(standing.end(), std::make_move_iterator(symptoms.begin()), std::make_move_iterator(symptoms.end()));
  return standing;
}

}  // namespace warpscope::rules
