// PmSets: which metrics sampling collects on a chip: sets of the core ones and as many of the others as still take one
// pass, until all are dealt or kMostSets are full. What of the core does not fit has a set of its own beside the first
// of the core. From a plan's own list: sets without a core. [one thread] Each set has a host of its own: one evaluates
// only what was added to it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/counters/perf.h"
#include "agent/counters/plan.h"
#include "cupti/metric_host.h"

namespace warpscope::agent {

struct PmSet {
  static constexpr uint32_t kMostMetrics = 96;

  const char* names[kMostMetrics] = {};  // live as long as the process
  const char* units[kMostMetrics] = {};
  uint32_t count = 0;
  perf::MetricHost host;  // with its configuration
};

struct PmSets {
  static constexpr uint32_t kMostSets = 4;

  PmSet sets[kMostSets];
  uint32_t count = 0;
  uint32_t left_out = 0;          // metrics that no set has room for
  uint32_t unknown = 0;           // that the chip does not have
  const char* example = nullptr;  // of those two

  // `host` is open. False: not one metric can be sampled. The wanted ones of `plan`; without any, our own list.
  // `go_on` is asked after every call of CUPTI; false ends the work with what is there (null: always true).
  bool Build(perf::MetricHost* host, const Plan& plan, bool (*go_on)());
  void Close();
};

}  // namespace warpscope::agent
