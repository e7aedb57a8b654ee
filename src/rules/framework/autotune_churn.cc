// autotune_churn: the library or Triton searches for the fastest kernel again and again, since the sizes change.
// Trigger: convolutions that try many kernels, or autotuning frames, in at least two counted steps. Must not claim: a
// search in one step only (warm-up), compilation (recompilation has that).
#include <algorithm>
#include <set>

#include "rules/build.h"
#include "rules/framework/compile_spans.h"
#include "rules/framework/conv_search.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::WhatIf;
using model::kNone;

// Only the last kernel of each search stays: the one that was chosen and really used.
void KeepChosen(const Context& c, const ConvSearch& search, double rest_ratio, WhatIf& change) {
  for (size_t i = 0; i + 1 < search.gpu_rows.size(); ++i) change.RemoveGpu(search.gpu_rows[i]);
  for (const uint32_t call : search.side_calls) change.RemoveCall(call);
  change.ScaleHost(c.trace.host.thread[search.op], c.trace.host.start_ns[search.op], c.trace.host.end_ns(search.op),
                   rest_ratio);
}

WhatIf Change(const Context& c, const std::vector<ConvSearch>& searches, const std::vector<CompileSpan>& tunings,
              double rest_ratio) {
  WhatIf change;
  for (const ConvSearch& search : searches) KeepChosen(c, search, rest_ratio, change);
  for (const CompileSpan& span : tunings) RemoveSpan(c, span, rest_ratio, change);
  return change;
}

Outcome Evaluate(const Context& c) {
  if (!HasHostRows(c)) return AbstainNoHost();
  const ConvSearches searches = FindConvSearches(c);
  const std::vector<CompileSpan> tunings = CompileSpans(c, CompileKind::kTuning);
  std::set<uint32_t> steps;
  int64_t span_ns = 0;
  size_t kernels = 0;
  for (const ConvSearch& search : searches.list) {
    steps.insert(search.step);
    span_ns += c.trace.host.dur_ns[search.op];
    kernels += search.gpu_rows.size();
  }
  for (const CompileSpan& span : tunings) {
    steps.insert(span.step);
    span_ns += span.end_ns - span.start_ns;
  }
  steps.erase(kNone);
  if (steps.size() < 2) return Clean();
  if (!c.sim) return AbstainNoSteps(c);

  Finding finding;
  finding.share_pct = c.SharePct(span_ns);
  finding.title = "Searching for the fastest kernel is repeated in " +
                  Plural(static_cast<double>(steps.size()), "step") + " and takes " + Ms(c.PerStepMs(span_ns)) +
                  " of each step";
  if (!searches.list.empty()) {
    const ConvSearch& most = *std::max_element(
        searches.list.begin(), searches.list.end(),
        [](const ConvSearch& a, const ConvSearch& b) { return a.gpu_rows.size() < b.gpu_rows.size(); });
    finding.subject = std::string(c.trace.HostName(most.op));
    finding.evidence.push_back(
        {Plural(c.CountPerStep(static_cast<double>(searches.list.size())), "convolution") + " a step try out " +
             Count(static_cast<double>(kernels) / static_cast<double>(searches.list.size())) + " kernels each (up to " +
             Count(most.kernel_names) + " different ones) where one is needed",
         c.Query("kernels")});
  }
  if (!tunings.empty()) {
    if (finding.subject.empty()) finding.subject = std::string(c.trace.HostName(tunings.front().row));
    finding.evidence.push_back({Plural(c.CountPerStep(static_cast<double>(tunings.size())), "autotuning run") +
                                    " a step: " + Short(c.trace.HostName(tunings.front().row)),
                                c.Query("gaps")});
  }
  finding.evidence.push_back({"it recurs in " + Count(static_cast<double>(steps.size())) + " of " +
                                  Count(c.step_count()) + " steps: each new input size starts it again",
                              c.Query("steps")});
  finding.actions.push_back(
      {"Switch the search off while sizes vary, or pad inputs to a few sizes so that each is searched once.",
       "torch.backends.cudnn.benchmark = False\n"
       "# or: bucket sizes, e.g. F.pad(x, (0, -x.shape[-1] % 64, 0, -x.shape[-2] % 64))"});
  finding.actions.push_back(
      {"Triton: leave sizes that change out of the autotuner's key, or warm up all of them before the loop.",
       "@triton.autotune(configs=..., key=[\"HIDDEN\"])   # not the batch or sequence length"});
  finding.actions.push_back(
      {"In CUDA C++ with cuDNN: take the heuristic's plan, or cache plans by shape.",
       "cudnnGetConvolutionForwardAlgorithm_v7(...)   // not cudnnFindConvolutionForwardAlgorithm in the loop"});
  finding.verify = "Record again: each convolution should run one kernel, and steps should be equally long.";
  finding.confidence = Confidence::kHigh;
  finding.change = Change(c, searches.list, tunings, 0.1);
  const WhatIf low = Change(c, searches.list, tunings, 0.5);
  const WhatIf high = Change(c, searches.list, tunings, 0.02);
  return Conclude(c, std::move(finding), analysis::Side::kHost, &low, &high);
}

}  // namespace

extern const Rule kAutotuneChurnRule;
const Rule kAutotuneChurnRule = {
    "autotune_churn",
    Layer::kFramework,
    Dimension::kLatency,
    Breadth::kSpecific,
    Evaluate,
    "For one operation there are many kernels, and which is fastest depends on the sizes. Trying them all pays off if "
    "the sizes stay; if each step brings new ones, the search costs far more than it gains."};

}  // namespace warpscope::rules
