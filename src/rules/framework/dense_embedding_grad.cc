// dense_embedding_grad: the gradient of an embedding table is made for all rows, though a batch touches few, and the
// optimizer then walks over the whole table. Trigger: an embedding's backward that clears a large dense gradient.
// Must not claim: anything about small tables; nor the optimizer time of other parameters (only passes that the table
// itself accounts for, measured by the time it takes to clear it once).
#include "rules/build.h"
#include "rules/kernel/device_work.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::KernelCategory;
using analysis::WhatIf;

constexpr double kMinSharePct = 2;
constexpr double kMinTableBytes = 200e6;  // smaller tables are cleared and updated at once
constexpr int64_t kMinFillNs = 60'000;    // the same where the device's bandwidth is unknown
// Passes over a parameter, in units of one write: Adam reads four arrays and writes three; simple updates three.
constexpr double kFusedPasses = 7, kSimplePasses = 3;
constexpr double kTouchedRatio = 0.05;  // what remains for the rows that a batch does touch

bool IsEmbeddingBackward(std::string_view name) {
  return ContainsAny(
      name, {"embedding_dense_backward", "EmbeddingBackward", "embedding_bag_dense_backward", "EmbeddingBagBackward"});
}

struct Work {
  std::vector<uint32_t> fills;  // clearing of dense gradients
  std::vector<uint32_t> optimizer;
  int64_t fill_ns = 0, optimizer_ns = 0;
};

Work FindWork(const Context& c) {
  Work work;
  const auto bandwidth = UsableBandwidth(MainPeaks(c));
  const auto shortest_ns = bandwidth ? static_cast<int64_t>(kMinTableBytes / *bandwidth * 1e9) : kMinFillNs;
  PerName embedding(c.trace, IsEmbeddingBackward);
  PerName fill(c.trace, [](std::string_view name) { return Contains(name, "FillFunctor"); });
  OptimizerTest in_optimizer(c);
  PerName foreach_op(c.trace, [](std::string_view name) { return name.starts_with("aten::_foreach_"); });
  for (const uint32_t row : c.gpu_rows) {
    const bool memset = c.trace.gpu.kind[row] == model::GpuKind::kMemset;
    if (memset || c.trace.gpu.kind[row] == model::GpuKind::kKernel) {
      if ((memset || fill(c.trace.gpu.name[row])) && UnderOperator(c, row, embedding)) {
        if (c.trace.gpu.dur_ns[row] < shortest_ns) continue;
        work.fills.push_back(row);
        work.fill_ns += c.trace.gpu.dur_ns[row];
      } else if (!memset && (in_optimizer(row) || UnderOperator(c, row, foreach_op))) {
        work.optimizer.push_back(row);
        work.optimizer_ns += c.trace.gpu.dur_ns[row];
      }
    }
  }
  return work;
}

// Time of the optimizer's kernels by name: the part that the table accounts for goes.
WhatIf Change(const Context& c, const Work& work, double passes_scale, bool optimizer) {
  WhatIf change;
  for (const uint32_t row : work.fills)
    change.SetGpuDuration(row, std::min(c.trace.gpu.dur_ns[row], kShortestKernelNs));
  if (!optimizer) return change;
  std::map<model::StringId, int64_t> by_name;
  for (const uint32_t row : work.optimizer) by_name[c.trace.gpu.name[row]] += c.trace.gpu.dur_ns[row];
  for (const uint32_t row : work.optimizer) {
    const double group_ns = static_cast<double>(by_name[c.trace.gpu.name[row]]);
    // A kernel that walks the table takes at least about one pass.
    if (group_ns < 0.8 * static_cast<double>(work.fill_ns)) continue;
    const bool fused = ContainsAny(c.trace.GpuName(row), {"Fused", "fused"});
    const double table_ns = static_cast<double>(work.fill_ns) * (fused ? kFusedPasses : kSimplePasses) * passes_scale;
    const double ratio = std::max(passes_scale > 1 ? 0 : kTouchedRatio, 1 - table_ns / std::max(group_ns, 1.0));
    change.SetGpuDuration(row, static_cast<int64_t>(static_cast<double>(c.trace.gpu.dur_ns[row]) * ratio));
  }
  return change;
}

Outcome Evaluate(const Context& c) {
  if (!HasHostRows(c)) return AbstainNoHost();
  const Work work = FindWork(c);
  if (work.fills.empty() || c.SharePct(work.fill_ns) + c.SharePct(work.optimizer_ns) < kMinSharePct) return Clean();
  if (!c.sim) return AbstainNoSteps(c);
  const uint32_t longest = *std::max_element(work.fills.begin(), work.fills.end(), [&](uint32_t a, uint32_t b) {
    return c.trace.gpu.dur_ns[a] < c.trace.gpu.dur_ns[b];
  });

  Finding finding;
  const std::string place = Place(c, c.trace.gpu.call[longest]);
  finding.subject = place.empty() ? ShortName(c, longest) : place;
  finding.share_pct = c.SharePct(work.fill_ns + work.optimizer_ns);
  finding.title = "Each step clears and updates a whole embedding table, though a batch touches few of its rows";
  finding.evidence.push_back(
      {"the embedding's backward pass clears its dense gradient: " + Ms(c.PerStepMs(work.fill_ns)) + " a step",
       c.Query("ops")});
  if (const auto bandwidth = UsableBandwidth(MainPeaks(c))) {
    const double bytes = static_cast<double>(c.trace.gpu.dur_ns[longest]) / 1e9 * *bandwidth;
    finding.evidence.push_back({"at memory speed that is a table of about " + Bytes(bytes), c.Query("kernels")});
  }
  if (!work.optimizer.empty()) {
    finding.evidence.push_back(
        {"the optimizer takes " + Ms(c.PerStepMs(work.optimizer_ns)) + " a step, over all rows", c.Query("kernels")});
  }
  finding.actions.push_back(
      {"Make the table's gradient sparse and give the table an optimizer that takes it (no weight decay on it then).",
       "table = nn.Embedding(rows, width, sparse=True)\noptimizer = torch.optim.SparseAdam(table.parameters())   # or "
       "SGD without momentum"});
  finding.actions.push_back(
      {"In CUDA C++ or for very large tables: update the touched rows within the backward kernel (fbgemm's "
       "table-batched embedding).",
       "from fbgemm_gpu.split_table_batched_embeddings_ops_training import SplitTableBatchedEmbeddingBagsCodegen"});
  finding.verify = "Record again: no fill kernel under the embedding's backward, and a short optimizer.";
  finding.confidence = Confidence::kMedium;
  finding.change = Change(c, work, 1.0, true);
  const WhatIf low = Change(c, work, 0, false);
  const WhatIf high = Change(c, work, 2.0, true);
  return Conclude(c, std::move(finding), DeviceSide(c), &low, &high);
}

}  // namespace

extern const Rule kDenseEmbeddingGradRule;
const Rule kDenseEmbeddingGradRule = {
    "dense_embedding_grad",
    Layer::kFramework,
    Dimension::kMemory,
    Breadth::kSpecific,
    Evaluate,
    "A batch looks up some thousand rows of an embedding table; all other rows have a gradient of zero. A dense "
    "gradient "
    "stores those zeros, and the optimizer reads them all. A sparse gradient holds only the rows that were used."};

}  // namespace warpscope::rules
