// MetricHost: CUPTI's knowledge of a chip's metrics: which there are, how many passes a set takes, and their values
// from a counter image. Needs libcupti (12.6 or later) with libnvperf_host beside it, and no device. C library only,
// since the agent uses it. [one thread] The object; memory is malloc'ed and given back by Close().
#pragma once

#include <cstddef>
#include <cstdint>

#include "cupti/profiler_abi.h"

namespace warpscope::cupti {

class MetricHost {
 public:
  MetricHost() = default;
  ~MetricHost() { Close(); }
  MetricHost(const MetricHost&) = delete;
  MetricHost& operator=(const MetricHost&) = delete;

  // `chip`: "GH100", as cuptiDeviceGetChipName tells it. `availability`: what a device has (null: all of the chip).
  // Answers with a cuptiResult. REQUIRES: what the pointers lead to outlives the object.
  int Open(const ProfilerFunctions* functions, ProfilerType type, const char* chip, const uint8_t* availability);
  int OpenLike(const MetricHost& other) {
    return Open(other.functions_, other.type_, other.chip_, other.availability_);
  }
  void Close();
  bool is_open() const { return host_ != nullptr; }

  // Makes the configuration of this set, in place of the one before. Answers with a cuptiResult; a name that the chip
  // does not know fails the whole set: ask Knows() first.
  int Configure(const char* const* names, size_t count);
  const uint8_t* config() const { return config_; }
  size_t config_bytes() const { return config_bytes_; }
  size_t passes() const { return passes_; }  // of the configured set

  bool Knows(const char* name) const;
  // Values of `count` metrics of the configured set in range (or sample) `range` of an image; NaN where there is none.
  int Evaluate(const uint8_t* image, size_t image_bytes, size_t range, const char* const* names, size_t count,
               double* values) const;

  struct Properties {
    const char* description = "";
    const char* hardware_unit = "";
    const char* unit = "";  // dimension, "" for a plain number
    MetricType type = kCounterMetric;
  };
  bool Describe(const char* name, Properties* properties) const;

 private:
  // A host object adds to its configuration and cannot start again: each set gets a new one.
  int Reopen();

  const ProfilerFunctions* functions_ = nullptr;
  ProfilerType type_ = kRangeProfiler;
  const char* chip_ = nullptr;
  const uint8_t* availability_ = nullptr;
  void* host_ = nullptr;
  bool configured_ = false;
  uint8_t* config_ = nullptr;
  size_t config_bytes_ = 0, passes_ = 0;
};

}  // namespace warpscope::cupti
