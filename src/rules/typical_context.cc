#include "rules/typical_context.h"

#include <algorithm>

#include "rules/application/loader_start.h"
#include "rules/rule.h"
#include "rules/text.h"

namespace warpscope::rules {

extern const Rule kDataLoadingRule;

namespace {

constexpr size_t kLeastSteps = 3;     // left to judge
constexpr double kHeldUpRatio = 3.0;  // times the median: a smaller excess moves the mean little. Own threshold.

}  // namespace

TypicalContext BuildTypicalContext(const analysis::Index& index, const analysis::Rank& rank, Context::Options options) {
  TypicalContext typical{Context::Build(index, rank, options), std::nullopt, 0};
  const Context& all = *typical.context;
  typical.found_steps = all.steps.counted();
  const analysis::Step* start = all.sim ? LoaderStart(all) : nullptr;
  if (start == nullptr) return typical;
  const size_t at = static_cast<size_t>(start - all.steps.steps.data()), first = all.steps.warmup_excluded;
  // The device is held up until the work of the step that waited for its batch, or of the one behind it.
  const auto& ms = all.steps.durations_ms;
  size_t held = at;
  if (at + 1 < all.steps.steps.size() && ms[at + 1 - first] > ms[at - first]) held = at + 1;
  if (ms[held - first] < kHeldUpRatio * all.steps.median_ms) return typical;
  const size_t before = at - first, after = all.steps.steps.size() - held - 1;
  if (std::max(before, after) < kLeastSteps) return typical;
  options.only = after >= before ? std::pair(held + 1, all.steps.steps.size()) : std::pair(first, at);
  auto only = Context::Build(index, rank, options);
  if (!only->sim || only->gpu_rows.empty()) return typical;
  Outcome outcome = kDataLoadingRule.evaluate(all);
  if (outcome.findings.empty()) return typical;
  Finding once = std::move(outcome.findings.front());
  once.id = kDataLoadingRule.id;
  once.layer = kDataLoadingRule.layer;
  once.dimension = kDataLoadingRule.dimension;
  once.concept_text = kDataLoadingRule.concept_text;
  once.predicted.reset();
  once.change = {};
  once.share_pct.reset();
  once.once = "one step of " + Ms(ms[held - first]) + ", once in " + Count(typical.found_steps) +
              " steps; a typical one takes " + Ms(only->steps.median_ms) + " in the recording";
  typical.once = std::move(once);
  typical.context = std::move(only);
  return typical;
}

}  // namespace warpscope::rules
