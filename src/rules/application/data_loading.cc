// data_loading: the loop waits for its input. Trigger: frames or ranges of a data loader on a thread that feeds the
// device. Must not claim: that the loader is slow when it hides behind device work (the replay decides), nor that the
// disk is at fault (nothing here sees it).
#include <algorithm>

#include "analysis/step_profile.h"
#include "rules/application/loader_start.h"
#include "rules/build.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::WhatIf;

constexpr uint32_t kWorkers = 8;  // suggested; the replay bounds the step by load time / workers

bool WaitsForWorkers(const Context& c, uint32_t row) {
  return row != model::kNone && c.trace.HostName(row).find("MultiProcessing") != std::string_view::npos;
}

// The loading runs on `workers`, or on so many times as many as there are, one step ahead.
WhatIf Change(const std::vector<ThreadSpan>& spans, uint32_t workers) {
  WhatIf change;
  for (const ThreadSpan& span : spans) change.OffloadHost(span.thread, span.span.start_ns, span.span.end_ns, workers);
  return change;
}

// The pipeline starts once: nothing of it comes back in the next step.
WhatIf Shorter(const std::vector<ThreadSpan>& spans, double rest_ratio) {
  WhatIf change;
  for (const ThreadSpan& span : spans) change.ScaleHost(span.thread, span.span.start_ns, span.span.end_ns, rest_ratio);
  return change;
}

// Workers that start together deliver together: a wait every n-th step tells n of them, one at each step a single one.
uint32_t TimesAsManyWorkers(const Context& c) {
  const auto period = analysis::SlowStepPeriod(c.steps);
  const double workers = period ? std::max(1.0, static_cast<double>(*period)) : 1.0;
  return static_cast<uint32_t>(std::max(2.0, kWorkers / workers));
}

Outcome Evaluate(const Context& c) {
  if (!HasHostRows(c)) return AbstainNoHost();
  const auto spans = SpansOf(c, {analysis::GapCause::kDataLoading});
  if (spans.empty()) return Clean();
  if (!c.sim) return AbstainNoSteps(c);
  const ThreadSpan& longest = *Longest(spans);
  const bool has_workers = WaitsForWorkers(c, longest.span.row);
  const int64_t idle_ns = IdleNs(c, spans);

  Finding finding;
  finding.subject = longest.span.row == model::kNone ? "" : std::string(c.trace.HostName(longest.span.row));
  finding.share_pct = c.SharePct(idle_ns);
  finding.title = "The GPU waits for input data " + Pct(*finding.share_pct) + " of the step";
  finding.evidence.push_back({"loading takes " + Ms(c.PerStepMs(TotalNs(spans))) +
                                  " of each step on the thread that feeds the GPU; the GPU is idle for " +
                                  Ms(c.PerStepMs(idle_ns)) + " of it",
                              c.Query("gaps")});
  if (const auto period = analysis::SlowStepPeriod(c.steps)) {
    finding.evidence.push_back(
        {"every " + Count(*period) + ". step is slow: the workers deliver in bursts and cannot keep up",
         c.Query("steps")});
  }
  if (has_workers) {
    finding.actions.push_back(
        {"Worker processes are in use but cannot keep up: use more of them, keep them alive and let each prefetch "
         "more.",
         "DataLoader(..., num_workers=N, persistent_workers=True,\n           prefetch_factor=4, pin_memory=True)"});
    finding.actions.push_back(
        {"Make a sample cheaper: decode once and cache, move augmentation to the GPU, use a faster file format.", ""});
  } else {
    finding.actions.push_back({"Load in worker processes while the GPU computes.",
                               "DataLoader(..., num_workers=8, persistent_workers=True, pin_memory=True)"});
    finding.actions.push_back({"Copy the batch without waiting.", "batch = batch.to(device, non_blocking=True)"});
  }
  finding.verify = "Record again: the loader's share in `warpscope gaps` should be near zero.";
  finding.confidence = Confidence::kHigh;
  if (const analysis::Step* step = LoaderStart(c)) {
    finding.title = "Starting the input pipeline holds up one of " + Count(c.step_count()) + " steps: the GPU waits " +
                    Ns(TotalNs(spans)) + " for its first batch";
    finding.evidence.front().text = "loading takes " + Ns(TotalNs(spans)) +
                                    " in these steps together, and the GPU is "
                                    "idle for " +
                                    Ns(idle_ns) + " of it";
    finding.evidence.push_back({"nearly all of the waiting lies in " + step->label +
                                    "; over a long run it matters only as often as the pipeline starts (each epoch)",
                                c.Query("steps")});
    finding.confidence = Confidence::kLow;
  }
  if (has_workers && LoaderStart(c)) {
    finding.change = Shorter(spans, 0.1);
    const WhatIf low = Shorter(spans, 0.5), high = Shorter(spans, 0);
    return Conclude(c, std::move(finding), analysis::Side::kHost, &low, &high);
  }
  const uint32_t workers = has_workers ? TimesAsManyWorkers(c) : kWorkers;
  finding.change = Change(spans, workers);
  const WhatIf low = Change(spans, std::max<uint32_t>(2, workers / 4)), high = Change(spans, 4 * workers);
  return Conclude(c, std::move(finding), analysis::Side::kHost, &low, &high);
}

}  // namespace

extern const Rule kDataLoadingRule;
const Rule kDataLoadingRule = {
    "data_loading",
    Layer::kApplication,
    Dimension::kLatency,
    Breadth::kSpecific,
    Evaluate,
    "A GPU can only work on data it has. If the program reads and prepares each batch itself before it starts the GPU, "
    "the GPU stands still meanwhile. Worker processes prepare the next batches during the present step."};

}  // namespace warpscope::rules
