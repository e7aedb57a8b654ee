// redundant_copy: device data is copied or cast more often than needed. Trigger, each by its own evidence: copies and
// casts one after the other on the same data; data multiplied by repeat for an operator that could broadcast; a tensor
// grown by cat, which copies all earlier rows each time. Must not claim: that a single copy is needless, nor copies of
// different tensors that merely stand side by side (queries, keys and values; the casts of several weights).
#include "rules/build.h"
#include "rules/kernel/device_work.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::KernelCategory;
using analysis::WhatIf;

constexpr double kMinSharePct = 2;
constexpr double kMinPairSharePct = 8;  // if nothing but pairs was found: one copy and one cast are often both needed
constexpr int64_t kLargeNs = 4'000;
constexpr size_t kMinGrowth = 4;  // cats of one step, each longer than the one before

bool IsCopyKernel(std::string_view name) { return ContainsAny(name, {"copy", "Copy"}) && !Contains(name, "triton"); }

struct Found {
  std::vector<uint32_t> chain;  // can go, all but one of each chain
  std::vector<uint32_t> chain_kept;
  std::vector<uint32_t> repeats;
  std::vector<uint32_t> growth;  // rows whose data was copied before
  size_t chains = 0, longest_chain = 0;
};

bool IsCopy(const Context& c, uint32_t row, PerName<bool (*)(std::string_view)>& copy_name) {
  if (c.trace.gpu.kind[row] == model::GpuKind::kCopy) {
    const model::CopyDetail* detail = c.trace.Copy(row);
    return detail != nullptr && detail->kind == model::CopyKind::kDeviceToDevice;
  }
  if (c.trace.gpu.kind[row] != model::GpuKind::kKernel) return false;
  const KernelCategory category = c.index.kernel_class(row).category;
  return (category == KernelCategory::kMemory || category == KernelCategory::kLayout) &&
         copy_name(c.trace.gpu.name[row]);
}

// The same size: equal element counts where shapes are known, else alike in time.
bool SameSize(const Context& c, uint32_t a, uint32_t b, ShapeCache& shapes) {
  const OpShapes* left = shapes.Shapes(a);
  const OpShapes* right = shapes.Shapes(b);
  const double a_ns = static_cast<double>(c.trace.gpu.dur_ns[a]), b_ns = static_cast<double>(c.trace.gpu.dur_ns[b]);
  if (a_ns > 6 * b_ns || b_ns > 6 * a_ns) return false;
  return left == nullptr || right == nullptr || left->largest_elements() == right->largest_elements();
}

class Finder {
 public:
  explicit Finder(const Context& c)
      : c_(c),
        shapes_(c),
        copy_name_(c.trace, IsCopyKernel),
        cat_(c.trace, [](std::string_view n) { return n == "aten::cat"; }),
        repeat_(c.trace,
                [](std::string_view n) {
                  return n == "aten::repeat_interleave" || n == "aten::repeat" || n == "aten::tile";
                }),
        in_optimizer_(c) {}

  Found Find() {
    for (const auto& rows : RowsByStream(c_)) {
      for (const uint32_t row : rows) Add(row);
      CloseChain();
      CloseGrowth();
    }
    return std::move(found_);
  }

