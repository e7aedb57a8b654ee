#include "rules/whatif/what_if.h"

#include <fmt/format.h>

#include <algorithm>

#include "rules/typical_context.h"

namespace warpscope::rules {
namespace {

// Every cause of the verdict whose change can be replayed, once, in its order.
std::vector<HandChange> CausesOf(const std::vector<Finding>& findings) {
  std::vector<HandChange> changes;
  for (const Finding& finding : findings) {
    const auto known = [&](const HandChange& change) { return change.pattern == finding.id; };
    if (finding.change.empty() || std::any_of(changes.begin(), changes.end(), known)) continue;
    changes.push_back({HandTarget::kCause, finding.id, 0, false, "cause:" + finding.id});
  }
  return changes;
}

bool NeedsVerdict(const std::vector<HandChange>& changes) {
  return changes.empty() || std::any_of(changes.begin(), changes.end(),
                                        [](const HandChange& change) { return change.target == HandTarget::kCause; });
}

}  // namespace

Result<WhatIfReport> TryChanges(const model::Trace& trace, const AnalyzeOptions& options,
                                std::vector<HandChange> changes) {
  std::vector<Finding> findings;
  if (NeedsVerdict(changes)) {
    auto verdict = Analyze(trace, options);
    if (!verdict.ok()) return verdict.status();
    findings = std::move(verdict->findings);
    if (changes.empty()) changes = CausesOf(findings);
  }
  const analysis::Index index(trace);
  if (index.ranks().empty() || trace.gpu.size() == 0)
    return Status(StatusCode::kUnsupported, "the input has no timeline with device work: there is nothing to replay");
  if (options.rank && index.RankNumbered(*options.rank) == nullptr)
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("there is no rank {} in the input; there are: {}", *options.rank, index.RankNumbers()));
  const analysis::Rank& rank = RankToJudge(index, options);
  const auto context = BuildTypicalContext(index, rank, {options.true_step_ms, options.file_argument, {}}).context;
  if (!context->sim) return Status(StatusCode::kUnsupported, "these steps cannot be replayed: " + context->sim_reason);
  auto outcomes = TryByHand(*context, changes, findings);
  if (!outcomes.ok()) return outcomes.status();
  for (size_t i = 0; i < changes.size(); ++i) {
    if ((*outcomes)[i].rows == 0 && changes[i].target != HandTarget::kCause)
      return Status(
          StatusCode::kNotFound,
          fmt::format("{}: nothing of that name lies in the counted steps; names are told by: warpscope kernels, "
                      "ops, copies, syncs",
                      changes[i].text));
  }
  WhatIfReport report;
  if (changes.size() > 1) report.together = TryTogether(*context, *outcomes);
  report.changes = std::move(changes);
  report.outcomes = std::move(outcomes).value();
  if (index.ranks().size() > 1) report.rank = rank.label;
  report.step_count = context->steps.whole();
  report.notes = context->sim->notes();
  return report;
}

}  // namespace warpscope::rules
