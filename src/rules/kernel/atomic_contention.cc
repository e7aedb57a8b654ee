// atomic_contention: many threads add to the same few addresses and queue for them. Trigger: kernels that work with
// atomics (index_add, scatter_add, backward of lookups) and take far longer than their bytes need, or a
// large share of the step where sizes are unknown. Must not claim: more than a suspicion (only counters show it), nor
// anything about additions that are spread over many addresses.
#include <charconv>

#include "rules/build.h"
#include "rules/kernel/counter_join.h"
#include "rules/kernel/launch_shapes.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::WhatIf;

constexpr double kMinSharePct = 5;          // with sizes
constexpr double kMinUnknownSharePct = 20;  // without
constexpr double kSlowRatio = 4;            // times the duration that the bytes alone would take
constexpr double kSlowRatioByGrid = 30;   // the same where the bytes follow from the grid: scattered access alone is 8
constexpr double kMinHitsPerTarget = 64;  // additions an address, on average: fewer do not queue
constexpr int64_t kMinMeanNs = 20'000;

bool UsesAtomics(std::string_view name) {
  if (ContainsAny(name, {"indexFuncLargeIndex", "indexFuncSmallIndex", "indexAdd", "index_add", "scatter_add",
                         "EmbeddingBag_updateGradWeight", "atomic", "Atomic"})) {
    return true;
  }
  return Contains(name, "scatter") && ContainsAny(name, {"ReduceAdd", "reduce_add", "ReduceMultiply", "ReduceMean"});
}

struct Suspect {
  KernelGroup group;
  std::optional<double> slow_ratio;  // duration over what the bytes need; absent without sizes
  bool recorded = false;             // sizes come from recorded shapes, not from the grid
};

// Bytes that a scatter reads, from its grid: "_scatter_gather_elementwise_kernel<128, 8, ..." has 128 threads a block
// with 8 elements each, and an element is an index (8 bytes) and a value (4). 0 for other kernels.
double BytesByGrid(const Context& c, uint32_t row) {
  constexpr std::string_view kKernel = "scatter_gather_elementwise_kernel<";
  constexpr double kElementBytes = 12;
  const std::string_view name = c.trace.GpuName(row);
  const model::LaunchConfig* config = c.trace.Launch(row);
  const size_t at = name.find(kKernel);
  if (at == std::string_view::npos || config == nullptr) return 0;
  uint32_t threads = 0, each = 0;
  const char* end = name.data() + name.size();
  const auto first = std::from_chars(name.data() + at + kKernel.size(), end, threads);
  if (first.ec != std::errc() || end - first.ptr < 3) return 0;
  if (std::from_chars(first.ptr + 2, end, each).ec != std::errc() || threads > 1024 || each > 64) return 0;
  return kElementBytes * config->grid[0] * threads * each;
}

// Whether the recorded sizes show few targets: the first operand is added to, the largest one holds what is added.
bool FewTargets(const OpShapes& shapes) {
  const double targets = shapes.inputs.empty() ? 0 : shapes.inputs.front().elements;
  return targets <= 0 || shapes.largest_elements() >= kMinHitsPerTarget * targets;
}

std::vector<Suspect> FindSuspects(const Context& c, ShapeCache& shapes, std::optional<double> bandwidth) {
  PerName atomics(c.trace, UsesAtomics);
  std::vector<Suspect> suspects;
  for (KernelGroup& group : GroupKernels(c, [&](uint32_t row) {
         return atomics(c.trace.gpu.name[row]) && !CountersJudge(c, row, "atomic_contention");
       })) {
    double bytes_ns = 0, known_ns = 0;
    bool recorded = false;
    std::erase_if(group.rows, [&](uint32_t row) {
      const OpShapes* sizes = shapes.Shapes(row);
      return sizes != nullptr && !FewTargets(*sizes);
    });
    if (group.rows.empty()) continue;
    group.total_ns = TotalNs(c, group.rows);
    for (const uint32_t row : group.rows) {
      const OpShapes* sizes = shapes.Shapes(row);
      const double recorded_bytes = sizes == nullptr ? 0 : sizes->input_bytes();
      const double bytes = recorded_bytes > 0 ? recorded_bytes : BytesByGrid(c, row);
      if (!bandwidth || bytes <= 0) continue;
      recorded |= recorded_bytes > 0;
      bytes_ns += bytes / *bandwidth * 1e9;
      known_ns += static_cast<double>(c.trace.gpu.dur_ns[row]);
    }
    if (group.total_ns / static_cast<int64_t>(group.rows.size()) < kMinMeanNs) continue;
    Suspect suspect{std::move(group), std::nullopt, recorded};
    if (bytes_ns > 0) suspect.slow_ratio = known_ns / bytes_ns;
    const double share = c.SharePct(suspect.group.total_ns);
    const double limit = recorded ? kSlowRatio : kSlowRatioByGrid;
    if (suspect.slow_ratio ? *suspect.slow_ratio >= limit && share >= kMinSharePct : share >= kMinUnknownSharePct) {
      suspects.push_back(std::move(suspect));
    }
  }
  return suspects;
}

