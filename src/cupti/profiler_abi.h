// CUPTI's profiling interfaces as they lie in memory: host (metrics, evaluation), range profiler, PM sampling, PC
// sampling. Declared here because the headers are no part of what we may require; profiler_abi_test.cc compares them
// with CUPTI's own where those are installed (12.6 and later have all four). Every call takes one structure that begins
// with its size. [signal-safe] Plain structs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpscope::cupti {

// cuptiResult values that callers tell apart; more in agent/cupti_abi.h.
constexpr int kOk = 0;
constexpr int kOutOfMemory = 8, kNotCompatible = 14, kNotSupported = 27, kVirtualDeviceNotSupported = 33;
constexpr int kInsufficientPrivileges = 35, kVirtualInsufficientPrivileges = 40, kConfidentialNotSupported = 41;
constexpr int kCmpNotSupported = 42, kMigNotSupported = 43, kSliNotSupported = 44, kWslNotSupported = 45;

enum ProfilerType : uint32_t { kRangeProfiler = 0, kPmSampling = 1 };
enum MetricType : uint32_t { kCounterMetric = 0, kRatioMetric = 1, kThroughputMetric = 2 };
enum ProfilerRange : uint32_t { kAutoRange = 1, kUserRange = 2 };
enum ReplayMode : uint32_t { kApplicationReplay = 1, kKernelReplay = 2, kUserReplay = 3 };

struct Params {
  size_t size;
  void* reserved;
};

// ---- Device.
struct DeviceSupported {  // CUpti_Profiler_DeviceSupported_Params
  size_t size;
  void* reserved;
  int32_t device;
  uint32_t supported, architecture, sli, virtual_gpu, confidential_compute, cmp, wsl;  // SupportLevel
  ProfilerType api;
};
enum SupportLevel : uint32_t { kSupportUnknown = 0, kUnsupported = 1, kDisabled = 2, kSupported = 3 };
struct DeviceChipName {  // CUpti_Device_GetChipName_Params
  size_t size;
  void* reserved;
  size_t device;
  const char* chip;
};

// ---- Host: runs without a device.
struct HostInitialize {
  size_t size;
  void* reserved;
  ProfilerType type;
  const char* chip;
  const uint8_t* availability;  // null: everything the chip has
  void* host;                   // out
};
struct HostObject {  // cuptiProfilerHostDeinitialize
  size_t size;
  void* reserved;
  void* host;
};
struct HostChips {
  size_t size;
  void* reserved;
  size_t count;
  const char* const* chips;
};
struct HostBaseMetrics {
  size_t size;
  void* reserved;
  void* host;
  MetricType type;
  const char** names;
  size_t count;
};
struct HostSubMetrics {
  size_t size;
  void* reserved;
  void* host;
  MetricType type;
  const char* name;
  size_t count;
  const char** submetrics;
};
struct HostMetricProperties {
  size_t size;
  void* reserved;
  void* host;
  const char* name;
  const char* description;
  const char* hardware_unit;
  const char* unit;
  MetricType type;
};
struct HostEvaluate {  // cuptiProfilerHostEvaluateToGpuValues
  size_t size;
  void* reserved;
  void* host;
  const uint8_t* image;
  size_t image_bytes;
  size_t range;  // or sample
  const char** names;
  size_t count;
  double* values;
};
struct HostAddMetrics {
  size_t size;
  void* reserved;
  void* host;
  const char** names;
  size_t count;
};
struct HostConfigSize {
  size_t size;
  void* reserved;
  void* host;
  size_t bytes;
};
struct HostConfig {
  size_t size;
  void* reserved;
  void* host;
  size_t bytes;
  uint8_t* config;
};
struct HostPasses {
  size_t size;
  void* reserved;
  size_t bytes;
  uint8_t* config;
  size_t passes;
};

// ---- Range profiler: one object a context.
struct RangeObject {  // Start, Disable, PopRange
  size_t size;
  void* reserved;
  void* profiler;
};
struct RangeEnable {
  size_t size;
  void* reserved;
  void* context;
  void* profiler;  // out
};
struct RangeSetConfig {
  size_t size;
  void* reserved;
  void* profiler;
  size_t config_bytes;
  const uint8_t* config;
  size_t image_bytes;
  uint8_t* image;
  ProfilerRange range;
  ReplayMode replay;
  size_t most_ranges;
  uint16_t nesting_levels, first_nesting_level;
  size_t pass;
  uint16_t target_nesting_level;
};
struct RangeStop {
  size_t size;
  void* reserved;
  void* profiler;
  size_t pass, nesting_level;
  uint8_t all_passes_submitted;
};
struct RangePush {
  size_t size;
  void* reserved;
  void* profiler;
  const char* name;
};
struct RangeDecode {
  size_t size;
  void* reserved;
  void* profiler;
  size_t dropped;
};
struct RangeImageSize {  // cuptiRangeProfilerGetCounterDataSize
  size_t size;
  void* reserved;
  void* profiler;
  const char** names;
  size_t count;
  size_t most_ranges;
  uint32_t most_nodes;
  size_t bytes;
};
struct ImageInitialize {  // of range profiler and PM sampling
  size_t size;
  void* reserved;
  void* profiler;
  size_t bytes;
  uint8_t* image;
};
struct RangeImageInfo {
  size_t size;
  void* reserved;
  const uint8_t* image;
  size_t bytes;
  size_t ranges;
};
struct RangeInfo {  // cuptiRangeProfilerCounterDataGetRangeInfo
  size_t size;
  void* reserved;
  const uint8_t* image;
  size_t bytes;
  size_t range;
  const char* delimiter;
  const char* name;
};

