#include "rules/application/loader_start.h"

#include <algorithm>

#include "rules/build.h"

namespace warpscope::rules {

const analysis::Step* LoaderStart(const Context& c) {
  constexpr double kMostOfIt = 0.8;
  if (c.steps.counted() < 4) return nullptr;
  const auto spans = SpansOf(c, {analysis::GapCause::kDataLoading});
  const int64_t total_ns = TotalNs(spans);
  for (const analysis::Step& step : c.steps.steps) {
    int64_t inside_ns = 0;
    for (const ThreadSpan& span : spans) {
      inside_ns +=
          std::max<int64_t>(0, std::min(span.span.end_ns, step.end_ns) - std::max(span.span.start_ns, step.begin_ns));
    }
    if (!step.warmup && static_cast<double>(inside_ns) > kMostOfIt * static_cast<double>(total_ns)) return &step;
  }
  return nullptr;
}

}  // namespace warpscope::rules
