// fragmentation: the framework holds far more GPU memory than is in use and still asks the driver for more. Trigger: at
// the peak over 25 % (and 256 MiB) of the reserved memory is unused, while device allocations go on in steady steps.
// Must not claim: a large cache after warm-up that no new request fails to use, nor a leak (what is in use grows).
#include "analysis/memory_usage.h"
#include "rules/build.h"
#include "rules/framework/driver_allocs.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::DeviceMemory;
using model::kNone;

constexpr double kMinUnusedPct = 25;
constexpr int64_t kMinUnusedBytes = 256LL << 20;

const DeviceMemory* Fragmented(const analysis::MemoryUsage& usage) {
  const DeviceMemory* most = nullptr;
  for (const DeviceMemory& memory : usage.devices) {
    if (memory.device == kNone || !memory.unused_reserved_bytes || !memory.unused_reserved_pct) continue;
    if (*memory.unused_reserved_pct < kMinUnusedPct || *memory.unused_reserved_bytes < kMinUnusedBytes) continue;
    if (most == nullptr || *memory.unused_reserved_bytes > *most->unused_reserved_bytes) most = &memory;
  }
  return most;
}

Outcome Evaluate(const Context& c) {
  if (!HasHostRows(c)) return AbstainNoHost();
  const DriverAllocs allocs = FindDriverAllocs(c);
  if (allocs.allocs == 0 || !IsSteady(c, allocs) || allocs.empty_cache) return Clean();
  if (c.trace.memory.empty()) {
    return Abstain("device memory is allocated from the driver in the loop, but how full the cache is was not recorded",
                   "torch.profiler.profile(..., profile_memory=True)");
  }
  const analysis::MemoryUsage usage = analysis::SummarizeMemory(c.index, c.scope(), &c.steps);
  const DeviceMemory* memory = Fragmented(usage);
  if (memory == nullptr) return Clean();

  Finding finding;
  finding.share_pct = c.SharePct(allocs.total_ns);
  finding.title = Bytes(static_cast<double>(*memory->unused_reserved_bytes)) + " of GPU memory (" +
                  Pct(*memory->unused_reserved_pct) + " of what the framework holds) are free but fit no request";
  finding.subject = Place(c, allocs.longest);
  finding.evidence.push_back({"at the peak " + Bytes(static_cast<double>(memory->peak_allocated_bytes.value_or(0))) +
                                  " are in use, yet the driver is asked for more " +
                                  Plural(c.CountPerStep(static_cast<double>(allocs.allocs)), "time") + " a step",
                              c.Query("steps")});
  if (memory->peak_reserved_bytes) {
    finding.evidence.push_back(
        {Bytes(static_cast<double>(*memory->peak_reserved_bytes)) +
             " are reserved at most; when that reaches the device's limit, allocations fail although memory is free",
         ""});
  }
  finding.actions.push_back({"Let segments grow, so that freed pieces join again.",
                             "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True python train.py"});
  finding.actions.push_back(
      {"Allocate buffers that grow (caches) once at their full length, large ones before small ones.",
       "cache = torch.empty(batch, longest, width, device=\"cuda\")     # once\n"
       "cache[:, n : n + 1].copy_(new)                                 # in place of torch.cat"});
  finding.verify = "Record again with profile_memory=True: reserved memory should stay close to what is in use.";
  finding.confidence = Confidence::kMedium;
  finding.change = WithoutAllocs(allocs);
  finding.predicted = c.Predict(finding.change, analysis::Side::kHost);
  if (finding.predicted && finding.predicted->gain_pct < kMinGainPct) {
    finding.predicted.reset();
    finding.change = {};
    finding.evidence.push_back({"it costs memory rather than time, so no gain is predicted", ""});
  }
  return Found(std::move(finding));
}

}  // namespace

extern const Rule kFragmentationRule;
const Rule kFragmentationRule = {
    "fragmentation",
    Layer::kFramework,
    Dimension::kMemory,
    Breadth::kSpecific,
    Evaluate,
    "The framework keeps freed memory in pieces for later use. If sizes keep changing, the pieces are too small for "
    "the "
    "next request, more is taken from the driver, and the GPU runs full while much of its memory is unused."};

}  // namespace warpscope::rules
