#include "agent/counters/pc_context.h"

#include <stdlib.h>

namespace warpscope::agent {
namespace {

// A sample of every SM each 2^18 cycles: 1 million a second on 132 SMs at 2 GHz, and still 7 of an SM in a millisecond.
constexpr uint32_t kDefaultPeriod = 18, kLeastPeriod = 5, kMostPeriod = 31;
// CUPTI's own default is 512 MiB on the device, which a full program misses. It has to hold what the samples of its
// worker's sleep (100 ms) take.
constexpr size_t kLeastBuffer = size_t{64} << 20, kMostBuffer = size_t{512} << 20;
constexpr size_t kScratchBytes = size_t{8} << 20;
constexpr uint32_t kRestRows = 5000;

size_t BufferBytes(uint32_t period) {
  size_t bytes = kLeastBuffer;
  for (uint32_t faster = period; faster < kDefaultPeriod && bytes < kMostBuffer; ++faster) bytes *= 2;
  return bytes;
}

}  // namespace

bool PcRows::Init(uint32_t rows, size_t reasons) {
  rows_ = static_cast<perf::PcRow*>(calloc(rows, sizeof(perf::PcRow)));
  stalls_ = static_cast<perf::PcStall*>(calloc(rows * reasons, sizeof(perf::PcStall)));
  if (rows_ == nullptr || stalls_ == nullptr) return false;
  for (uint32_t i = 0; i < rows; ++i) {
    rows_[i].size = sizeof(perf::PcRow);
    rows_[i].stalls = stalls_ + i * reasons;
  }
  data = {};
  data.size = sizeof(perf::PcData);
  data.most_rows = rows;
  data.data = rows_;
  return true;
}

void PcRows::Free() {
  free(rows_);
  free(stalls_);
  rows_ = nullptr;
  stalls_ = nullptr;
  data = {};
}

int PcContext::ReadReasons() {
  size_t count = 0;
  auto asked = perf::Sized<perf::PcStallCount>();
  asked.context = handle_;
  asked.count = &count;
  if (const int answer = functions_->PcStallCount(&asked); answer != perf::kOk) return answer;
  if (count == 0 || count > PcRows::kMostReasons) return perf::kNotSupported;
  char* names[PcRows::kMostReasons];
  for (size_t i = 0; i < count; ++i) names[i] = names_[i];
  auto named = perf::Sized<perf::PcStallNames>();
  named.context = handle_;
  named.count = count;
  named.indexes = reasons_;
  named.names = names;
  const int answer = functions_->PcStallNames(&named);
  for (size_t i = 0; i < count; ++i) names_[i][perf::kStallNameBytes - 1] = '\0';
  reason_count_ = answer == perf::kOk ? count : 0;
  return answer;
}

int PcContext::Configure() {
  perf::PcConfiguration wanted[6] = {};
  wanted[0].attribute = perf::kPcMode;
  wanted[0].number = perf::kPcContinuous;
  wanted[1].attribute = perf::kPcPeriod;
  wanted[1].number = period_;
  wanted[2].attribute = perf::kPcStallReasons;  // left to CUPTI, there were no samples
  wanted[2].stalls.count = reason_count_;
  wanted[2].stalls.indexes = reasons_;
  wanted[3].attribute = perf::kPcHardwareBufferBytes;
  wanted[3].bytes = BufferBytes(period_);
  wanted[4].attribute = perf::kPcScratchBytes;
  wanted[4].bytes = kScratchBytes;
  wanted[5].attribute = perf::kPcDataBuffer;
  wanted[5].buffer.data = &rest_.data;
  auto configure = perf::Sized<perf::PcConfigure>();
  configure.context = handle_;
  configure.count = sizeof(wanted) / sizeof(*wanted);
  configure.attributes = wanted;
  return functions_->PcConfigure(&configure);
}

int PcContext::Begin(const perf::ProfilerFunctions* functions, const cupti::Functions& base, void* handle,
                     uint32_t period, const char** step) {
  functions_ = functions;
  handle_ = handle;
  period_ = period == 0 ? kDefaultPeriod : period < kLeastPeriod ? kLeastPeriod : period;
  if (period_ > kMostPeriod) period_ = kMostPeriod;
  if (base.GetDeviceId == nullptr || base.GetDeviceId(handle, &device_) != perf::kOk) device_ = 0;
  auto context = perf::Sized<perf::PcContext>();
  context.context = handle;
  *step = "cuptiPCSamplingEnable";
  if (const int answer = functions->PcEnable(&context); answer != perf::kOk) return answer;
  *step = "cuptiPCSamplingGetStallReasons";
  int answer = ReadReasons();
  if (answer == perf::kOk) {
    *step = "memory";
    if (!rest_.Init(kRestRows, reason_count_)) answer = perf::kOutOfMemory;
  }
  if (answer == perf::kOk) {
    *step = "cuptiPCSamplingSetConfigurationAttribute";
    answer = Configure();
  }
  if (answer != perf::kOk) End();
  return answer;
}

int PcContext::Read(PcRows* rows) {
  rows->data.rows = rows->data.remaining_rows = 0;
  rows->data.samples = rows->data.dropped = rows->data.other_samples = 0;
  rows->data.hardware_buffer_full = 0;
  auto read = perf::Sized<perf::PcGetData>();
  read.context = handle_;
  read.data = &rows->data;
  return functions_->PcGetData(&read);
}

void PcContext::End() {
  auto context = perf::Sized<perf::PcContext>();
  context.context = handle_;
  functions_->PcDisable(&context);
}

void PcContext::Free() {
  rest_.Free();
  handle_ = nullptr;
}

const char* PcContext::ReasonName(uint32_t index) const {
  for (size_t i = 0; i < reason_count_; ++i) {
    if (reasons_[i] == index) return names_[i];
  }
  return nullptr;
}

}  // namespace warpscope::agent
