// PcContext: PC sampling of one CUDA context, in CUPTI's continuous mode. [MT] Begin() in the thread that made the
// context, Read() in the writer, End() in either; PcSampler sees to it that they do not meet.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/counters/perf.h"
#include "agent/cupti_abi.h"

namespace warpscope::agent {

// Rows of one reading, with room for every stall reason of each.
class PcRows {
 public:
  static constexpr uint32_t kMostReasons = 64;

  bool Init(uint32_t rows, size_t reasons);
  void Free();
  perf::PcData data = {};

 private:
  perf::PcRow* rows_ = nullptr;
  perf::PcStall* stalls_ = nullptr;
};

class PcContext {
 public:
  // Answers with a cuptiResult; `step` names the call that gave it. `period` 0: our default.
  int Begin(const perf::ProfilerFunctions* functions, const cupti::Functions& base, void* handle, uint32_t period,
            const char** step);
  // One reading into `rows`; what CUPTI answered.
  int Read(PcRows* rows);
  // Ends sampling; what is left lies in rest() then.
  void End();
  PcRows& rest() { return rest_; }
  void Free();

  void* handle() const { return handle_; }
  uint32_t device() const { return device_; }
  uint32_t period() const { return period_; }
  size_t reasons() const { return reason_count_; }
  // CUPTI's name of a reason's number; null: unknown.
  const char* ReasonName(uint32_t index) const;

 private:
  int ReadReasons();
  int Configure();

  const perf::ProfilerFunctions* functions_ = nullptr;
  void* handle_ = nullptr;
  uint32_t device_ = 0, period_ = 0;
  size_t reason_count_ = 0;
  uint32_t reasons_[PcRows::kMostReasons] = {};
  char names_[PcRows::kMostReasons][perf::kStallNameBytes] = {};
  PcRows rest_;
};

}  // namespace warpscope::agent
