// allocator_churn: memory is taken from and given back to the driver in the loop. Trigger: cudaMalloc, cudaFree,
// cudaHostAlloc or cudaFreeHost calls in at least half of the counted steps. Must not claim: allocations of the first
// steps only, the stream-ordered allocator, library searches (autotune_churn), nor that memory is short.
#include "rules/application/host_speed.h"
#include "rules/build.h"
#include "rules/framework/driver_allocs.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::WhatIf;

void AddActions(const DriverAllocs& allocs, Finding& finding) {
  if (allocs.frees > 0) {
    finding.actions.push_back(
        {"Take torch.cuda.empty_cache() out of the loop: the cache keeps freed blocks so that the driver need not be "
         "asked.",
         "# delete: torch.cuda.empty_cache()"});
    finding.actions.push_back(
        {"If the cache runs full by itself because sizes vary: use a few sizes, or let segments grow.",
         "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True python train.py\n"
         "# or pad inputs to the largest size"});
  } else {
    finding.actions.push_back(
        {"Sizes grow or vary, so no cached block fits: allocate the largest once, or let segments grow.",
         "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True python train.py"});
  }
  if (allocs.host_allocs > 0) {
    finding.actions.push_back({"Allocate pinned buffers once and reuse them.",
                               "buffer = torch.empty(shape, pin_memory=True)   # before the loop"});
  }
  finding.actions.push_back(
      {"In CUDA C++: keep buffers, or use the stream-ordered allocator, whose frees do not wait for the device.",
       "cudaMallocAsync(&p, bytes, stream); /* ... */ cudaFreeAsync(p, stream);"});
}

Outcome Evaluate(const Context& c) {
  if (!HasHostRows(c)) return AbstainNoHost();
  const DriverAllocs allocs = FindDriverAllocs(c);
  if (!IsSteady(c, allocs)) return Clean();
  if (!c.sim) return AbstainNoSteps(c);

  Finding finding;
  finding.share_pct = c.SharePct(allocs.total_ns);
  const std::string place = Place(c, allocs.longest);
  finding.subject = place.empty() ? std::string(c.trace.HostName(allocs.longest)) : place;
  const double calls = static_cast<double>(allocs.calls.size()) / c.step_count();
  finding.title = "GPU memory is taken from the driver and given back in the loop: " + Plural(calls, "slow call") +
                  " a step, " + Ms(c.PerStepMs(allocs.total_ns));
  finding.evidence.push_back(
      {Plural(c.CountPerStep(static_cast<double>(allocs.allocs)), "allocation") + ", " +
           Plural(c.CountPerStep(static_cast<double>(allocs.frees)), "free") + " and " +
           Plural(c.CountPerStep(static_cast<double>(allocs.host_allocs)), "pinned host allocation") + " a step, in " +
           Count(allocs.steps_with_calls) + " of " + Count(c.step_count()) + " steps",
       c.Query("steps")});
  if (allocs.free_ns > 0) {
    finding.evidence.push_back({"the frees take " + Ms(c.PerStepMs(allocs.free_ns)) +
                                    " a step: each waits until the GPU has finished all its work",
                                c.Query("syncs")});
  }
  if (allocs.empty_cache) finding.evidence.push_back({"they come from torch.cuda.empty_cache()", c.Query("gaps")});
  AddActions(allocs, finding);
  finding.verify = "Record again: steady steps should hold no cudaMalloc and no cudaFree.";
  finding.confidence = Confidence::kHigh;
  const WhatIf low = WithoutAllocs(allocs);
  WhatIf high = low;
  const double unit = HostSpeedUnit(c);
  finding.change = low;
  SpeedUpHost(c, (1 + unit) / 2, finding.change);
  SpeedUpHost(c, unit, high);
  return Conclude(c, std::move(finding), analysis::Side::kHost, &low, &high);
}

}  // namespace

extern const Rule kAllocatorChurnRule;
const Rule kAllocatorChurnRule = {
    "allocator_churn",
    Layer::kFramework,
    Dimension::kLatency,
    Breadth::kSpecific,
    Evaluate,
    "Asking the driver for GPU memory is slow, and giving it back makes the program wait for all running work. "
    "Frameworks therefore keep freed memory in a cache. If the cache is emptied or cannot serve a request, each step "
    "pays."};

}  // namespace warpscope::rules
