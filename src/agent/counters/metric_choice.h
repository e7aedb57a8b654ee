// MetricChoice: of the metrics that were asked for, those that the chip knows and that one configuration holds, and
// what became of the others. [one thread]
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/counters/perf.h"
#include "agent/counters/plan.h"
#include "cupti/metric_host.h"

namespace warpscope::agent {

struct MetricChoice {
  static constexpr size_t kMost = Plan::kMostMetrics;

  // Configures `host` (open) for the metrics `wanted`. Answers with a cuptiResult: not kOk if no metric is left.
  int Choose(perf::MetricHost* host, const char* const* wanted, size_t count);
  // Leaves out the metrics that count by patched code ("sass" in their names); false: there were none.
  bool DropPatched();
  int Configure(perf::MetricHost* host) { return host->Configure(names, count); }

  const char* names[kMost] = {};
  size_t count = 0;
  const char* unknown[kMost] = {};  // the chip does not have them
  size_t unknown_count = 0;
  const char* refused[kMost] = {};  // not together with the others
  size_t refused_count = 0;

 private:
  int AddAll(perf::MetricHost* host, const char* const* more, size_t more_count);
};

// "a, b, c and 4 more" in `text`.
void ListNames(const char* const* names, size_t count, char* text, size_t size);

}  // namespace warpscope::agent
