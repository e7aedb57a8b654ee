// RangeProfiler: CUPTI's range profiler of one context: one launch at a time is measured, replayed by CUPTI as often as
// the metrics take passes. [one thread] at a time; memory is malloc'ed once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/counters/metric_choice.h"
#include "agent/counters/perf.h"
#include "cupti/metric_host.h"

namespace warpscope::agent {

class RangeProfiler {
 public:
  // Chooses among the metrics and switches the profiler on in the context. Answers with a cuptiResult; failed_call()
  // says whose. REQUIRES: `chip` and the names outlive the object.
  int Open(const perf::ProfilerFunctions* functions, void* context, const char* chip, const char* const* metrics,
           size_t count);
  bool is_open() const { return profiler_ != nullptr; }
  void Close();

  // Around one launch; CUPTI replays it as often as it needs. All answer with a cuptiResult.
  int Begin();
  // The same for one pass of an application replay: the image is that of the passes before (null: there are none), and
  // is taken away for the next run. `range`: kUserRange measures all that runs until End() as one, a graph's nodes.
  int BeginPass(uint32_t pass, const uint8_t* saved, perf::ProfilerRange range);
  // REQUIRES: of a kUserRange, the device has ended the work.
  int End();
  const uint8_t* image() const { return image_; }
  size_t image_bytes() const { return image_bytes_; }
  // After End(), of the last pass: values().
  int Evaluate();

  const MetricChoice& choice() const { return choice_; }
  uint32_t passes() const { return static_cast<uint32_t>(host_.passes()); }
  const double* values() const { return values_; }
  const char* failed_call() const { return failed_call_; }

 private:
  int Enable();
  // An image and the configuration, before each launch.
  struct Measuring {
    perf::ReplayMode replay = perf::kKernelReplay;
    perf::ProfilerRange range = perf::kAutoRange;
    uint32_t pass = 0;
    const uint8_t* saved = nullptr;
  };
  int Prepare(const Measuring& how);
  int Start(const Measuring& how);
  int MakeImage();
  int Fail(const char* call, int answer) {
    failed_call_ = call;
    return answer;
  }

  const perf::ProfilerFunctions* functions_ = nullptr;
  void* context_ = nullptr;
  void* profiler_ = nullptr;
  perf::MetricHost host_;
  MetricChoice choice_;
  uint8_t* image_ = nullptr;
  size_t image_bytes_ = 0;
  double* values_ = nullptr;
  bool in_range_ = false;  // a range of ours is open
  const char* failed_call_ = "";
};

}  // namespace warpscope::agent