// ---- PM sampling: one object a device.
struct PmEnable {
  size_t size;
  void* reserved;
  size_t device;
  void* sampler;  // out
};
struct PmObject {  // Start, Stop, Disable
  size_t size;
  void* reserved;
  void* sampler;
};
enum PmTrigger : uint32_t { kSystemClockInterval = 0, kTimeInterval = 1 };
enum PmAppend : uint32_t { kKeepOldest = 0, kKeepLatest = 1 };
struct PmSetConfig {
  size_t size;
  void* reserved;
  void* sampler;
  size_t config_bytes;
  const uint8_t* config;
  size_t hardware_buffer_bytes;
  uint64_t interval;  // ns with kTimeInterval
  PmTrigger trigger;
  PmAppend append;
};
enum PmStop : uint32_t { kStoppedOther = 0, kStoppedImageFull = 1, kStoppedEndOfRecords = 2 };
struct PmDecode {
  size_t size;
  void* reserved;
  void* sampler;
  uint8_t* image;
  size_t bytes;
  PmStop stop;
  uint8_t overflow;
};
struct PmAvailability {
  size_t size;
  void* reserved;
  size_t device;
  size_t bytes;
  uint8_t* image;
};
struct PmImageSize {
  size_t size;
  void* reserved;
  void* sampler;
  const char** names;
  size_t count;
  uint32_t most_samples;
  size_t bytes;
};
struct PmImageInfo {
  size_t size;
  void* reserved;
  const uint8_t* image;
  size_t bytes;
  size_t total, populated, completed;
};
struct PmSampleInfo {
  size_t size;
  void* reserved;
  void* sampler;
  const uint8_t* image;
  size_t bytes;
  size_t sample;
  uint64_t start, end;  // ns, on the clock of activity records
};

// ---- PC sampling: packed to 8 bytes, as CUPTI declares the ones that are.
struct PcStall {  // CUpti_PCSamplingStallReason
  uint32_t reason, samples;
} __attribute__((packed, aligned(8)));
struct PcRow {  // CUpti_PCSamplingPCData
  size_t size;
  uint64_t cubin_crc, offset;
  uint32_t function_index, pad;
  char* function;
  size_t stall_count;
  PcStall* stalls;
  uint32_t correlation_id;
} __attribute__((packed, aligned(8)));
struct PcData {  // CUpti_PCSamplingData
  size_t size;
  size_t most_rows;
  uint64_t samples, dropped;
  size_t rows, remaining_rows;
  uint64_t range_id;
  PcRow* data;
  uint64_t other_samples;  // of kernels that are not the program's
  uint8_t hardware_buffer_full;
} __attribute__((packed, aligned(8)));
struct PcContext {  // Enable, Disable, Start, Stop
  size_t size;
  void* reserved;
  void* context;
};
struct PcGetData {
  size_t size;
  void* reserved;
  void* context;
  void* data;
};
struct PcStallCount {
  size_t size;
  void* reserved;
  void* context;
  size_t* count;
};
constexpr size_t kStallNameBytes = 128;  // CUPTI_STALL_REASON_STRING_SIZE
struct PcStallNames {
  size_t size;
  void* reserved;
  void* context;
  size_t count;
  uint32_t* indexes;
  char** names;
};
enum PcAttribute : uint32_t {
  kPcPeriod = 1,  // exponent: every 2^n cycles, 5 to 31
  kPcStallReasons = 2,
  kPcScratchBytes = 3,
  kPcHardwareBufferBytes = 4,
  kPcMode = 5,
  kPcStartStop = 6,
  kPcOutputFormat = 7,
  kPcDataBuffer = 8,
  kPcWorkerSleep = 9,
};
constexpr uint32_t kPcContinuous = 1, kPcSerialized = 2, kPcParsed = 1;
struct PcConfiguration {  // CUpti_PCSamplingConfigurationInfo: a tag, an answer, and three words of union
  uint32_t attribute;
  int32_t status;
  union {
    uint64_t words[3];
    uint32_t number;  // of most attributes
    size_t bytes;
    struct {
      size_t count;
      uint32_t* indexes;
    } stalls;
    struct {
      void* data;
    } buffer;
  };
};
struct PcConfigure {
  size_t size;
  void* reserved;
  void* context;
  size_t count;
  PcConfiguration* attributes;
};
struct SourceLine {  // CUpti_GetSassToSourceCorrelationParams; the names are malloc'ed for the caller
  size_t size;
  const void* cubin;
  const char* function;
  size_t cubin_bytes;
  uint32_t line;
  uint64_t offset;
  char* file;
  char* folder;
};
struct CubinCrc {
  size_t size;
  size_t cubin_bytes;
  const void* cubin;
  uint64_t crc;
};

