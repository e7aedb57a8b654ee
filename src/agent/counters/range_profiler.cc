#include "agent/counters/range_profiler.h"

#include <stdlib.h>
#include <string.h>

namespace warpscope::agent {

using perf::Sized;

int RangeProfiler::Enable() {
  auto params = Sized<perf::RangeEnable>();
  params.context = context_;
  const int answer = functions_->RangeEnable(&params);
  if (answer != perf::kOk) return Fail("cuptiRangeProfilerEnable", answer);
  profiler_ = params.profiler;
  return answer;
}

void RangeProfiler::Close() {
  if (profiler_ == nullptr) return;
  auto params = Sized<perf::RangeObject>();
  params.profiler = profiler_;
  functions_->RangeDisable(&params);
  profiler_ = nullptr;
}

int RangeProfiler::MakeImage() {
  auto size = Sized<perf::RangeImageSize>();
  size.profiler = profiler_, size.names = choice_.names, size.count = choice_.count;
  size.most_ranges = size.most_nodes = 1;
  if (const int answer = functions_->RangeImageSize(&size); answer != perf::kOk)
    return Fail("cuptiRangeProfilerGetCounterDataSize", answer);
  image_bytes_ = size.bytes;
  free(image_);
  free(values_);
  image_ = static_cast<uint8_t*>(malloc(image_bytes_));
  values_ = static_cast<double*>(malloc(sizeof(double) * choice_.count));
  return image_ == nullptr || values_ == nullptr ? Fail("malloc", perf::kOutOfMemory) : perf::kOk;
}

int RangeProfiler::Prepare(const Measuring& how) {
  auto image = Sized<perf::ImageInitialize>();
  image.profiler = profiler_, image.bytes = image_bytes_, image.image = image_;
  if (const int answer = functions_->RangeImageInitialize(&image); answer != perf::kOk)
    return Fail("cuptiRangeProfilerCounterDataImageInitialize", answer);
  if (how.saved != nullptr) memcpy(image_, how.saved, image_bytes_);
  auto config = Sized<perf::RangeSetConfig>();
  config.profiler = profiler_;
  config.config_bytes = host_.config_bytes(), config.config = host_.config();
  config.image_bytes = image_bytes_, config.image = image_;
  config.range = how.range, config.replay = how.replay, config.pass = how.pass;
  config.most_ranges = 1;
  config.nesting_levels = config.first_nesting_level = config.target_nesting_level = 1;
  const int answer = functions_->RangeSetConfig(&config);
  return answer == perf::kOk ? answer : Fail("cuptiRangeProfilerSetConfig", answer);
}

int RangeProfiler::Open(const perf::ProfilerFunctions* functions, void* context, const char* chip,
                        const char* const* metrics, size_t count) {
  functions_ = functions, context_ = context;
  if (const int answer = host_.Open(functions, perf::kRangeProfiler, chip, nullptr); answer != perf::kOk)
    return Fail("cuptiProfilerHostInitialize", answer);
  if (const int answer = choice_.Choose(&host_, metrics, count); answer != perf::kOk)
    return Fail("cuptiProfilerHostConfigAddMetrics", answer);
  if (const int answer = Enable(); answer != perf::kOk) return answer;
  int answer = MakeImage();
  if (answer == perf::kOk) answer = Prepare({});
  // What the host library takes the device may still refuse: metrics that count by patched code.
  if (answer != perf::kOk && answer != perf::kOutOfMemory && choice_.DropPatched() && choice_.count > 0) {
    answer = choice_.Configure(&host_);
    if (answer == perf::kOk) answer = MakeImage();
    if (answer == perf::kOk) answer = Prepare({});
  }
  if (answer != perf::kOk) Close();
  return answer;
}

int RangeProfiler::Begin() { return Start({}); }
int RangeProfiler::BeginPass(uint32_t pass, const uint8_t* saved, perf::ProfilerRange range) {
  return Start({perf::kApplicationReplay, range, pass, saved});
}

int RangeProfiler::Start(const Measuring& how) {
  int answer = Prepare(how);
  if (answer != perf::kOk) {  // a configuration may not be taken twice
    Close();
    answer = Enable();
    if (answer == perf::kOk) answer = Prepare(how);
  }
  if (answer != perf::kOk) return answer;
  auto params = Sized<perf::RangeObject>();
  params.profiler = profiler_;
  answer = functions_->RangeStart(&params);
  if (answer != perf::kOk) return Fail("cuptiRangeProfilerStart", answer);
  if (how.range != perf::kUserRange) return answer;
  auto push = Sized<perf::RangePush>();
  push.profiler = profiler_, push.name = "graph";
  answer = functions_->RangePush(&push);
  in_range_ = answer == perf::kOk;
  if (in_range_) return answer;
  End();
  return Fail("cuptiRangeProfilerPushRange", answer);
}

int RangeProfiler::End() {
  if (in_range_) {
    in_range_ = false;
    auto pop = Sized<perf::RangeObject>();
    pop.profiler = profiler_;
    functions_->RangePop(&pop);  // what it refuses, the decoding refuses as well
  }
  auto stop = Sized<perf::RangeStop>();
  stop.profiler = profiler_;
  if (const int answer = functions_->RangeStop(&stop); answer != perf::kOk)
    return Fail("cuptiRangeProfilerStop", answer);
  auto decode = Sized<perf::RangeDecode>();
  decode.profiler = profiler_;
  const int answer = functions_->RangeDecode(&decode);
  return answer == perf::kOk ? answer : Fail("cuptiRangeProfilerDecodeData", answer);
}

int RangeProfiler::Evaluate() {
  auto info = Sized<perf::RangeImageInfo>();
  info.image = image_, info.bytes = image_bytes_;
  if (const int answer = functions_->RangeImageInfo(&info); answer != perf::kOk)
    return Fail("cuptiRangeProfilerGetCounterDataInfo", answer);
  if (info.ranges == 0) return Fail("cuptiRangeProfilerDecodeData", perf::kNotSupported);
  int answer = host_.Evaluate(image_, image_bytes_, 0, choice_.names, choice_.count, values_);
  if (answer == perf::kOk) return answer;
  // One metric without a value must not cost the others theirs.
  bool any = false;
  for (size_t i = 0; i < choice_.count; ++i)
    any = host_.Evaluate(image_, image_bytes_, 0, &choice_.names[i], 1, &values_[i]) == perf::kOk || any;
  return any ? perf::kOk : Fail("cuptiProfilerHostEvaluateToGpuValues", answer);
}

}  // namespace warpscope::agent
