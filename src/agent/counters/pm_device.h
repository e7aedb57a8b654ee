// PmDevice: PM sampling of one device (CUPTI's cuptiPmSampling*): its sets of metrics, windows, and the decoding of
// what the hardware wrote. CUPTI decodes all that the hardware wrote at once and keeps what the image has room for, so
// the image is made for a whole window; it is evaluated a piece at a time. [one thread] the sampler's. Memory is
// malloc'ed and bounded: one image, one array of values.
#pragma once

#include <cstdint>

#include "agent/counters/perf.h"
#include "agent/counters/pm_sets.h"
#include "agent/encoder.h"
#include "cupti/metric_host.h"
#include "cupti/profiler_abi.h"

namespace warpscope::agent {

class PmDevice {
 public:
  static constexpr uint32_t kPieceSamples = 256;

  // What a call cost at its worst, for the remarks of the stream.
  struct Costs {
    int64_t enable_ns = 0, config_ns = 0, start_ns = 0, stop_ns = 0, decode_ns = 0, evaluate_ns = 0;
    uint64_t image_bytes = 0, buffer_bytes = 0;
    uint64_t not_evaluated = 0;  // samples, and CUPTI's last answer
    int evaluate_answer = 0;
  };

  // A cuptiResult; with `*call` the function that gave it. `go_on`: as of PmSets::Build().
  int Open(const perf::ProfilerFunctions* functions, uint32_t device, const Plan& plan, bool (*go_on)(),
           const char** call);
  void Close();
  bool is_open() const { return sampler_ != nullptr; }
  uint32_t device() const { return device_; }
  const PmSets& sets() const { return sets_; }
  const char* chip() const { return chip_; }

  // Begins to sample. `*most_samples`: how many the window may have, of those `wanted`: what Decode() has room for.
  int Start(uint32_t set, int64_t interval_ns, uint32_t wanted, uint32_t* most_samples, const char** call);
  int Stop();

  // After Stop(), once: makes the samples of the window ready to be taken. `*full`: CUPTI says that the image is.
  int Decode(bool* overflow, bool* full);
  // The next samples, at most kPieceSamples; values lie metric by metric. False: there are no more.
  struct Piece {
    Encoder::CounterTime times[kPieceSamples];
    uint32_t count = 0;
    const float* values = nullptr;
  };
  bool Take(Piece* piece);

  const Costs& costs() const { return costs_; }

 private:
  static constexpr uint32_t kNoSet = UINT32_MAX;

  int Enable(const char** call);
  void Disable();
  int Configure(uint32_t set, int64_t interval_ns, uint32_t most_samples, const char** call);
  int TryStart(uint32_t set, int64_t interval_ns, uint32_t wanted, uint32_t* most_samples, const char** call);
  uint32_t Room(uint32_t wanted, uint64_t* bytes) const;
  bool MakeImage(uint32_t wanted);

  const perf::ProfilerFunctions* functions_ = nullptr;
  uint32_t device_ = 0;
  char chip_[32] = {};
  uint8_t* availability_ = nullptr;
  perf::MetricHost host_;
  PmSets sets_;
  void* sampler_ = nullptr;
  uint32_t set_ = kNoSet;  // configured
  int64_t interval_ns_ = 0;
  uint64_t buffer_bytes_ = 0;
  bool grow_ = false;  // the buffer was too small
  perf::PmTrigger trigger_ = perf::kTimeInterval;
  uint8_t* image_ = nullptr;
  uint64_t image_bytes_ = 0;
  uint32_t image_set_ = kNoSet, image_samples_ = 0, image_wanted_ = 0;
  uint32_t next_ = 0, completed_ = 0;  // samples in the image: to take next, all
  float* values_ = nullptr;
  Costs costs_;
};

}  // namespace warpscope::agent
