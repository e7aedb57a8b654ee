// Plan: what wire/counter_plan.h asks for, as read from the run folder. [one thread] once, before use.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpscope::agent {

struct Plan {
  static constexpr size_t kMostMetrics = 4096, kMostKernels = 256;

  bool exact = false, sampled = false, stalls = false, keep_code = false, application_replay = false;
  uint32_t skip = 0, count = 0, per_name = 0;              // 0: no limit, but skip
  uint32_t pass = 0, turn = 0;                             // of an application replay
  uint32_t interval_us = 0, window_ms = 0, period_ms = 0;  // 0: ours to choose
  uint32_t pc_period = 0;                                  // 0: CUPTI's own
  const char* metrics[kMostMetrics] = {};
  size_t metric_count = 0;
  const char* kernels[kMostKernels] = {};  // POSIX extended regular expressions
  size_t kernel_count = 0;
  const char* names[kMostKernels] = {};
  size_t name_count = 0;

  bool any() const { return exact || sampled || stalls; }
};

// Static memory; the texts live as long as the process. Without a file: a plan for nothing. Reads once.
const Plan& ReadPlan(const char* run_folder);
// `text` is cut into the plan's words in place.
void ParsePlan(char* text, Plan* plan);

}  // namespace warpscope::agent
