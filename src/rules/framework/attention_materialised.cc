// attention_materialised: attention written out as product, softmax, product, with the score matrix kept in memory.
// Trigger: a softmax between two batched products with only pointwise work between (forward), and its backward mirror.
// Must not claim: a softmax over classes or routes (no batched product on both sides), nor attention kernels that are
// fused already.
#include "rules/build.h"
#include "rules/kernel/device_work.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::KernelCategory;
using analysis::Precision;
using analysis::WhatIf;

constexpr double kMinSharePct = 3;
constexpr size_t kMaxBetween = 12;  // scale, mask, cast, dropout ... between a product and the softmax

struct Block {
  std::vector<uint32_t> products;  // before and behind the softmax
  std::vector<uint32_t> between;   // what the fused kernel does without: softmax and its neighbours
  std::vector<uint32_t> copies;    // of operands, right beside the products: a fused kernel takes strided ones
  bool backward = false;
  int64_t product_ns = 0, between_ns = 0;
};

bool IsBetween(const Context& c, uint32_t row) {
  if (c.trace.gpu.kind[row] != model::GpuKind::kKernel) return true;  // memsets and small copies
  switch (c.index.kernel_class(row).category) {
    case KernelCategory::kGemm:
    case KernelCategory::kConvolution:
    case KernelCategory::kAttention:
    case KernelCategory::kNorm:
    case KernelCategory::kSoftmax:
    case KernelCategory::kOptimizer:
    case KernelCategory::kPooling:
    case KernelCategory::kCommunication: return false;
    default: return true;  // pointwise work, and whatever makes the mask
  }
}

// A product of many matrices at once, or of unknown kind where operators were not recorded.
bool IsBatchedProduct(const Context& c, uint32_t row) {
  if (c.trace.gpu.kind[row] != model::GpuKind::kKernel || c.index.kernel_class(row).category != KernelCategory::kGemm)
    return false;
  const std::string_view op = OperatorName(c, row);
  return op.empty() || Contains(op, "bmm") || op == "aten::matmul" || op == "aten::einsum";
}

bool IsSoftmax(const Context& c, uint32_t row) {
  if (c.trace.gpu.kind[row] != model::GpuKind::kKernel ||
      c.index.kernel_class(row).category != KernelCategory::kSoftmax)
    return false;
  const std::string_view name = c.trace.GpuName(row);
  if (ContainsAny(name, {"LogSoftMax", "log_softmax", "nll_loss", "cross_entropy", "NLLCriterion"})) return false;
  return !Contains(OperatorName(c, row), "log_softmax");
}

// Walks away from the softmax over pointwise rows to products; takes up to `count` of them.
bool Walk(const Context& c, const std::vector<uint32_t>& rows, size_t at, int step, size_t count, Block& block) {
  std::vector<uint32_t> passed;
  size_t found = 0;
  for (size_t i = at; passed.size() <= kMaxBetween;) {
    if (step < 0 ? i == 0 : i + 1 >= rows.size()) break;
    i += static_cast<size_t>(step);
    if (IsBatchedProduct(c, rows[i])) {
      block.products.push_back(rows[i]);
      if (found++ == 0) block.between.insert(block.between.end(), passed.begin(), passed.end());
      if (found == count) break;
    } else if (found > 0 || !IsBetween(c, rows[i])) {
      break;
    } else {
      passed.push_back(rows[i]);
    }
  }
  return found > 0;
}

// Strided copies among the few rows right before the first product and right behind the last.
void FindCopies(const Context& c, const std::vector<uint32_t>& rows, Block& block) {
  constexpr size_t kReach = 3;
  const auto [first, last] = std::minmax_element(block.products.begin(), block.products.end());
  const auto begin = std::lower_bound(rows.begin(), rows.end(), *first);
  const auto end = std::upper_bound(rows.begin(), rows.end(), *last);
  const auto take = [&](uint32_t row) {
    const bool kernel = c.trace.gpu.kind[row] == model::GpuKind::kKernel;
    if (!kernel || c.index.kernel_class(row).category != KernelCategory::kLayout) return kernel ? false : true;
    block.copies.push_back(row);
    return true;
  };
  auto it = begin;
  for (size_t i = 0; i < kReach && it != rows.begin() && take(*--it); ++i) {
  }
  it = end;
  for (size_t i = 0; i < kReach && it != rows.end() && take(*it); ++i, ++it) {
  }
}

std::vector<Block> FindBlocks(const Context& c) {
  std::vector<Block> blocks;
  for (const auto& rows : RowsByStream(c)) {
    for (size_t i = 0; i < rows.size(); ++i) {
      if (!IsSoftmax(c, rows[i])) continue;
      Block block;
      block.backward = ContainsAny(c.trace.GpuName(rows[i]), {"ackward"});
      const size_t products = block.backward ? 2 : 1;
      block.between.push_back(rows[i]);
      if (!Walk(c, rows, i, -1, products, block) || !Walk(c, rows, i, 1, products, block)) continue;
      FindCopies(c, rows, block);
      block.product_ns = TotalNs(c, block.products);
      block.between_ns = TotalNs(c, block.between);
      blocks.push_back(std::move(block));
    }
  }
  return blocks;
}

