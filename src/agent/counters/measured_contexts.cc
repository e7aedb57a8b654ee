#include "agent/counters/measured_contexts.h"

#include <stdio.h>
#include <stdlib.h>

#include <new>

#include "agent/counters/refusal.h"

namespace warpscope::agent {

int MeasuredContexts::Open(MeasuredContext* measured, const char** call) {
  if (!initialized_) {
    auto params = perf::Sized<perf::Params>();
    const int answer = functions_->Initialize(&params);
    *call = "cuptiProfilerInitialize";
    if (answer != perf::kOk) return answer;
    initialized_ = true;
  }
  auto chip = perf::Sized<perf::DeviceChipName>();
  chip.device = measured->device;
  const int answer = functions_->ChipName(&chip);
  *call = "cuptiDeviceGetChipName";
  if (answer != perf::kOk) return answer;
  snprintf(measured->chip, sizeof(measured->chip), "%s", chip.chip == nullptr ? "" : chip.chip);
  const int opened =
      measured->profiler.Open(functions_, measured->context, measured->chip, plan_->metrics, plan_->metric_count);
  *call = measured->profiler.failed_call();
  return opened;
}

MeasuredContext* MeasuredContexts::Of(void* context, char* reason, size_t size) {
  for (uint32_t i = 0; i < count_; ++i) {
    if (contexts_[i]->context == context) return contexts_[i];
  }
  if (count_ == kMost) {
    snprintf(reason, size, "only %u contexts of a process are measured", kMost);
    return nullptr;
  }
  void* const memory = malloc(sizeof(MeasuredContext));
  if (memory == nullptr) {
    snprintf(reason, size, "no memory for the profiler of a context");
    return nullptr;
  }
  auto* const measured = new (memory) MeasuredContext;
  measured->context = context;
  if (cupti_->GetDeviceId == nullptr || cupti_->GetDeviceId(context, &measured->device) != cupti::kSuccess)
    measured->device = 0;
  const char* call = "";
  if (const int answer = Open(measured, &call); answer != perf::kOk) {
    ExplainRefusal("no counters are measured", call, answer, reason, size);
    measured->~MeasuredContext();
    free(memory);
    return nullptr;
  }
  contexts_[count_++] = measured;
  return measured;
}

void MeasuredContexts::Close() {
  for (uint32_t i = 0; i < count_; ++i) contexts_[i]->profiler.Close();
}

}  // namespace warpscope::agent