 private:
  void Add(uint32_t row) {
    const bool copy = IsCopy(c_, row, copy_name_);
    if (UnderOperator(c_, row, repeat_) && c_.trace.gpu.dur_ns[row] >= kLargeNs) {
      found_.repeats.push_back(row);
      return CloseChain();
    }
    if (copy && UnderOperator(c_, row, cat_)) {
      AddCat(row);
      return CloseChain();
    }
    if (!copy || c_.trace.gpu.dur_ns[row] < kLargeNs || in_optimizer_(row)) return CloseChain();
    if (!chain_.empty() && !Continues(row)) CloseChain();
    chain_.push_back(row);
  }
  // Equal kernels side by side rather copy different tensors (queries, keys, values); different ones, such as a cast
  // behind a transpose, the same. A chain of three kinds takes a fourth copy of any kind.
  bool Continues(uint32_t row) {
    const auto name = [&](uint32_t of) { return c_.trace.gpu.name[of]; };
    const bool differs = name(row) != name(chain_.back());
    const bool mixed = chain_.size() > 2 && name(chain_.front()) != name(chain_.back());
    return (differs || mixed) && StepOf(c_, row) == StepOf(c_, chain_.back()) &&
           SameSize(c_, chain_.back(), row, shapes_);
  }
  // Of two or three copies the longest has to stay for all that is known; of more, one at the cost of the shortest.
  void CloseChain() {
    const auto shorter = [&](uint32_t a, uint32_t b) { return c_.trace.gpu.dur_ns[a] < c_.trace.gpu.dur_ns[b]; };
    if (chain_.size() >= 2) {
      ++found_.chains;
      found_.longest_chain = std::max(found_.longest_chain, chain_.size());
      const auto kept = chain_.size() <= 3 ? std::max_element(chain_.begin(), chain_.end(), shorter)
                                           : std::min_element(chain_.begin(), chain_.end(), shorter);
      for (auto it = chain_.begin(); it != chain_.end(); ++it) {
        (it == kept ? found_.chain_kept : found_.chain).push_back(*it);
      }
    }
    chain_.clear();
  }
  void AddCat(uint32_t row) {
    const OpShapes* shapes = shapes_.Shapes(row);
    if (shapes != nullptr && !shapes->inputs.empty()) {
      // One tensor makes up nearly all of the result: it was only copied to make room for a little more.
      double first = 1;
      for (const int64_t n : shapes->inputs.front().dims) first *= static_cast<double>(std::max<int64_t>(n, 0));
      if (first >= 0.75 * shapes->inputs.front().elements && first < shapes->inputs.front().elements &&
          c_.trace.gpu.dur_ns[row] >= kLargeNs) {
        found_.growth.push_back(row);
      }
      return;
    }
    if (!cats_.empty() &&
        (c_.trace.gpu.dur_ns[row] <= c_.trace.gpu.dur_ns[cats_.back()] || StepOf(c_, row) != StepOf(c_, cats_.back())))
      CloseGrowth();
    cats_.push_back(row);
  }
  // Without shapes: a series of cats in one step, each longer than the one before. The last one would have been enough.
  void CloseGrowth() {
    if (cats_.size() >= kMinGrowth && c_.trace.gpu.dur_ns[cats_.back()] >= 2 * c_.trace.gpu.dur_ns[cats_.front()]) {
      found_.growth.insert(found_.growth.end(), cats_.begin(), cats_.end() - 1);
    }
    cats_.clear();
  }
  const Context& c_;
  ShapeCache shapes_;
  PerName<bool (*)(std::string_view)> copy_name_, cat_, repeat_;
  OptimizerTest in_optimizer_;
  std::vector<uint32_t> chain_, cats_;
  Found found_;
};

WhatIf Remove(std::initializer_list<const std::vector<uint32_t>*> lists) {
  WhatIf change;
  for (const auto* rows : lists) {
    for (const uint32_t row : *rows) change.RemoveGpu(row);
  }
  return change;
}

WhatIf Shorten(const Context& c, const Found& found, double ratio) {
  WhatIf change;
  for (const auto* rows : {&found.chain, &found.repeats, &found.growth}) {
    for (const uint32_t row : *rows)
      change.SetGpuDuration(row, static_cast<int64_t>(static_cast<double>(c.trace.gpu.dur_ns[row]) * ratio));
  }
  return change;
}

