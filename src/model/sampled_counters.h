// Sampled counters: hardware counters of a device that were read in short windows beside the timeline, on its clock.
// Tables of Trace. A window has one set of metrics and its samples in order of time; samples of a window do not
// overlap. [MT] Values.
#pragma once

#include <cstdint>

#include "model/string_pool.h"

namespace warpscope::model {

// Names and units as the recorder's library writes them.
struct SampledMetric {
  StringId name = kNoString;
  StringId unit = kNoString;  // kNoString: a plain number
};

struct CounterWindow {
  uint32_t process = UINT32_MAX;     // row of processes: who sampled; the device may have served others too
  uint32_t device = UINT32_MAX;      // row of devices
  int64_t start_ns = 0, dur_ns = 0;  // as the recorder told; without its word, from the first to the last sample
  int64_t interval_ns = 0;           // between samples; 0: unknown
  bool overflow = false;             // the hardware lost samples
  bool behind = false;               // samples were thrown away, since reading them fell behind
  uint32_t metric_begin = 0, metric_end = 0;  // rows of Trace::sampled_metrics
  uint32_t sample_begin = 0, sample_end = 0;  // rows of Trace::device_samples
};

// The mean over [start_ns, start_ns + dur_ns) of each metric of its window.
struct DeviceSample {
  int64_t start_ns = 0, dur_ns = 0;  // dur_ns > 0
  uint64_t value_begin = 0;          // row of Trace::sampled_values, one a metric; NaN: none
};

}  // namespace warpscope::model
