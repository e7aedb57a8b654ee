// memset_storm: much time or many calls spent on setting memory to zero. Trigger: memsets and fill kernels that take a
// notable share of the step or come in dozens. Must not claim: that the zeros are not needed (a buffer that is only
// partly written needs them); small ones that libraries make for themselves; the zeroed gradient of an embedding
// (dense_embedding_grad).
#include "rules/build.h"
#include "rules/kernel/device_work.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::KernelCategory;
using analysis::WhatIf;

constexpr double kMinSharePct = 2;       // of device time in fills
constexpr double kMinCountPerStep = 50;  // or that many calls

bool IsFillName(std::string_view name) {
  return !Contains(name, "masked_fill") &&
         ContainsAny(name, {"FillFunctor", "fill_kernel", "ZeroFunctor", "zero_kernel", "memset_kernel"});
}

// Operators that fill because the program said so. Anything else fills for itself: scratch of products and reductions,
// gradients of slices and losses.
bool IsOwnFill(std::string_view op) { return ContainsAny(op, {"zero", "fill_", "full", "ones"}); }

bool IsNeeded(std::string_view op) {
  return ContainsAny(op, {"ackward", "embedding", "index", "scatter", "put_", "unfold", "pool"}) &&
         !Contains(op, "AccumulateGrad");
}

struct Fills {
  std::vector<uint32_t> rows;
  std::vector<uint32_t> gradient_adds;  // gradients added onto zeros
  int64_t gradient_ns = 0;              // of rows: zeroing of gradients
};

bool InZeroGrad(const Context& c, uint32_t row) {
  return c.Enclosing(c.trace.gpu.call[row], [&](uint32_t host) {
    return ContainsAny(c.trace.HostName(host), {"zero_grad", "aten::_foreach_zero_"});
  }) != model::kNone;
}

Fills FindFills(const Context& c) {
  Fills fills;
  PerName fill(c.trace, IsFillName);
  PerName needed(c.trace, IsNeeded);
  PerName own(c.trace, IsOwnFill);
  PerName accumulate(c.trace, [](std::string_view name) { return Contains(name, "AccumulateGrad"); });
  for (const uint32_t row : c.gpu_rows) {
    const bool memset = c.trace.gpu.kind[row] == model::GpuKind::kMemset;
    const bool kernel = c.trace.gpu.kind[row] == model::GpuKind::kKernel;
    if (memset || (kernel && fill(c.trace.gpu.name[row]))) {
      const uint32_t op = c.OperatorOf(row);
      if (op != model::kNone && !own(c.trace.host.name[op])) continue;
      if (UnderOperator(c, row, needed)) continue;
      fills.rows.push_back(row);
      if (InZeroGrad(c, row)) fills.gradient_ns += c.trace.gpu.dur_ns[row];
    } else if (kernel && c.index.kernel_class(row).category == KernelCategory::kElementwise &&
               UnderOperator(c, row, accumulate)) {
      fills.gradient_adds.push_back(row);
    }
  }
  if (fills.gradient_ns == 0) fills.gradient_adds.clear();
  return fills;
}

WhatIf Change(const Context& c, const Fills& fills, int64_t shortest_ns, bool with_adds) {
  WhatIf change;
  for (const uint32_t row : fills.rows) {
    if (c.trace.gpu.dur_ns[row] >= shortest_ns) change.RemoveGpu(row);
  }
  if (with_adds) {
    for (const uint32_t row : fills.gradient_adds) change.RemoveGpu(row);
  }
  return change;
}

Outcome Evaluate(const Context& c) {
  const Fills fills = FindFills(c);
  const int64_t total_ns = TotalNs(c, fills.rows);
  const double per_step = static_cast<double>(fills.rows.size()) / c.step_count();
  if (fills.rows.empty() || (c.SharePct(total_ns) < kMinSharePct && per_step < kMinCountPerStep)) return Clean();
  if (!c.sim) return AbstainNoSteps(c);
  const uint32_t longest = *std::max_element(fills.rows.begin(), fills.rows.end(), [&](uint32_t a, uint32_t b) {
    return c.trace.gpu.dur_ns[a] < c.trace.gpu.dur_ns[b];
  });
  const bool gradients = 2 * fills.gradient_ns > total_ns;

  Finding finding;
  finding.subject = ShortName(c, longest);
  finding.share_pct = c.SharePct(total_ns);
  finding.title = gradients ? "Gradients are set to zero and added to: " + Pct(*finding.share_pct) +
                                  " of the step goes into the zeros"
                            : "Memory is set to zero " + Plural(per_step, "time") + " a step, " +
                                  Pct(*finding.share_pct) + " of its time";
  finding.evidence.push_back(
      {Count(per_step) + " memsets and fills a step take " + Ms(c.PerStepMs(total_ns)) + " of it", c.Query("copies")});
  const std::string place = Place(c, c.trace.gpu.call[longest]);
  if (!place.empty()) finding.evidence.push_back({"the longest comes from " + place, c.Query("ops")});
  if (!fills.gradient_adds.empty()) {
    finding.evidence.push_back(
        {"and " + Ms(c.PerStepMs(TotalNs(c, fills.gradient_adds))) + " a step adds new gradients onto those zeros",
         c.Query("ops")});
  }
  if (gradients) {
    finding.actions.push_back(
        {"Drop the gradients in place of zeroing them: the next backward pass then writes them anew.",
         "optimizer.zero_grad(set_to_none=True)   # the default since PyTorch 2.0"});
  } else {
    finding.actions.push_back(
        {"Where a buffer is written in full anyway, allocate it without zeros, and keep it between steps.",
         "buffer = torch.empty(shape, device=\"cuda\")   # not torch.zeros"});
    finding.actions.push_back(
        {"In CUDA C++: let the first kernel write in place of add, and clear one large buffer in place of many.",
         "cudaMemsetAsync(arena, 0, arena_bytes, stream);  // once, not per tensor"});
  }
  finding.verify = "Record again: fills and memsets in `warpscope copies` and `warpscope kernels` should be gone.";
  finding.confidence = gradients ? Confidence::kHigh : Confidence::kLow;
  finding.change = Change(c, fills, 0, gradients);
  const WhatIf low = Change(c, fills, gradients ? 0 : 20'000, false);
  return Conclude(c, std::move(finding), DeviceSide(c), &low);
}

}  // namespace

extern const Rule kMemsetStormRule;
const Rule kMemsetStormRule = {
    "memset_storm",
    Layer::kFramework,
    Dimension::kMemory,
    Breadth::kSpecific,
    Evaluate,
    "Setting memory to zero costs a pass over it, and a launch each time. Buffers that are overwritten anyway need no "
    "zeros, and gradients can be dropped in place of cleared."};

}  // namespace warpscope::rules
