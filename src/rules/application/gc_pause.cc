// gc_pause: Python's garbage collector stops the loop. Trigger: gc.collect frames on a thread that feeds the device.
// Must not claim: a pause that no frame marks (the interpreter's own collections leave no row): it abstains then.
#include <set>

#include "rules/application/host_work.h"
#include "rules/build.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::GapCause;

size_t StepsWith(const Context& c, const std::vector<ThreadSpan>& spans) {
  std::set<size_t> steps;
  for (const ThreadSpan& piece : spans) {
    for (size_t i = 0; i < c.steps.steps.size(); ++i) {
      const analysis::Step& step = c.steps.steps[i];
      if (piece.span.start_ns >= step.begin_ns && piece.span.start_ns < step.end_ns) steps.insert(i);
    }
  }
  return steps.size();
}

Outcome Evaluate(const Context& c) {
  if (!HasHostRows(c)) return AbstainNoHost();
  const auto spans = SpansOf(c, {GapCause::kGarbageCollect});
  if (spans.empty()) {
    if (HasStacks(c) || !HasUnnamedWork(c)) return Clean();
    return Abstain("the host pauses without a recorded reason, and collections leave no trace without Python frames",
                   kRecordStacks);
  }
  if (!c.sim) return AbstainNoSteps(c);
  const int64_t idle_ns = IdleNs(c, spans);
  const ThreadSpan& longest = *Longest(spans);

  Finding finding;
  finding.share_pct = c.SharePct(idle_ns);
  const std::string frame = c.UserFrame(longest.span.row);
  finding.subject = frame.empty() ? "gc.collect" : frame;
  finding.title = "Python's garbage collector stops the loop for " + Ms(c.PerStepMs(TotalNs(spans))) + " a step";
  finding.evidence.push_back({"collections in " + Count(static_cast<double>(StepsWith(c, spans))) + " of " +
                                  Count(c.step_count()) + " steps, the longest of " + Ns(longest.length_ns()) +
                                  "; the GPU is idle for " + Ms(c.PerStepMs(idle_ns)) + " of each step meanwhile",
                              c.Query("gaps")});
  if (!frame.empty()) finding.evidence.push_back({"asked for by " + frame, c.Query("gaps")});
  finding.actions.push_back(
      {"Leave gc.collect() out of the loop; freeze what lives for the whole run so that it is not searched again.",
       "import gc\ngc.collect(); gc.freeze()          # once, after start-up\n"
       "gc.set_threshold(50_000, 20, 100)   # rarer automatic collections"});
  finding.actions.push_back({"With several ranks: collect rarely, and on all ranks in the same step.",
                             "gc.disable()\nif step % 500 == 0: gc.collect()"});
  finding.verify = "Record again with stacks: no gc.collect frame in steady steps.";
  finding.confidence = Confidence::kHigh;
  finding.change = Shrink(spans, 0);
  const analysis::WhatIf low = Shrink(spans, 0.5);
  return Conclude(c, std::move(finding), analysis::Side::kHost, &low);
}

}  // namespace

extern const Rule kGcPauseRule;
const Rule kGcPauseRule = {"gc_pause",
                           Layer::kApplication,
                           Dimension::kLatency,
                           Breadth::kSpecific,
                           Evaluate,
                           "Python looks for unused objects from time to time and stops the program while it does. "
                           "With many live objects each "
                           "search takes long, and the GPU gets no work meanwhile."};

}  // namespace warpscope::rules
