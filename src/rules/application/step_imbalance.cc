// step_imbalance: some steps do much more device work than the others. Trigger: steps over 1.3 times the usual one
// whose excess is device work, at least every tenth step. The gain is an upper bound: it takes that work to be
// avoidable. Must not claim: more than a usual step, steps that are long because the device waits (the causes of that
// have their own rules), a single outlier, warm-up, steps that update the weights after several that only add up
// gradients (their excess is the optimizer's), nor ranks that wait for each other (exposed_communication).
#include <algorithm>
#include <cmath>

#include "analysis/step_profile.h"
#include "rules/build.h"
#include "rules/kernel/device_work.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::WhatIf;
using model::kNone;

constexpr double kSlowRatio = 1.3;
constexpr double kMinBusyShare = 0.6;  // of the excess
constexpr uint32_t kMinSteps = 3;
constexpr double kMinSlowShare = 0.1;
constexpr double kOptimizerShare = 0.5;  // of the excess

struct StepWork {
  uint32_t step;        // row of Steps::steps
  int64_t busy_ns = 0;  // device work issued in it
  double dur_ms = 0;
  std::vector<uint32_t> rows;
};

// Device rows by the step in which they were issued.
std::vector<StepWork> WorkBySteps(const Context& c) {
  std::vector<StepWork> work;
  for (uint32_t i = 0; i < c.steps.steps.size(); ++i) {
    if (!c.steps.steps[i].warmup) work.push_back({i, 0, 0, {}});
  }
  for (size_t i = 0; i < work.size() && i < c.steps.durations_ms.size(); ++i) work[i].dur_ms = c.steps.durations_ms[i];
  for (const uint32_t row : c.gpu_rows) {
    const uint32_t call = c.trace.gpu.call[row];
    if (call == kNone) continue;
    const int64_t at = c.trace.host.start_ns[call];
    const auto it = std::upper_bound(work.begin(), work.end(), at, [&](int64_t time, const StepWork& w) {
      return time < c.steps.steps[w.step].begin_ns;
    });
    if (it == work.begin()) continue;
    std::prev(it)->busy_ns += c.trace.gpu.dur_ns[row];
    std::prev(it)->rows.push_back(row);
  }
  return work;
}

double Median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

// Steps with much more device work than usual.
struct Slow {
  std::vector<const StepWork*> steps;
  double usual_busy_ms = 0, usual_ms = 0, slow_ms = 0;
};

Slow FindSlow(const std::vector<StepWork>& work) {
  Slow slow;
  std::vector<double> busy, durations;
  for (const StepWork& step : work) {
    busy.push_back(static_cast<double>(step.busy_ns) / 1e6);
    durations.push_back(step.dur_ms);
  }
  slow.usual_busy_ms = Median(busy);
  slow.usual_ms = Median(durations);
  for (const StepWork& step : work) {
    const double excess_ms = step.dur_ms - slow.usual_ms;
    const double busy_excess_ms = static_cast<double>(step.busy_ns) / 1e6 - slow.usual_busy_ms;
    if (excess_ms <= 0 || step.dur_ms < kSlowRatio * slow.usual_ms || busy_excess_ms < kMinBusyShare * excess_ms)
      continue;
    slow.steps.push_back(&step);
    slow.slow_ms += step.dur_ms;
  }
  if (!slow.steps.empty()) slow.slow_ms /= static_cast<double>(slow.steps.size());
  return slow;
}

// Gradients of several batches are added up before the weights are updated: the excess is the update.
bool IsUpdate(const Context& c, const Slow& slow, const std::vector<StepWork>& work) {
  OptimizerTest in_optimizer(c);
  const auto optimizer_ms = [&](const StepWork& step) {
    int64_t ns = 0;
    for (const uint32_t row : step.rows) ns += in_optimizer(row) ? c.trace.gpu.dur_ns[row] : 0;
    return static_cast<double>(ns) / 1e6;
  };
  std::vector<double> all;
  for (const StepWork& step : work) all.push_back(optimizer_ms(step));
  const double usual_ms = Median(all);
  return std::all_of(slow.steps.begin(), slow.steps.end(), [&](const StepWork* step) {
    const double excess_ms = static_cast<double>(step->busy_ns) / 1e6 - slow.usual_busy_ms;
    return optimizer_ms(*step) - usual_ms >= kOptimizerShare * excess_ms;
  });
}

// Slow steps brought down to `target` of their way to the usual one.
WhatIf Change(const Context& c, const Slow& slow, double way) {
  WhatIf change;
  for (const StepWork* step : slow.steps) {
    const double usual = slow.usual_busy_ms * 1e6 / static_cast<double>(step->busy_ns);
    const double ratio = 1 - way * (1 - std::min(1.0, usual));
    for (const uint32_t row : step->rows) {
      change.SetGpuDuration(row, static_cast<int64_t>(ratio * static_cast<double>(c.trace.gpu.dur_ns[row])));
    }
    const analysis::Step& span = c.steps.steps[step->step];
    const double host_ratio = 1 - way * (1 - std::min(1.0, slow.usual_ms / step->dur_ms));
    for (const uint32_t thread : c.rank.issuing_threads)
      change.ScaleHost(thread, span.begin_ns, span.end_ns, host_ratio);
  }
  return change;
}

