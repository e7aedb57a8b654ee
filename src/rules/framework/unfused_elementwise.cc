// unfused_elementwise: runs of pointwise kernels over large tensors, each reading and writing all of memory again.
// Trigger: three or more pointwise kernels in a row on a stream that are long enough to be bound by memory. Must not
// claim: runs of short kernels (launch_bound's), optimizer loops (unfused_optimizer's), code that a compiler has fused,
// runs of plain copies (redundant_copy's). The likely gain
// takes device time alone; the high end also the host's work for the launches that vanish.
#include "rules/build.h"
#include "rules/kernel/device_work.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::KernelCategory;
using analysis::WhatIf;

constexpr int64_t kLargeNs = 6'000;  // moves tens of MB: well over what a launch costs
constexpr size_t kMinLarge = 3;      // large members of a run
constexpr double kMinSharePct = 3;
constexpr int64_t kFusedCallNs = 10'000;

enum class Member : uint8_t { kNo, kPointwise, kCopy, kReduction };

Member MemberOf(const Context& c, uint32_t row) {
  if (c.trace.gpu.kind[row] != model::GpuKind::kKernel) return Member::kNo;
  const analysis::KernelClass& kernel = c.index.kernel_class(row);
  if (kernel.triton) return Member::kNo;
  switch (kernel.category) {
    case KernelCategory::kElementwise: return Member::kPointwise;
    case KernelCategory::kMemory: return ContainsAny(c.trace.GpuName(row), {"copy"}) ? Member::kCopy : Member::kNo;
    case KernelCategory::kReduction: return Member::kReduction;
    default: return Member::kNo;
  }
}

struct Run {
  std::vector<uint32_t> rows;  // all members, tiny ones and reductions too
  int64_t total_ns = 0;
  int64_t longest_ns = 0;
  size_t large = 0, pointwise = 0;
  bool mixed = false;  // more than one kernel name: one name alone is rather one operation on several tensors
};

// Two large neighbours work on the same tensor if their times are alike: kernels bound by memory take time by bytes.
bool Alike(int64_t a, int64_t b) { return a < 4 * b && b < 4 * a; }

class RunFinder {
 public:
  explicit RunFinder(const Context& c) : c_(c), in_optimizer_(c) {}
  std::vector<Run> Find() {
    for (const auto& rows : RowsByStream(c_)) {
      for (const uint32_t row : rows) Add(row);
      Close();
    }
    return std::move(runs_);
  }

 private:
  void Add(uint32_t row) {
    const Member member = MemberOf(c_, row);
    const int64_t ns = c_.trace.gpu.dur_ns[row];
    const bool large = ns >= kLargeNs;
    if (c_.trace.gpu.kind[row] == model::GpuKind::kMemset && !large) return;  // a reduction's own small scratch
    if (member == Member::kNo || in_optimizer_(row)) return Close();
    const bool other = large && last_large_ns_ > 0 && !Alike(ns, last_large_ns_);
    if (other || (!run_.rows.empty() && StepOf(c_, row) != StepOf(c_, run_.rows.front()))) Close();
    if (run_.rows.empty() && (!large || member == Member::kReduction)) return;  // a run starts with a large pass
    if (large && !run_.rows.empty()) run_.mixed |= c_.trace.gpu.name[row] != c_.trace.gpu.name[run_.rows.front()];
    run_.rows.push_back(row);
    run_.total_ns += ns;
    run_.longest_ns = std::max(run_.longest_ns, ns);
    if (!large) return;
    last_large_ns_ = ns;
    ++run_.large;
    if (member == Member::kPointwise) ++run_.pointwise;
  }
  void Close() {
    while (!run_.rows.empty() && c_.trace.gpu.dur_ns[run_.rows.back()] < kLargeNs) {
      run_.total_ns -= c_.trace.gpu.dur_ns[run_.rows.back()];
      run_.rows.pop_back();
    }
    if (run_.mixed && run_.large >= kMinLarge && 2 * run_.pointwise >= run_.large) runs_.push_back(std::move(run_));
    run_ = {};
    last_large_ns_ = 0;
  }

  const Context& c_;
  OptimizerTest in_optimizer_;
  Run run_;
  int64_t last_large_ns_ = 0;
  std::vector<Run> runs_;
};

// A fused kernel reads the inputs from outside once and writes the result once: about what the longest member moves,
// which has one or two inputs. `passes`: that many times as much.
WhatIf Change(const Context& c, const std::vector<Run>& runs, double passes) {
  WhatIf change;
  for (const Run& run : runs) {
    const auto fused_ns =
        static_cast<int64_t>(std::min(static_cast<double>(run.total_ns), static_cast<double>(run.longest_ns) * passes));
    uint32_t kept = run.rows.front();
    for (const uint32_t row : run.rows) {
      if (c.trace.gpu.dur_ns[row] > c.trace.gpu.dur_ns[kept]) kept = row;
    }
    change.SetGpuDuration(kept, fused_ns);
    for (const uint32_t row : run.rows) {
      if (row != kept) change.RemoveGpu(row);
    }
  }
  return change;
}

