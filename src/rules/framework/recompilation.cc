// recompilation: the program is compiled again in the middle of the loop. Trigger: compile spans (dynamo, inductor,
// triton, module loading) in at least two counted steps. Must not claim: compilation
// in the first step only (that is warm-up), nor kernel searches (autotune_churn).
#include <algorithm>
#include <charconv>
#include <set>

#include "rules/build.h"
#include "rules/framework/compile_spans.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::WhatIf;
using model::kNone;

WhatIf Change(const Context& c, const std::vector<CompileSpan>& spans, double rest_ratio) {
  WhatIf change;
  for (const CompileSpan& span : spans) RemoveSpan(c, span, rest_ratio, change);
  return change;
}

// Steps that hold a span, as rows of Steps::steps.
std::set<uint32_t> StepsWith(const std::vector<CompileSpan>& spans) {
  std::set<uint32_t> steps;
  for (const CompileSpan& span : spans) steps.insert(span.step);
  steps.erase(kNone);
  return steps;
}

// Highest version of one piece of code that ran: "Torch-Compiled Region: 0/9" is the tenth compilation of frame 0.
uint32_t LatestVersion(const Context& c) {
  constexpr std::string_view kRegion = "Torch-Compiled Region: ";
  uint32_t latest = 0;
  for (const uint32_t thread : c.rank.issuing_threads) {
    const auto rows = c.trace.thread_rows[thread];
    for (uint32_t row = rows.begin; row < rows.end; ++row) {
      const std::string_view name = c.trace.HostName(row);
      const size_t slash = name.find('/');
      if (!name.starts_with(kRegion) || slash == std::string_view::npos || !c.InWindow(row)) continue;
      uint32_t version = 0;
      std::from_chars(name.data() + slash + 1, name.data() + name.size(), version);
      latest = std::max(latest, version);
    }
  }
  return latest;
}

Outcome Evaluate(const Context& c) {
  if (!HasHostRows(c)) return AbstainNoHost();
  const std::vector<CompileSpan> spans = CompileSpans(c, CompileKind::kCompile);
  if (spans.size() < 2) return Clean();
  const std::set<uint32_t> steps = StepsWith(spans);
  const uint32_t version = LatestVersion(c);
  const bool without_steps = c.steps.counted() < 2 && version > 0;  // the versions tell that it is not the first time
  if (steps.size() < 2 && !without_steps) return Clean();
  int64_t total_ns = 0, longest_ns = 0;
  const CompileSpan* longest = nullptr;
  for (const CompileSpan& span : spans) {
    const int64_t ns = span.end_ns - span.start_ns;
    total_ns += ns;
    if (ns > longest_ns) longest_ns = ns, longest = &span;
  }
  if (longest == nullptr || c.SharePct(total_ns) < kMinGainPct) return Clean();
  if (!c.sim) return AbstainNoSteps(c);

  Finding finding;
  finding.share_pct = c.SharePct(total_ns);
  const std::string frame = c.UserFrame(longest->row);
  finding.subject = frame.empty() ? Short(c.trace.HostName(longest->row)) : frame;
  finding.title =
      without_steps
          ? "The program is compiled again while it runs: " + Ms(c.PerStepMs(total_ns)) + " of the recording go into it"
          : "The program is compiled again in " + Count(static_cast<double>(steps.size())) + " of " +
                Count(c.step_count()) + " steps, which takes " + Ms(c.PerStepMs(total_ns)) + " of each step";
  finding.evidence.push_back({Plural(c.CountPerStep(static_cast<double>(spans.size())), "compilation") +
                                  " a step, the longest of " + Ns(longest_ns) + ": " +
                                  Short(c.trace.HostName(longest->row), 80),
                              c.Query("gaps")});
  if (version > 0) {
    finding.evidence.push_back(
        {"one piece of code is already compiled for the " + Count(version + 1) + ". time", c.Query("ops")});
  }
  if (!frame.empty()) finding.evidence.push_back({"called from " + frame, c.Query("ops")});
  finding.actions.push_back(
      {"Find what changes from step to step: a Python number or a shape is burnt into the compiled code.",
       "TORCH_LOGS=recompiles python train.py"});
  finding.actions.push_back(
      {"Pass changing numbers as tensors and mark changing sizes as dynamic.",
       "scale = torch.tensor(scale, device=x.device)          # not a Python float\n"
       "torch._dynamo.mark_dynamic(x, 0)                      # or: torch.compile(model, dynamic=True)"});
  finding.actions.push_back(
      {"In CUDA C++: compile (NVRTC) and load modules once, before the loop, and keep the handles.",
       "CUDA_MODULE_LOADING=EAGER   # if it is module loading"});
  finding.verify = "Record again: `" + c.Query("gaps") + "` should show no compilation in steady steps.";
  finding.confidence = Confidence::kHigh;
  finding.change = Change(c, spans, 0.0);
  const WhatIf low = Change(c, spans, 0.1);
  return Conclude(c, std::move(finding), analysis::Side::kHost, &low);
}

}  // namespace

extern const Rule kRecompilationRule;
const Rule kRecompilationRule = {
    "recompilation",
    Layer::kFramework,
    Dimension::kLatency,
    Breadth::kSpecific,
    Evaluate,
    "torch.compile turns Python into kernels once and reuses them, as long as shapes and numbers stay the same. If one "
    "of them changes in each step, it compiles again each time, and the GPU waits for seconds."};

}  // namespace warpscope::rules