// What remains: `times` the time of the bytes, or `ratio` of the duration where sizes are unknown.
WhatIf Change(const Context& c, const std::vector<Suspect>& suspects, double times, double ratio) {
  WhatIf change;
  for (const Suspect& suspect : suspects) {
    const double guessed = suspect.recorded ? 1 : 3;  // times the bytes, if those come from the grid
    const double rest = suspect.slow_ratio ? std::min(1.0, times * guessed / *suspect.slow_ratio) : ratio;
    for (const uint32_t row : suspect.group.rows) {
      change.SetGpuDuration(row, static_cast<int64_t>(static_cast<double>(c.trace.gpu.dur_ns[row]) * rest));
    }
  }
  return change;
}

// From launch data alone, of kernels without counters.
Outcome Guess(const Context& c) {
  ShapeCache shapes(c);
  const auto suspects = FindSuspects(c, shapes, UsableBandwidth(MainPeaks(c)));
  if (suspects.empty()) return Clean();
  if (!c.sim) return AbstainNoSteps(c);
  const KernelGroup& worst = suspects.front().group;
  int64_t total_ns = 0;
  for (const Suspect& suspect : suspects) total_ns += suspect.group.total_ns;

  Finding finding;
  finding.subject = ShortName(c, worst.rows.front());
  finding.share_pct = c.SharePct(total_ns);
  finding.title = "A kernel that adds many values into few places takes " + Pct(*finding.share_pct) +
                  " of the step: probably threads queue for the same addresses";
  finding.evidence.push_back(
      {Plural(c.CountPerStep(static_cast<double>(worst.rows.size())), "call") + " a step of " + finding.subject + ", " +
           Ns(worst.total_ns / static_cast<int64_t>(worst.rows.size())) + " each; it adds with atomic operations",
       c.Query("kernels")});
  if (suspects.front().slow_ratio) {
    finding.evidence.push_back(
        {"that is " + Times(*suspects.front().slow_ratio) + " the time that reading its inputs takes at memory speed",
         c.Query("ops --by shape")});
  }
  const std::string place = Place(c, c.trace.gpu.call[worst.rows.front()]);
  if (!place.empty()) finding.evidence.push_back({"launched by " + place, c.Query("ops")});
  finding.evidence.push_back(
      {"a suspicion: only counters show contention (atomic throughput, stalls on the load/store unit)",
       CountersCommand(c, worst.rows.front())});
  finding.actions.push_back(
      {"Sum without atomics: a product with a one-hot matrix for few groups, sort and segment-reduce for many.",
       "sums = F.one_hot(groups, n).to(x.dtype).t() @ x    # in place of zeros.index_add_(0, groups, x)"});
  finding.actions.push_back(
      {"In CUDA C++: add within the warp and in shared memory first, then once a block to global memory.",
       "float sum = cub::BlockReduce<float, 256>(tmp).Sum(v);\nif (threadIdx.x == 0) atomicAdd(out, sum);"});
  finding.verify = "Record again: the kernel should take about the time of reading its inputs once.";
  finding.confidence = suspects.front().recorded ? Confidence::kMedium : Confidence::kLow;
  finding.change = Change(c, suspects, 2.0, 0.4);
  const WhatIf low = Change(c, suspects, kSlowRatio, 1.0);
  const WhatIf high = Change(c, suspects, 1.0, 0.1);
  return Conclude(c, std::move(finding), DeviceSide(c), &low, &high);
}

Outcome Evaluate(const Context& c) { return WithCounters(c, "atomic_contention", Guess(c)); }

}  // namespace

extern const Rule kAtomicContentionRule;
const Rule kAtomicContentionRule = {
    "atomic_contention",
    Layer::kKernel,
    Dimension::kMemory,
    Breadth::kSpecific,
    Evaluate,
    "When many threads add to one address, the hardware does the additions one by one (atomic operations). With few "
    "targets and millions of values, the threads spend their time in a queue."};

}  // namespace warpscope::rules