void Describe(const Context& c, const Found& found, Finding& finding) {
  if (!found.chain.empty()) {
    finding.evidence.push_back({Plural(c.CountPerStep(static_cast<double>(found.chains)), "place") +
                                    " a step copies or casts the same data several times in a row: " +
                                    Ms(c.PerStepMs(TotalNs(c, found.chain))) + " beyond one copy each",
                                c.Query("kernels")});
    finding.actions.push_back(
        {"Drop clone(), contiguous() and casts that the next operator undoes or does not need; keep one number format.",
         "h = F.relu(layer(h))   # not layer(h.clone().float().contiguous().to(torch.bfloat16))"});
  }
  if (!found.repeats.empty()) {
    finding.evidence.push_back(
        {"data is multiplied in memory by repeat for " + Ms(c.PerStepMs(TotalNs(c, found.repeats))) + " a step",
         c.Query("ops")});
    finding.actions.push_back(
        {"Broadcast in place of repeating: expand() costs nothing, and attention takes grouped heads as they are.",
         "F.scaled_dot_product_attention(q, k, v, enable_gqa=True)   # no k.repeat_interleave(...)"});
  }
  if (!found.growth.empty()) {
    finding.evidence.push_back(
        {Plural(c.CountPerStep(static_cast<double>(found.growth.size())), "cat") +
             " a step copies all earlier rows to add a few: " + Ms(c.PerStepMs(TotalNs(c, found.growth))),
         c.Query("ops --by shape")});
    finding.actions.push_back({"Collect the pieces in a list and join them once, or write into a buffer of full size.",
                               "out = torch.empty(total, width, device=\"cuda\")\nout[at:at + n].copy_(piece)"});
  }
  finding.actions.push_back({"In CUDA C++: let the kernel read the source through strides and convert while loading.",
                             "float v = __bfloat162float(x[row * stride + column]);"});
}

Outcome Evaluate(const Context& c) {
  const Found found = Finder(c).Find();
  std::vector<uint32_t> all = found.chain;
  all.insert(all.end(), found.repeats.begin(), found.repeats.end());
  all.insert(all.end(), found.growth.begin(), found.growth.end());
  const int64_t total_ns = TotalNs(c, all);
  const bool pairs_only = found.longest_chain == 2 && found.repeats.empty() && found.growth.empty();
  if (all.empty() || c.SharePct(total_ns) < (pairs_only ? kMinPairSharePct : kMinSharePct)) return Clean();
  if (!c.sim) return AbstainNoSteps(c);
  const uint32_t longest = *std::max_element(
      all.begin(), all.end(), [&](uint32_t a, uint32_t b) { return c.trace.gpu.dur_ns[a] < c.trace.gpu.dur_ns[b]; });

  Finding finding;
  const std::string place = Place(c, c.trace.gpu.call[longest]);
  finding.subject = place.empty() ? ShortName(c, longest) : place;
  finding.share_pct = c.SharePct(total_ns);
  finding.title = "The GPU copies data it already has for " + Pct(*finding.share_pct) + " of the step";
  Describe(c, found, finding);
  finding.verify = "Record again: the copies in `warpscope kernels` should be gone and the results unchanged.";
  finding.confidence =
      found.chain.size() > found.growth.size() + found.repeats.size() ? Confidence::kMedium : Confidence::kHigh;
  finding.change = Remove({&found.chain, &found.repeats, &found.growth});
  const WhatIf low = Shorten(c, found, 0.5);
  const WhatIf high = Remove({&found.chain, &found.chain_kept, &found.repeats, &found.growth});
  return Conclude(c, std::move(finding), DeviceSide(c), &low, &high);
}

}  // namespace

extern const Rule kRedundantCopyRule;
const Rule kRedundantCopyRule = {
    "redundant_copy",
    Layer::kFramework,
    Dimension::kMemory,
    Breadth::kSpecific,
    Evaluate,
    "Copying within the GPU's memory reads and writes every byte and computes nothing. Many such copies come from "
    "habits: "
    "clone(), contiguous(), casts to and fro, repeat() where broadcasting would do, and cat() in a loop."};

}  // namespace warpscope::rules
