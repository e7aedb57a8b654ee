// unfused_optimizer: the optimizer updates the parameters with many small kernels. Trigger: dozens of kernels under an
// optimizer's range or frame in each step, none of them a fused optimizer kernel; without such a range, a long run of
// in-place pointwise operators after the backward pass. Must not claim: more than the optimizer's own place in the step
// (the replay decides), nor a gain where one or few kernels already do it.
#include <algorithm>
#include <map>

#include "rules/build.h"
#include "rules/framework/optimizer_rows.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::WhatIf;
using model::kNone;

constexpr size_t kMinKernels = 24;  // fused: one to a few
// What a fused kernel reads and writes against the unfused passes: AdamW in float32 moves 28 bytes a parameter in one
// pass; its separate passes 76 to 100.
constexpr double kTrafficRatio = 0.35, kTrafficLow = 0.6, kTrafficHigh = 0.28;
constexpr int64_t kFusedFloorNs = 8'000;
constexpr int64_t kFusedCallNs = 60'000;  // a handful of launches and the preparation of their lists

// `host_ratio` of the host work around the launches stays: a fused step also collects its parameters, but sorts and
// loops over them no more.
WhatIf Change(const Context& c, const std::vector<OptimizerRun>& runs, double traffic_ratio, double host_ratio) {
  WhatIf change;
  const auto& host = c.trace.host;
  for (const OptimizerRun& run : runs) {
    int64_t sum_ns = 0;
    for (const uint32_t row : run.rows) sum_ns += c.trace.gpu.dur_ns[row];
    const auto fused_ns = std::max(kFusedFloorNs, static_cast<int64_t>(traffic_ratio * static_cast<double>(sum_ns)));
    change.MergeLaunches(run.rows, kFusedCallNs, 1'000, fused_ns);
    if (run.range == kNone) continue;
    change.ScaleHost(host.thread[run.range], host.start_ns[run.range], run.start_ns, host_ratio);
    change.ScaleHost(host.thread[run.range], run.end_ns, host.end_ns(run.range), host_ratio);
  }
  return change;
}

Outcome Evaluate(const Context& c) {
  if (!HasHostRows(c)) return AbstainNoHost();
  std::vector<OptimizerRun> runs = FindOptimizerRuns(c);
  std::erase_if(runs, [](const OptimizerRun& run) { return run.fused || run.rows.size() < kMinKernels; });
  if (runs.empty()) return Clean();
  if (!c.sim) return AbstainNoSteps(c);
  size_t kernels = 0;
  int64_t device_ns = 0, host_ns = 0;
  std::map<model::StringId, size_t> names;
  for (const OptimizerRun& run : runs) {
    kernels += run.rows.size();
    host_ns += run.end_ns - run.start_ns;
    for (const uint32_t row : run.rows) {
      device_ns += c.trace.gpu.dur_ns[row];
      ++names[c.trace.gpu.name[row]];
    }
  }

  Finding finding;
  finding.share_pct = c.SharePct(device_ns);
  finding.subject = runs.front().label;
  finding.title = "The optimizer updates the parameters with " +
                  Plural(c.CountPerStep(static_cast<double>(kernels)), "separate kernel") +
                  " a step where a fused one needs a few";
  finding.evidence.push_back({"they take the GPU " + Ms(c.PerStepMs(device_ns)) + " and the host " +
                                  Ms(c.PerStepMs(host_ns)) + " of each step (" +
                                  Ns(device_ns / static_cast<int64_t>(kernels)) + " a kernel, " +
                                  Count(static_cast<double>(names.size())) + " kinds)",
                              c.Query("kernels")});
  if (runs.front().by_kernels) {
    finding.evidence.push_back(
        {"no optimizer range was recorded: that this is one is concluded from kernels over lists of tensors, several "
         "operations one after the other",
         c.Query("kernels")});
  } else if (!runs.front().labelled) {
    finding.evidence.push_back(
        {"no optimizer range was recorded: that this is one is concluded from a run of in-place pointwise operators "
         "after the backward pass",
         c.Query("ops")});
  }
  finding.actions.push_back(
      {"Use the fused implementation.",
       "optimizer = torch.optim.AdamW(model.parameters(), lr=..., fused=True)   # also Adam, SGD, Adagrad"});
  finding.actions.push_back({"Your own update rule: over all parameters at once, or compiled.",
                             "torch._foreach_mul_(momenta, 0.9); torch._foreach_add_(momenta, grads)\n"
                             "# or: step = torch.compile(update_by_hand)"});
  finding.actions.push_back(
      {"In CUDA C++: one kernel over a list of (pointer, size) pairs in place of one launch a tensor.", ""});
  finding.verify =
      "Record again: `" + c.Query("kernels") + "` should show a handful of fused optimizer kernels a step.";
  finding.confidence = runs.front().labelled ? Confidence::kHigh : Confidence::kMedium;
  finding.change = Change(c, runs, kTrafficRatio, 0.5);
  const WhatIf low = Change(c, runs, kTrafficLow, 1);
  const WhatIf high = Change(c, runs, kTrafficHigh, 0.1);
  return Conclude(c, std::move(finding), analysis::Side::kHost, &low, &high);
}

}  // namespace

extern const Rule kUnfusedOptimizerRule;
const Rule kUnfusedOptimizerRule = {
    "unfused_optimizer",
    Layer::kFramework,
    Dimension::kLatency,
    Breadth::kSpecific,
    Evaluate,
    "An optimizer changes every parameter a little. Written as separate operations, each one reads and writes all "
    "parameters again and needs its own launches. A fused optimizer does it in one pass and a few launches."};

}  // namespace warpscope::rules