// CUPTI counts a structure up to its last field, without the padding after it.
template <typename T>
constexpr size_t SizeOf() {
  return sizeof(T);
}
template <>
constexpr size_t SizeOf<DeviceSupported>() {
  return offsetof(DeviceSupported, api) + sizeof(ProfilerType);
}
template <>
constexpr size_t SizeOf<HostMetricProperties>() {
  return offsetof(HostMetricProperties, type) + sizeof(MetricType);
}
template <>
constexpr size_t SizeOf<RangeSetConfig>() {
  return offsetof(RangeSetConfig, target_nesting_level) + sizeof(uint16_t);
}
template <>
constexpr size_t SizeOf<RangeStop>() {
  return offsetof(RangeStop, all_passes_submitted) + sizeof(uint8_t);
}
template <>
constexpr size_t SizeOf<PmDecode>() {
  return offsetof(PmDecode, overflow) + sizeof(uint8_t);
}
// All zero but the size.
template <typename T>
T Sized() {
  T params = {};
  params.size = SizeOf<T>();
  return params;
}

// What is looked up: X(member, symbol after "cupti").
#define WS_CUPTI_PROFILER_FUNCTIONS(X)                             \
  X(Initialize, ProfilerInitialize)                                \
  X(DeInitialize, ProfilerDeInitialize)                            \
  X(DeviceSupported, ProfilerDeviceSupported)                      \
  X(ChipName, DeviceGetChipName)                                   \
  X(HostInitialize, ProfilerHostInitialize)                        \
  X(HostDeinitialize, ProfilerHostDeinitialize)                    \
  X(HostChips, ProfilerHostGetSupportedChips)                      \
  X(HostBaseMetrics, ProfilerHostGetBaseMetrics)                   \
  X(HostSubMetrics, ProfilerHostGetSubMetrics)                     \
  X(HostMetricProperties, ProfilerHostGetMetricProperties)         \
  X(HostEvaluate, ProfilerHostEvaluateToGpuValues)                 \
  X(HostAddMetrics, ProfilerHostConfigAddMetrics)                  \
  X(HostConfigSize, ProfilerHostGetConfigImageSize)                \
  X(HostConfig, ProfilerHostGetConfigImage)                        \
  X(HostPasses, ProfilerHostGetNumOfPasses)                        \
  X(RangeEnable, RangeProfilerEnable)                              \
  X(RangeDisable, RangeProfilerDisable)                            \
  X(RangeSetConfig, RangeProfilerSetConfig)                        \
  X(RangeStart, RangeProfilerStart)                                \
  X(RangeStop, RangeProfilerStop)                                  \
  X(RangePush, RangeProfilerPushRange)                             \
  X(RangePop, RangeProfilerPopRange)                               \
  X(RangeDecode, RangeProfilerDecodeData)                          \
  X(RangeImageSize, RangeProfilerGetCounterDataSize)               \
  X(RangeImageInitialize, RangeProfilerCounterDataImageInitialize) \
  X(RangeImageInfo, RangeProfilerGetCounterDataInfo)               \
  X(RangeInfo, RangeProfilerCounterDataGetRangeInfo)               \
  X(PmEnable, PmSamplingEnable)                                    \
  X(PmDisable, PmSamplingDisable)                                  \
  X(PmSetConfig, PmSamplingSetConfig)                              \
  X(PmStart, PmSamplingStart)                                      \
  X(PmStop, PmSamplingStop)                                        \
  X(PmDecode, PmSamplingDecodeData)                                \
  X(PmAvailability, PmSamplingGetCounterAvailability)              \
  X(PmImageSize, PmSamplingGetCounterDataSize)                     \
  X(PmImageInitialize, PmSamplingCounterDataImageInitialize)       \
  X(PmImageInfo, PmSamplingGetCounterDataInfo)                     \
  X(PmSampleInfo, PmSamplingCounterDataGetSampleInfo)              \
  X(PcEnable, PCSamplingEnable)                                    \
  X(PcDisable, PCSamplingDisable)                                  \
  X(PcStart, PCSamplingStart)                                      \
  X(PcStop, PCSamplingStop)                                        \
  X(PcGetData, PCSamplingGetData)                                  \
  X(PcConfigure, PCSamplingSetConfigurationAttribute)              \
  X(PcStallCount, PCSamplingGetNumStallReasons)                    \
  X(PcStallNames, PCSamplingGetStallReasons)                       \
  X(SourceLine, GetSassToSourceCorrelation)                        \
  X(CubinCrc, GetCubinCrc)

// Null: this CUPTI does not have it. Each takes a pointer to its structure.
struct ProfilerFunctions {
#define X(member, symbol) int (*member)(void*) = nullptr;
  WS_CUPTI_PROFILER_FUNCTIONS(X)
#undef X
};

// Looks them up in a loaded libcupti (a handle of dlopen). False: one that hosts need is missing (before 12.6).
bool FindProfilerFunctions(void* cupti, ProfilerFunctions* functions);

}  // namespace warpscope::cupti
