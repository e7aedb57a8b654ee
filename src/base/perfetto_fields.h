// Field numbers of Perfetto's trace format, shared by its reader and its writer so that they cannot differ.
// From google/perfetto: protos/perfetto/trace/trace_packet.proto, trace_packet_defaults.proto, clock_snapshot.proto,
// interned_data/interned_data.proto, track_event/{track_event,track_descriptor,process_descriptor,thread_descriptor,
// counter_descriptor,debug_annotation}.proto, gpu/{gpu_render_stage_event,gpu_counter_event}.proto,
// common/{gpu_counter_descriptor,trace_stats}.proto, ps/process_tree.proto, ftrace/ftrace_event_bundle.proto.
// [MT] Constants.
#pragma once

#include <cstdint>
#include <string_view>

namespace warpscope::perfetto {

// Trace
inline constexpr uint32_t kTracePacket = 1;

namespace packet {
inline constexpr uint32_t kFtraceEvents = 1, kProcessTree = 2, kTrustedUid = 3, kClockSnapshot = 6, kTimestamp = 8,
                          kTrustedSequenceId = 10, kTrackEvent = 11, kInternedData = 12, kSequenceFlags = 13,
                          kTraceStats = 35, kIncrementalStateCleared = 41, kPreviousPacketDropped = 42,
                          kProcessDescriptor = 43, kThreadDescriptor = 44, kCompressedPackets = 50,
                          kGpuCounterEvent = 52, kGpuRenderStageEvent = 53, kTimestampClockId = 58,
                          kTracePacketDefaults = 59, kTrackDescriptor = 60, kFirstPacketOnSequence = 87,
                          kZstdCompressedPackets = 133;
inline constexpr uint32_t kLastKnown = 200;  // larger numbers: extensions (1000-1999) and for_testing (900)
// SequenceFlags
inline constexpr uint64_t kStateCleared = 1, kNeedsState = 2;
}  // namespace packet

namespace defaults {  // TracePacketDefaults
inline constexpr uint32_t kTrackEventDefaults = 11, kTimestampClockId = 58;
}

namespace clock {
inline constexpr uint32_t kClocks = 1;  // ClockSnapshot
inline constexpr uint32_t kClockId = 1, kTimestamp = 2, kIsIncremental = 3, kUnitMultiplierNs = 4;
inline constexpr uint32_t kRealtime = 1, kMonotonic = 3, kBoottime = 6;  // BuiltinClock
inline constexpr uint32_t kFirstOfSequence = 64, kLastOfSequence = 127;  // ids of one sequence's own clocks
}  // namespace clock

namespace event {  // TrackEvent
inline constexpr uint32_t kTimestampDeltaUs = 1, kCategoryIids = 3, kDebugAnnotations = 4, kLegacyEvent = 6, kType = 9,
                          kNameIid = 10, kTrackUuid = 11, kTimestampAbsoluteUs = 16, kCategories = 22, kName = 23,
                          kCounterValue = 30, kFlowIdsOld = 36, kTerminatingFlowIdsOld = 42, kDoubleCounterValue = 44,
                          kFlowIds = 47, kTerminatingFlowIds = 48, kCorrelationId = 52;
inline constexpr uint64_t kSliceBegin = 1, kSliceEnd = 2, kInstant = 3, kCounter = 4;  // Type
}  // namespace event

namespace legacy {  // TrackEvent.LegacyEvent
inline constexpr uint32_t kNameIid = 1, kPhase = 2, kDurationUs = 3;
}

namespace annotation {  // DebugAnnotation
inline constexpr uint32_t kNameIid = 1, kBool = 2, kUint = 3, kInt = 4, kDouble = 5, kString = 6, kPointer = 7,
                          kName = 10, kDictEntries = 11, kArrayValues = 12, kStringIid = 17;
}

namespace interned {  // InternedData
inline constexpr uint32_t kEventCategories = 1, kEventNames = 2, kDebugAnnotationNames = 3, kGraphicsContexts = 23,
                          kGpuSpecifications = 24, kDebugAnnotationStrings = 29, kComputeKernels = 1000;
inline constexpr uint32_t kIid = 1, kName = 2;         // of every entry; InternedString's bytes as well
inline constexpr uint32_t kContextPid = 2;             // InternedGraphicsContext
inline constexpr uint32_t kSpecificationCategory = 4;  // InternedGpuRenderStageSpecification
inline constexpr uint32_t kKernelDemangledName = 3;    // InternedComputeKernel
}  // namespace interned

namespace track {  // TrackDescriptor
inline constexpr uint32_t kUuid = 1, kName = 2, kProcess = 3, kThread = 4, kParentUuid = 5, kCounter = 8,
                          kStaticName = 10;
}
namespace process {  // ProcessDescriptor
inline constexpr uint32_t kPid = 1, kName = 6;
}
namespace thread {  // ThreadDescriptor
inline constexpr uint32_t kPid = 1, kTid = 2, kName = 5;
}
namespace counter {  // CounterDescriptor
inline constexpr uint32_t kCategories = 2, kUnit = 3, kUnitMultiplier = 4, kIsIncremental = 5, kUnitName = 6;
inline constexpr uint64_t kUnitTimeNs = 1, kUnitCount = 2, kUnitBytes = 3;
}  // namespace counter

namespace stage {  // GpuRenderStageEvent
inline constexpr uint32_t kEventId = 1, kDuration = 2, kHwQueueId = 3, kStageId = 4, kContext = 5, kSpecifications = 7,
                          kGpuId = 11, kHwQueueIid = 13, kStageIid = 14, kName = 17, kKernelIid = 19, kNameIid = 20,
                          kLaunch = 21;
inline constexpr uint32_t kSpecHwQueue = 2, kSpecStage = 3, kSpecName = 1;  // Specifications
inline constexpr uint32_t kGridSize = 1, kWorkgroupSize = 2;  // ComputeKernelLaunch; Dim3 is x 1, y 2, z 3
}  // namespace stage

namespace gpu_counter {  // GpuCounterEvent
inline constexpr uint32_t kDescriptor = 1, kCounters = 2, kGpuId = 3;
inline constexpr uint32_t kSpecs = 1, kSpecId = 1, kSpecName = 2;           // GpuCounterDescriptor and its specs
inline constexpr uint32_t kCounterId = 1, kIntValue = 2, kDoubleValue = 3;  // GpuCounter
}  // namespace gpu_counter

namespace stats {  // TraceStats.BufferStats
inline constexpr uint32_t kBuffers = 1, kChunksOverwritten = 3, kChunksDiscarded = 18, kWriterPacketLoss = 19;
}

namespace tree {  // ProcessTree
inline constexpr uint32_t kProcesses = 1, kThreads = 2, kPid = 1, kCmdline = 3, kTid = 1, kThreadName = 2;
}

// What this program writes to find its own rows again (docs/formats/perfetto.md): the category of the marks that
// describe sources, devices, streams ..., and the one of tracks that only repeat other data for the viewer.
inline constexpr std::string_view kOwnCategory = "warpscope";
inline constexpr std::string_view kDerivedCategory = "warpscope.derived";

}  // namespace warpscope::perfetto
