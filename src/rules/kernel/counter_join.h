// What counters of a report say about kernels of a timeline: each cause of src/rules/measurements/kernel/ is a rule of
// the same id. Kernels join by name and launch geometry. [MT] Pure functions.
#pragma once

#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rules/context.h"
#include "rules/measurements/kernel/judge.h"
#include "rules/rule.h"

namespace warpscope::rules {

struct MeasuredKernels {
  std::vector<JudgedKernel> kernels;               // most measured time first
  std::vector<std::vector<uint32_t>> rows;         // of gpu in the window, by kernel; empty: it did not run there
  std::unordered_map<uint32_t, size_t> kernel_of;  // by row of gpu
  MissingMetrics missing;
};

// REQUIRES: the trace has kernel_profiles; the context's rows are known.
std::shared_ptr<const MeasuredKernels> MeasureKernels(const Context& context);

// Whether counters of that very kernel could tell the cause: then they speak, and a guess from launch data does not.
bool CountersJudge(const Context& context, uint32_t gpu_row, std::string_view cause_id);

// The findings of a cause, one a kernel that matters: its share of the step, what the counters say, and the step
// without it, by replay with the kernel made as fast as they allow. Clean without a report; abstains if no profiled
// kernel ran in the window, or the cause misses metrics.
Outcome EvaluateCounters(const Context& context, std::string_view cause_id);
// The same for a rule that also guesses from launch data: `guessed` leaves out rows for which CountersJudge() holds.
Outcome WithCounters(const Context& context, std::string_view cause_id, Outcome guessed);

}  // namespace warpscope::rules