// At best all steps are as the usual one is, at worst all of the work is needed.
Outcome Bounded(const Context& c, const Slow& slow, Outcome outcome) {
  for (Finding& finding : outcome.findings) {
    auto& predicted = *finding.predicted;
    const double before_ms = predicted.step_ms_before;
    if (!(before_ms > 0)) continue;
    // Where a recorder slowed the steps, of the usual one its device work stays for sure (its streams may overlap).
    const bool slowed = before_ms < c.turns_per_step * c.PerStepMs(c.window_ns());
    const double least_ms = c.turns_per_step * (slowed ? std::min(slow.usual_busy_ms, slow.usual_ms) : slow.usual_ms);
    predicted.step_ms_after = std::max(predicted.step_ms_after, std::min(least_ms, before_ms));
    predicted.gain_pct = 100 * (1 - predicted.step_ms_after / before_ms);
    predicted.low_pct = 0;
    predicted.high_pct = std::max(predicted.gain_pct, std::min(predicted.high_pct, 100 * (1 - least_ms / before_ms)));
  }
  return outcome;
}

std::string WhatDiffers(const Context& c, const Slow& slow, const std::vector<StepWork>& work) {
  std::vector<double> counts;
  for (const StepWork& step : work) counts.push_back(static_cast<double>(step.rows.size()));
  const double usual = Median(counts);
  double most = 0;
  for (const StepWork* step : slow.steps) most = std::max(most, static_cast<double>(step->rows.size()));
  if (most > 1.15 * usual) {
    return "the slow steps run more kernels (" + Count(most) + " against " + Count(usual) +
           "): they do something that the others do not, such as an evaluation";
  }
  std::string text =
      "the slow steps run as many kernels as the others, but each takes longer: larger inputs, such as longer "
      "sequences or padding";
  if (!c.source().record_shapes.value_or(false)) text += " (record_shapes=True would show them)";
  return text;
}

Outcome JudgeSteps(const Context& c) {
  // Turns found by their launches may be parts of a step, which differ for good reason.
  const bool marked =
      c.steps.source == analysis::StepSource::kProfilerStep || c.steps.source == analysis::StepSource::kUserRange;
  if (c.steps.counted() < kMinSteps || !marked) return Clean();
  const std::vector<StepWork> work = WorkBySteps(c);
  if (work.size() < kMinSteps) return Clean();
  const Slow slow = FindSlow(work);
  if (slow.steps.empty() || slow.usual_ms <= 0 || 2 * slow.steps.size() > work.size()) return Clean();
  if (static_cast<double>(slow.steps.size()) < kMinSlowShare * static_cast<double>(work.size())) return Clean();
  if (IsUpdate(c, slow, work)) return Clean();
  if (!c.sim) return AbstainNoSteps(c);
  const auto period = analysis::SlowStepPeriod(c.steps);

  Finding finding;
  double excess_ms = 0;
  for (const StepWork* step : slow.steps) excess_ms += step->dur_ms - slow.usual_ms;
  finding.share_pct = c.SharePct(static_cast<int64_t>(std::min(excess_ms, 1e12) * 1e6));
  finding.title = (period ? "Every " + Count(*period) + ". step takes "
                          : Plural(static_cast<double>(slow.steps.size()), "step") + " of " +
                                Count(static_cast<double>(work.size())) + " take ") +
                  Times(slow.slow_ms / slow.usual_ms) + " as long as the others, because the GPU has more to do in it";
  finding.subject = c.steps.steps[slow.steps.front()->step].label;
  finding.evidence.push_back({"the usual step takes " + Ms(slow.usual_ms) + " with " + Ms(slow.usual_busy_ms) +
                                  " of GPU work, the slow ones " + Ms(slow.slow_ms),
                              c.Query("steps")});
  finding.evidence.push_back({WhatDiffers(c, slow, work), c.Query("steps")});
  finding.actions.push_back(
      {"If inputs differ in size: group equal lengths, cut long ones into pieces, or pack them, so that no batch is "
       "padded to one long sample.",
       "sampler = BatchSampler(sorted_by_length, batch_size=32, drop_last=True)\n"
       "tokens = torch.nested.nested_tensor(samples)      # or pack_padded_sequence, or variable-length attention"});
  finding.actions.push_back({"If the slow steps do extra work (evaluation, logging, refreshing): do it less often.",
                             "if step % 1000 == 0: evaluate(model)"});
  finding.verify = "Record again: `" + c.Query("steps") + "` should show steps of equal length.";
  // That the others do without this work does not say that the program can.
  finding.upper_bound = true;
  finding.confidence = Confidence::kLow;
  finding.change = Change(c, slow, 1.0);
  return Bounded(c, slow, Conclude(c, std::move(finding), analysis::Side::kGpu));
}

Outcome Evaluate(const Context& c) {
  if (!HasHostRows(c)) return AbstainNoHost();
  return JudgeSteps(c);
}

}  // namespace

extern const Rule kStepImbalanceRule;
const Rule kStepImbalanceRule = {"step_imbalance",
                                 Layer::kApplication,
                                 Dimension::kLatency,
                                 Breadth::kGeneral,
                                 Evaluate,
                                 "Steps, or the GPUs of a group, should all do the same amount of work. If one batch "
                                 "is padded to a long sample, or one "
                                 "GPU is late, the others' time is wasted: the pace is set by the slowest."};

}  // namespace warpscope::rules
