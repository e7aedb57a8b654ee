// launch_bound: the host cannot issue kernels as fast as the device finishes them. Trigger: the replay of the step with
// its launches captured in CUDA graphs is faster. Must not claim: time that is waiting for data, for synchronisation,
// for allocation or other host work (regions end there), nor anything when the device is the limit (the replay says).
#include <algorithm>

#include "analysis/launches.h"
#include "rules/build.h"
#include "rules/framework/graph_regions.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::WhatIf;

constexpr size_t kMinRegionRows = 8;
// Busier than this, the device is the limit: what a graph still saves are the short spaces between queued kernels.
constexpr double kSaturatedRatio = 0.95;
// Host cost of one graph launch and what each node adds, traced and untraced: docs/whatif.md, "CUDA graph of a region".
constexpr int64_t kGraphCallNs = 8'000;
constexpr int64_t kNodeCallNs = 1;
constexpr int64_t kNodeGapNs = 100;
constexpr int64_t kNodeGapLowNs = 1'500;
constexpr int64_t kNodeGapHighNs = 0;

WhatIf Capture(const std::vector<std::vector<uint32_t>>& regions, int64_t node_gap_ns) {
  WhatIf change;
  for (const auto& rows : regions)
    change.MergeLaunches(rows, kGraphCallNs + kNodeCallNs * static_cast<int64_t>(rows.size()), node_gap_ns);
  return change;
}

// Share of the step in which the device idles while the feeding threads launch, or run the operators around launches.
double LaunchIdlePct(const Context& c) {
  const int64_t limit = LaunchGapLimitNs(c);
  int64_t idle = 0;
  int64_t last_ns = c.begin_ns;
  for (const analysis::IssueGap& gap : c.gaps) {
    const bool launching = gap.end_ns - gap.start_ns <= limit;
    const int64_t until = launching ? gap.end_ns : gap.start_ns;
    if (until > last_ns) idle += until - last_ns - c.busy.LengthWithin(last_ns, until);
    last_ns = std::max(last_ns, gap.end_ns);
  }
  return c.SharePct(idle);
}

Outcome Evaluate(const Context& c) {
  if (!HasHostRows(c)) return AbstainNoHost();
  if (!c.sim) return AbstainNoSteps(c);
  if (c.PerStepMs(c.busy.length_ns()) > kSaturatedRatio * *c.base_step_ms() / c.turns_per_step) return Clean();
  const auto regions = GraphRegions(c, LaunchGapLimitNs(c), kMinRegionRows);
  if (regions.empty()) return Clean();
  const auto launches = analysis::SummarizeLaunches(c.index, c.scope(), &c.steps);
  if (launches.launches == 0) return Clean();

  size_t merged = 0;
  for (const auto& rows : regions) merged += rows.size();
  Finding finding;
  const double idle_pct = 100 - c.busy_pct();
  finding.share_pct = LaunchIdlePct(c);
  // Where the middle launch comes before the middle kernel has ended, the CPU keeps up for the most part: the GPU waits
  // in places, and for a moment between any two kernels.
  const bool keeps_up = launches.host_interval.median_ns < launches.kernel.median_ns;
  const std::string kernels = Plural(launches.launches / c.step_count(), "short kernel");
  const std::string kernel = Ns(static_cast<int64_t>(launches.kernel.median_ns)),
                    interval = Ns(static_cast<int64_t>(launches.host_interval.median_ns));
  finding.title = keeps_up ? "The GPU stands still between kernels " + Pct(idle_pct) + " of the step: " + kernels +
                                 " a step, each launched by itself"
                           : "The GPU runs out of work: the CPU cannot launch " + kernels + " a step fast enough";
  finding.evidence.push_back(
      {keeps_up
           ? "the GPU is busy " + Pct(c.busy_pct()) + " of the step and idle " + Pct(idle_pct) +
                 ", in places where launches come late and in the short times between kernels; half of the kernels "
                 "last over " +
                 kernel + ", and the host issues one every " + interval
           : "half of the kernels last under " + kernel + ", and the host issues one every " + interval +
                 "; the GPU is idle " + Pct(idle_pct) + " of the step",
       c.Query("launches")});
  finding.evidence.push_back({Count(c.CountPerStep(static_cast<double>(merged))) + " of them stand in " +
                                  Plural(c.CountPerStep(static_cast<double>(regions.size())), "stretch") +
                                  " a step that could be one launch each",
                              c.Query("gaps")});
  finding.actions.push_back({"Capture the repeated part in a CUDA graph, by hand or through the compiler.",
                             "model = torch.compile(model, mode=\"reduce-overhead\")\n"
                             "# or: g = torch.cuda.CUDAGraph()\n"
                             "#     with torch.cuda.graph(g): static_out = step(static_in)\n"
                             "#     g.replay()"});
  finding.actions.push_back({"In CUDA C++: capture the stream once, launch the graph each step.",
                             "cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);  /* launches */\n"
                             "cudaStreamEndCapture(s, &graph);\n"
                             "cudaGraphInstantiate(&exec, graph, 0);\n"
                             "cudaGraphLaunch(exec, s);   // each step"});
  finding.verify = "Record again: launches a step should fall to a handful and the device busy share rise.";
  finding.confidence = c.busy_pct() < 50 ? Confidence::kHigh : Confidence::kMedium;
  finding.change = Capture(regions, kNodeGapNs);
  const WhatIf low = Capture(regions, kNodeGapLowNs);
  const WhatIf high = Capture(regions, kNodeGapHighNs);
  return Conclude(c, std::move(finding), analysis::Side::kHost, &low, &high);
}

}  // namespace

extern const Rule kLaunchBoundRule;
const Rule kLaunchBoundRule = {
    "launch_bound",
    Layer::kFramework,
    Dimension::kLatency,
    Breadth::kResidual,
    Evaluate,
    "Every kernel is started by the CPU, which takes some microseconds. If kernels are shorter than that, the GPU "
    "finishes each one before the next is there and idles most of the time. A CUDA graph starts many kernels at once."};

}  // namespace warpscope::rules
