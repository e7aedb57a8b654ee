// layout_transform: tensors are turned between channels-first and channels-last around convolutions. Trigger: kernels
// that only change the layout (nchwToNhwc and back, strided copies beside convolutions). Must not claim: transposes
// that no convolution needs (redundant_copy), nor that batch-norm gets faster for sure (only the high end says so).
#include "rules/build.h"
#include "rules/kernel/device_work.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::KernelCategory;
using analysis::WhatIf;

constexpr double kMinSharePct = 2;
constexpr int kNeighbours = 3;  // kernels between a strided copy and the convolution it serves
// A channels-first batch-norm runs at about half the speed of the channels-last one; at worst it stays as it is.
constexpr double kNormPoint = 0.5, kNormHigh = 0.4;

bool IsLibraryTranspose(std::string_view name) {
  return ContainsAny(name, {"nchwToNhwc", "nhwcToNchw", "nchw2nhwc", "nhwc2nchw", "nchwToFolded", "foldedToNchw",
                            "SubTensorOpKernel"}) ||
         (Contains(name, "batch_transpose") && !Contains(name, "triton"));
}

// Batch-norm variants for channels-first tensors, which read with long strides.
bool IsChannelsFirstNorm(std::string_view name) {
  if (ContainsAny(name, {"nhwc", "Nhwc", "NHWC", "channels_last"})) return false;
  return ContainsAny(name, {"1C11_kernel", "bn_fw_tr", "bn_bw", "batch_norm_collect_statistics",
                            "batch_norm_transform_input", "batch_norm_backward", "batch_norm_elemt"});
}

struct Work {
  std::vector<uint32_t> transposes;  // by the library
  std::vector<uint32_t> copies;      // strided copies beside convolutions
  std::vector<uint32_t> norms;
  bool convolutions = false;
};

bool IsStridedCopy(const Context& c, uint32_t row) {
  return c.index.kernel_class(row).category == KernelCategory::kLayout && Contains(c.trace.GpuName(row), "copy");
}

Work FindWork(const Context& c) {
  Work work;
  PerName transpose(c.trace, IsLibraryTranspose);
  PerName norm(c.trace, IsChannelsFirstNorm);
  for (const auto& rows : RowsByStream(c)) {
    int since = kNeighbours + 1;    // kernels since the last convolution
    std::vector<uint32_t> waiting;  // strided copies that may lead to one
    for (const uint32_t row : rows) {
      if (c.trace.gpu.kind[row] != model::GpuKind::kKernel) continue;
      const model::StringId name = c.trace.gpu.name[row];
      const KernelCategory category = c.index.kernel_class(row).category;
      if (category == KernelCategory::kConvolution) {
        work.convolutions = true;
        work.copies.insert(work.copies.end(), waiting.begin(), waiting.end());
        waiting.clear();
        since = 0;
        continue;
      }
      if (transpose(name)) {
        work.transposes.push_back(row);
        continue;
      }
      if (norm(name)) work.norms.push_back(row);
      if (category == KernelCategory::kLayout && IsStridedCopy(c, row)) {
        if (since <= kNeighbours) work.copies.push_back(row);
        else waiting.push_back(row);
      }
      ++since;
      if (waiting.size() > kNeighbours) waiting.erase(waiting.begin());
    }
  }
  return work;
}

WhatIf Change(const Context& c, const Work& work, double norm_ratio) {
  WhatIf change;
  for (const uint32_t row : work.transposes) change.RemoveGpu(row);
  for (const uint32_t row : work.copies) change.RemoveGpu(row);
  if (norm_ratio >= 1) return change;
  for (const uint32_t row : work.norms) {
    const int64_t old_ns = c.trace.gpu.dur_ns[row];
    const auto ns = static_cast<int64_t>(static_cast<double>(old_ns) * norm_ratio);
    change.SetGpuDuration(row, std::min(old_ns, std::max(ns, kShortestKernelNs)));
  }
  return change;
}

Outcome Evaluate(const Context& c) {
  const Work work = FindWork(c);
  if (!work.convolutions) return Clean();
  const int64_t library_ns = TotalNs(c, work.transposes);
  const int64_t copies_ns = TotalNs(c, work.copies);
  const int64_t moved_ns = library_ns + copies_ns;
  if (c.SharePct(moved_ns) < kMinSharePct) return Clean();
  if (!c.sim) return AbstainNoSteps(c);

  Finding finding;
  const auto& main = library_ns >= copies_ns ? work.transposes : work.copies;
  const uint32_t longest = *std::max_element(
      main.begin(), main.end(), [&](uint32_t a, uint32_t b) { return c.trace.gpu.dur_ns[a] < c.trace.gpu.dur_ns[b]; });
  finding.subject = ShortName(c, longest);
  finding.share_pct = c.SharePct(moved_ns);
  finding.title = "Turning images between two memory layouts takes " + Pct(*finding.share_pct) + " of the step";
  if (!work.transposes.empty()) {
    finding.evidence.push_back({Plural(c.CountPerStep(static_cast<double>(work.transposes.size())), "layout kernel") +
                                    " a step around the convolutions, " + Ms(c.PerStepMs(library_ns)) + " in all",
                                c.Query("kernels")});
  }
  if (!work.copies.empty()) {
    finding.evidence.push_back({Plural(c.CountPerStep(static_cast<double>(work.copies.size())), "strided copy") +
                                    " a step beside convolutions, " + Ms(c.PerStepMs(copies_ns)) + " in all",
                                c.Query("kernels")});
  }
  if (!work.norms.empty() && !work.transposes.empty()) {
    finding.evidence.push_back({"batch-norm runs in its channels-first form for " +
                                    Ms(c.PerStepMs(TotalNs(c, work.norms))) +
                                    " a step; the channels-last form is about twice as fast",
                                c.Query("kernels")});
  }
  finding.actions.push_back(
      {"Keep the model and its input in channels-last memory, the layout that the tensor cores read.",
       "model = model.to(memory_format=torch.channels_last)\nx = x.to(memory_format=torch.channels_last)"});
  finding.actions.push_back({"In CUDA C++: describe tensors to cuDNN as NHWC from the start.",
                             "cudnnSetTensor4dDescriptor(desc, CUDNN_TENSOR_NHWC, CUDNN_DATA_HALF, n, c, h, w);"});
  finding.verify = "Record again: no kernel should be named nchwToNhwc or nhwcToNchw.";
  finding.confidence = library_ns >= copies_ns ? Confidence::kHigh : Confidence::kMedium;
  const bool norms_follow = !work.transposes.empty();
  finding.change = Change(c, work, norms_follow ? kNormPoint : 1);
  const WhatIf low = Change(c, work, 1);
  const WhatIf high = Change(c, work, norms_follow ? kNormHigh : 1);
  return Conclude(c, std::move(finding), DeviceSide(c), &low, &high);
}

}  // namespace

extern const Rule kLayoutTransformRule;
const Rule kLayoutTransformRule = {
    "layout_transform",
    Layer::kFramework,
    Dimension::kMemory,
    Breadth::kSpecific,
    Evaluate,
    "An image batch can lie in memory channel by channel or pixel by pixel. Fast convolutions want the second. If the "
    "program keeps the first, the library turns every tensor before a convolution and back after it."};

}  // namespace warpscope::rules