// Time of the fused kernel. With shapes: the products' FLOP at `of_peak` of the tensor-core peak, half of it skipped
// at best under a causal mask (not assumed). Without: the products themselves get shorter too, as they no longer write
// and read the scores: `of_products` of their time.
int64_t FusedNs(const Block& block, const std::optional<GpuPeaks>& peaks, double of_peak, double of_products,
                ShapeCache& shapes) {
  double flops = 0;
  bool known = peaks.has_value();
  for (const uint32_t row : block.products) {
    const GemmShape* gemm = shapes.Gemm(row);
    known = known && gemm != nullptr;
    if (gemm != nullptr) flops += gemm->flops();
  }
  const auto peak = known ? PeakFlops(*peaks, Precision::kHalf) : std::nullopt;
  const double products_ns = static_cast<double>(block.product_ns);
  double ns = products_ns * of_products;
  if (peak) {
    // The backward pass computes the scores anew: five products in place of four.
    ns = flops * (block.backward ? 1.25 : 1.0) / (*peak * of_peak) * 1e9;
  }
  return static_cast<int64_t>(
      std::clamp(ns, 1.0 * kShortestKernelNs, products_ns + static_cast<double>(block.between_ns)));
}

struct Assumption {
  double of_peak, of_products;
  bool without_copies = false;
};

WhatIf Change(const std::vector<Block>& blocks, const std::optional<GpuPeaks>& peaks, const Assumption& a,
              ShapeCache& shapes) {
  WhatIf change;
  for (const Block& block : blocks) {
    const uint32_t kept = block.products.front();
    for (const uint32_t row : block.between) change.RemoveGpu(row);
    for (const uint32_t row : block.products) {
      if (row != kept) change.RemoveGpu(row);
    }
    if (a.without_copies) {
      for (const uint32_t row : block.copies) change.RemoveGpu(row);
    }
    change.SetGpuDuration(kept, FusedNs(block, peaks, a.of_peak, a.of_products, shapes));
  }
  return change;
}

std::string ScoreText(const Context& c, const std::vector<Block>& blocks, ShapeCache& shapes) {
  for (const Block& block : blocks) {
    const OpShapes* softmax = shapes.Shapes(block.between.front());
    if (softmax == nullptr || softmax->inputs.empty() || softmax->inputs.front().dims.size() < 2) continue;
    const Operand& scores = softmax->inputs.front();
    std::string text = "each score tensor holds ";
    for (size_t i = 0; i < scores.dims.size(); ++i)
      text += (i > 0 ? " x " : "") + Count(static_cast<double>(scores.dims[i]));
    if (scores.element_bytes > 0) text += " numbers, " + Bytes(scores.elements * scores.element_bytes);
    (void)c;
    return text;
  }
  return "";
}

Outcome Evaluate(const Context& c) {
  const std::vector<Block> blocks = FindBlocks(c);
  int64_t between_ns = 0, product_ns = 0;
  size_t backward = 0;
  for (const Block& block : blocks)
    between_ns += block.between_ns, product_ns += block.product_ns, backward += block.backward;
  if (blocks.empty() || c.SharePct(between_ns + product_ns) < kMinSharePct) return Clean();
  if (!c.sim) return AbstainNoSteps(c);
  const auto peaks = MainPeaks(c);
  ShapeCache shapes(c);

  Finding finding;
  finding.subject = ShortName(c, blocks.front().between.front());
  finding.share_pct = c.SharePct(between_ns + product_ns);
  finding.title = "Attention writes its whole score matrix to memory and reads it back: " + Pct(*finding.share_pct) +
                  " of the step";
  finding.evidence.push_back({Plural(c.CountPerStep(static_cast<double>(blocks.size())), "softmax kernel") +
                                  " a step between two batched products" +
                                  (backward > 0 ? " (backward passes counted)" : "") +
                                  "; what stands between the products takes " + Ms(c.PerStepMs(between_ns)) +
                                  ", the products " + Ms(c.PerStepMs(product_ns)),
                              c.Query("kernels")});
  const std::string scores = ScoreText(c, blocks, shapes);
  if (!scores.empty()) finding.evidence.push_back({scores, c.Query("ops --by shape")});
  const std::string place = Place(c, c.trace.gpu.call[blocks.front().between.front()]);
  if (!place.empty()) finding.evidence.push_back({"the first softmax comes from " + place, c.Query("ops")});
  finding.actions.push_back(
      {"Use the fused operator: it never stores the scores.",
       "y = F.scaled_dot_product_attention(q, k, v, is_causal=True)   # or attn_mask=..., dropout_p=..."});
  finding.actions.push_back(
      {"For masks that it does not know, compile one with FlexAttention; in CUDA C++ use cuDNN's or FlashAttention's "
       "kernel.",
       "from torch.nn.attention.flex_attention import flex_attention"});
  finding.verify = "Record again: a flash, fmha or sdpa kernel should stand in place of softmax and its two products.";
  const bool certain = !OperatorName(c, blocks.front().products.front()).empty();
  finding.confidence = certain ? Confidence::kHigh : Confidence::kMedium;
  finding.change = Change(blocks, peaks, {0.5, 0.6, true}, shapes);
  const WhatIf low = Change(blocks, peaks, {0.25, 1.1}, shapes);
  const WhatIf high = Change(blocks, peaks, {0.75, 0.3, true}, shapes);
  return Conclude(c, std::move(finding), DeviceSide(c), &low, &high);
}

}  // namespace

extern const Rule kAttentionMaterialisedRule;
const Rule kAttentionMaterialisedRule = {"attention_materialised",
                                         Layer::kFramework,
                                         Dimension::kMemory,
                                         Breadth::kSpecific,
                                         Evaluate,
                                         "Attention compares every position with every other: a matrix that grows with "
                                         "the square of the length. Written out "
                                         "step by step, that matrix travels through memory several times. A fused "
                                         "kernel works on tiles and never stores it."};

}  // namespace warpscope::rules
