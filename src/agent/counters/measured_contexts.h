// MeasuredContexts: the contexts whose launches are measured, each with its device and its profiler, made when the
// first launch of it is measured. [one thread] at a time. Memory is malloc'ed once a context and kept.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/counters/plan.h"
#include "agent/counters/range_profiler.h"
#include "agent/cupti_abi.h"

namespace warpscope::agent {

struct MeasuredContext {
  void* context = nullptr;
  uint32_t device = 0;  // as CUPTI numbers it
  char chip[32] = {};
  RangeProfiler profiler;
};

class MeasuredContexts {
 public:
  void Init(const perf::ProfilerFunctions* functions, const cupti::Functions* cupti, const Plan* plan) {
    functions_ = functions, cupti_ = cupti, plan_ = plan;
  }
  // Null: it cannot be measured; `reason` says why.
  MeasuredContext* Of(void* context, char* reason, size_t size);
  bool empty() const { return count_ == 0; }
  void Close();  // switches all profilers off

 private:
  int Open(MeasuredContext* measured, const char** call);

  static constexpr uint32_t kMost = 16;
  const perf::ProfilerFunctions* functions_ = nullptr;
  const cupti::Functions* cupti_ = nullptr;
  const Plan* plan_ = nullptr;
  bool initialized_ = false;  // CUPTI's profiler, once a process
  MeasuredContext* contexts_[kMost] = {};
  uint32_t count_ = 0;
};

}  // namespace warpscope::agent
