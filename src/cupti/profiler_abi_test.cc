// Our declarations against CUPTI's own headers, where they are installed.
#include "cupti/profiler_abi.h"

#include <gtest/gtest.h>

#if __has_include(<cupti_pmsampling.h>) && __has_include(<cupti_range_profiler.h>)
#include <cupti_pcsampling.h>
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

namespace warpscope::cupti {
namespace {

// Size as CUPTI counts it, and the place of a field near the end: what lies between cannot differ much.
#define SAME(ours, our_field, theirs, their_field)              \
  static_assert(SizeOf<ours>() == theirs##_STRUCT_SIZE, #ours); \
  static_assert(offsetof(ours, our_field) == offsetof(theirs, their_field), #ours "." #our_field)

SAME(Params, reserved, CUpti_Profiler_Initialize_Params, pPriv);
SAME(DeviceSupported, wsl, CUpti_Profiler_DeviceSupported_Params, wsl);
SAME(DeviceChipName, chip, CUpti_Device_GetChipName_Params, pChipName);
SAME(HostInitialize, host, CUpti_Profiler_Host_Initialize_Params, pHostObject);
SAME(HostInitialize, availability, CUpti_Profiler_Host_Initialize_Params, pCounterAvailabilityImage);
SAME(HostObject, host, CUpti_Profiler_Host_Deinitialize_Params, pHostObject);
SAME(HostChips, chips, CUpti_Profiler_Host_GetSupportedChips_Params, ppChipNames);
SAME(HostBaseMetrics, names, CUpti_Profiler_Host_GetBaseMetrics_Params, ppMetricNames);
SAME(HostSubMetrics, submetrics, CUpti_Profiler_Host_GetSubMetrics_Params, ppSubMetrics);
SAME(HostSubMetrics, name, CUpti_Profiler_Host_GetSubMetrics_Params, pMetricName);
SAME(HostMetricProperties, unit, CUpti_Profiler_Host_GetMetricProperties_Params, pDimUnit);
SAME(HostEvaluate, range, CUpti_Profiler_Host_EvaluateToGpuValues_Params, rangeIndex);
SAME(HostEvaluate, values, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pMetricValues);
SAME(HostAddMetrics, count, CUpti_Profiler_Host_ConfigAddMetrics_Params, numMetrics);
SAME(HostConfigSize, bytes, CUpti_Profiler_Host_GetConfigImageSize_Params, configImageSize);
SAME(HostConfig, config, CUpti_Profiler_Host_GetConfigImage_Params, pConfigImage);
SAME(HostPasses, passes, CUpti_Profiler_Host_GetNumOfPasses_Params, numOfPasses);
SAME(RangeObject, profiler, CUpti_RangeProfiler_Start_Params, pRangeProfilerObject);
SAME(RangeEnable, profiler, CUpti_RangeProfiler_Enable_Params, pRangeProfilerObject);
SAME(RangeSetConfig, image, CUpti_RangeProfiler_SetConfig_Params, pCounterDataImage);
SAME(RangeSetConfig, most_ranges, CUpti_RangeProfiler_SetConfig_Params, maxRangesPerPass);
SAME(RangeSetConfig, target_nesting_level, CUpti_RangeProfiler_SetConfig_Params, targetNestingLevel);
SAME(RangeStop, all_passes_submitted, CUpti_RangeProfiler_Stop_Params, isAllPassSubmitted);
SAME(RangePush, name, CUpti_RangeProfiler_PushRange_Params, pRangeName);
SAME(RangeDecode, dropped, CUpti_RangeProfiler_DecodeData_Params, numOfRangeDropped);
SAME(RangeImageSize, most_nodes, CUpti_RangeProfiler_GetCounterDataSize_Params, maxNumRangeTreeNodes);
SAME(ImageInitialize, image, CUpti_RangeProfiler_CounterDataImage_Initialize_Params, pCounterData);
SAME(ImageInitialize, image, CUpti_PmSampling_CounterDataImage_Initialize_Params, pCounterData);
SAME(RangeImageInfo, ranges, CUpti_RangeProfiler_GetCounterDataInfo_Params, numTotalRanges);
SAME(RangeInfo, name, CUpti_RangeProfiler_CounterData_GetRangeInfo_Params, rangeName);
SAME(PmEnable, sampler, CUpti_PmSampling_Enable_Params, pPmSamplingObject);
SAME(PmObject, sampler, CUpti_PmSampling_Start_Params, pPmSamplingObject);
SAME(PmSetConfig, interval, CUpti_PmSampling_SetConfig_Params, samplingInterval);
SAME(PmSetConfig, append, CUpti_PmSampling_SetConfig_Params, hwBufferAppendMode);
SAME(PmDecode, overflow, CUpti_PmSampling_DecodeData_Params, overflow);
SAME(PmAvailability, image, CUpti_PmSampling_GetCounterAvailability_Params, pCounterAvailabilityImage);
SAME(PmImageSize, most_samples, CUpti_PmSampling_GetCounterDataSize_Params, maxSamples);
SAME(PmImageInfo, completed, CUpti_PmSampling_GetCounterDataInfo_Params, numCompletedSamples);
SAME(PmSampleInfo, end, CUpti_PmSampling_CounterData_GetSampleInfo_Params, endTimestamp);

#undef SAME
#define SAME(ours, our_field, theirs, their_field)      \
  static_assert(sizeof(ours) == sizeof(theirs), #ours); \
  static_assert(offsetof(ours, our_field) == offsetof(theirs, their_field), #ours "." #our_field)
SAME(PcStall, samples, CUpti_PCSamplingStallReason, samples);
SAME(PcRow, stalls, CUpti_PCSamplingPCData, stallReason);
SAME(PcRow, correlation_id, CUpti_PCSamplingPCData, correlationId);
SAME(PcData, data, CUpti_PCSamplingData, pPcData);
SAME(PcData, hardware_buffer_full, CUpti_PCSamplingData, hardwareBufferFull);
SAME(PcContext, context, CUpti_PCSamplingEnableParams, ctx);
SAME(PcGetData, data, CUpti_PCSamplingGetDataParams, pcSamplingData);
SAME(PcStallCount, count, CUpti_PCSamplingGetNumStallReasonsParams, numStallReasons);
SAME(PcStallNames, names, CUpti_PCSamplingGetStallReasonsParams, stallReasons);
SAME(PcConfiguration, words, CUpti_PCSamplingConfigurationInfo, attributeData);
SAME(PcConfigure, attributes, CUpti_PCSamplingConfigurationInfoParams, pPCSamplingConfigurationInfo);
SAME(SourceLine, folder, CUpti_GetSassToSourceCorrelationParams, dirName);
SAME(CubinCrc, crc, CUpti_GetCubinCrcParams, cubinCrc);
static_assert(kStallNameBytes == CUPTI_STALL_REASON_STRING_SIZE);
static_assert(kNotSupported == CUPTI_ERROR_NOT_SUPPORTED && kMigNotSupported == CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED);
static_assert(uint32_t{kAutoRange} == uint32_t{CUPTI_AutoRange} && uint32_t{kUserReplay} == uint32_t{CUPTI_UserReplay});

}  // namespace
}  // namespace warpscope::cupti
#endif