// One launch in place of all: the host work between the launches goes too.
WhatIf Merged(const std::vector<Run>& runs, double passes) {
  WhatIf change;
  for (const Run& run : runs) {
    const auto fused_ns = static_cast<int64_t>(static_cast<double>(run.longest_ns) * passes);
    change.MergeLaunches(run.rows, kFusedCallNs, 0, fused_ns);
  }
  return change;
}

// The run that costs most, by its kernels' names; equal runs count together.
struct Pattern {
  const Run* example = nullptr;
  size_t count = 0;
  int64_t total_ns = 0;
};

Pattern WorstPattern(const Context& c, const std::vector<Run>& runs) {
  std::map<std::vector<model::StringId>, Pattern> patterns;
  for (const Run& run : runs) {
    std::vector<model::StringId> names;
    for (const uint32_t row : run.rows) names.push_back(c.trace.gpu.name[row]);
    Pattern& pattern = patterns[names];
    if (pattern.example == nullptr) pattern.example = &run;
    ++pattern.count;
    pattern.total_ns += run.total_ns;
  }
  Pattern worst;
  for (const auto& [names, pattern] : patterns) {
    const bool better =
        pattern.total_ns > worst.total_ns ||
        (pattern.total_ns == worst.total_ns && pattern.example->rows.front() < worst.example->rows.front());
    if (worst.example == nullptr || better) worst = pattern;
  }
  return worst;
}

std::string Operators(const Context& c, const Run& run) {
  std::string text;
  size_t shown = 0;
  std::string_view last;
  for (const uint32_t row : run.rows) {
    std::string_view name = OperatorName(c, row);
    if (name.empty() || name == last) continue;
    last = name;
    if (name.starts_with("aten::")) name.remove_prefix(6);
    if (shown == 8) return text + " ...";
    text += (shown++ == 0 ? "" : ", ") + std::string(name);
  }
  return text;
}

Outcome Evaluate(const Context& c) {
  const std::vector<Run> runs = RunFinder(c).Find();
  int64_t total_ns = 0;
  size_t members = 0;
  for (const Run& run : runs) total_ns += run.total_ns, members += run.large;
  if (runs.empty() || c.SharePct(total_ns) < kMinSharePct) return Clean();
  if (!c.sim) return AbstainNoSteps(c);
  const Pattern worst = WorstPattern(c, runs);

  Finding finding;
  finding.share_pct = c.SharePct(total_ns);
  finding.title = "Chains of simple pointwise kernels pass over the same large tensors again and again, " +
                  Pct(*finding.share_pct) + " of the step";
  finding.subject = Operators(c, *worst.example);
  if (finding.subject.empty()) finding.subject = ShortName(c, worst.example->rows.front());
  finding.evidence.push_back({Plural(c.CountPerStep(static_cast<double>(runs.size())), "chain") + " a step with " +
                                  Count(c.CountPerStep(static_cast<double>(members))) + " large kernels take " +
                                  Ms(c.PerStepMs(total_ns)) + " a step; fused, each chain is one pass",
                              c.Query("kernels")});
  std::string text = "the costliest chain: " + Plural(static_cast<double>(worst.example->rows.size()), "kernel") +
                     ", " + Ns(worst.example->total_ns) + ", longest " + Ns(worst.example->longest_ns);
  const std::string ops = Operators(c, *worst.example);
  if (!ops.empty()) text += " (" + ops + ")";
  finding.evidence.push_back({text, c.Query("ops")});
  const uint32_t call = c.trace.gpu.call[worst.example->rows.front()];
  const std::string frame = call == model::kNone ? "" : c.UserFrame(call);
  if (!frame.empty()) finding.evidence.push_back({"called at " + frame, c.Query("ops --by line")});
  finding.actions.push_back(
      {"Let the compiler fuse the chain into one kernel.", "@torch.compile\ndef activation(x):\n    ..."});
  finding.actions.push_back(
      {"Or take the fused operator where PyTorch has one.",
       "F.gelu(x, approximate=\"tanh\"); F.silu(x)\nF.rms_norm(x, shape, weight); F.smooth_l1_loss(a, b)"});
  finding.actions.push_back({"In CUDA C++: write one kernel that keeps the intermediate values in registers.",
                             "y[i] = h * x[i] * (1.f + tanhf(c * (x[i] + a * x[i] * x[i] * x[i])));"});
  finding.verify = "Record again: the chain should be one kernel of about the length of its longest member.";
  finding.confidence = Confidence::kMedium;
  finding.change = Change(c, runs, 1.0);
  const WhatIf low = Change(c, runs, 2.0);
  const WhatIf high = Merged(runs, 0.6);
  return Conclude(c, std::move(finding), analysis::Side::kGpu, &low, &high);
}

}  // namespace

extern const Rule kUnfusedElementwiseRule;
const Rule kUnfusedElementwiseRule = {
    "unfused_elementwise",
    Layer::kFramework,
    Dimension::kMemory,
    Breadth::kSpecific,
    Evaluate,
    "Adding, scaling or activating a tensor is hardly any arithmetic: the time goes into reading and writing it. Ten "
    "such "
    "steps one after the other move it ten times. A fused kernel reads once, does all ten, and writes once."};

}  // namespace warpscope::rules
