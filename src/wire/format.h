// The capture stream: what the agent inside a recorded process writes and the importer reads. docs/formats/capture.md
// describes it for people.
//
// A file is a FileHeader, then blocks. A block is a BlockHeader and `payload_bytes` of records; it is written by one
// write(2), so a process that is killed leaves whole blocks and at most one cut one, which its checksum tells.
// A record is a varint tag and the tag's fields. Numbers are LEB128 varints; signed ones are zigzag. Times are deltas,
// in nanoseconds of the epoch, against `last` of the same block, which starts at BlockHeader::base_ns; so any block can
// be read without the one before, except for names and other definitions, which are written once, before their first
// use. A reader skips a block with a tag that it does not know. [signal-safe] Constants and plain structs of fixed
// layout, little-endian.
#pragma once

#include <cstdint>

namespace warpscope::wire {

inline constexpr char kMagic[8] = {'W', 'S', 'C', 'A', 'P', 'T', '\r', '\n'};
inline constexpr uint32_t kVersion = 1;
inline constexpr uint32_t kBlockMagic = 0x4b4c4257;  // "WBLK"
inline constexpr uint32_t kMaxPayloadBytes = 1u << 20;

struct FileHeader {
  char magic[8];
  uint32_t version;
  uint32_t pid;
  uint32_t parent_pid;
  uint32_t cupti_version;  // of cuptiGetVersion(); 0: no CUPTI
  int64_t start_ns;        // epoch, when the agent started
  uint64_t reserved[4];
};
static_assert(sizeof(FileHeader) == 64);

struct BlockHeader {
  uint32_t magic;
  uint32_t payload_bytes;
  uint32_t checksum;  // Checksum() of the payload
  uint32_t record_count;
  int64_t base_ns;
};
static_assert(sizeof(BlockHeader) == 24);

// Fields in order. "ns" = delta of a time, "dur" = length in ns, "ref" = number given by the definition.
enum Tag : uint8_t {
  kText = 1,      // ref, bytes, that many bytes
  kThread,        // ref, tid, name text ref
  kStream,        // ref, device id, context id, stream id
  kLaunchShape,   // ref, grid x y z, block x y z, registers, static + dynamic shared bytes, cluster x y z
  kDevice,        // id, name text ref, then DeviceField count, values
  kProcess,       // command text ref
  kKernel,        // name ref, stream ref, shape ref, ns start, dur, correlation delta
  kKernelQueued,  // as kKernel, then start - queued, submitted - queued (0 0: unknown)
  kGraphKernel,   // as kKernel, then graph id, graph node id
  kCopy,          // copy kind, source kind, destination kind, stream ref, bytes, ns start, dur, correlation delta
  kGraphCopy,     // as kCopy, then graph id, graph node id
  kMemset,        // memory kind, stream ref, bytes, ns start, dur, correlation delta
  kGraph,         // stream ref, graph id, ns start, dur, correlation delta
  kCall,          // API (0 runtime, 1 driver), name ref, thread ref, ns start, dur, correlation delta, return value
  kSync,          // type, context id, stream id + 1 (0: none), event id + 1, ns start, dur, correlation delta
  kRange,         // thread ref, domain text ref, name text ref, category, ns start, dur (NVTX push and pop)
  kMark,          // thread ref, domain text ref, name text ref, category, ns
  kSpan,          // as kRange, then the thread ref that ended it (NVTX start and end)
  kOverhead,      // kind, thread ref, ns start, dur
  kMemory,        // operation (0 allocation, 1 release), memory kind, device id, address, bytes, ns, correlation delta
  kLost,          // Loss, count, ns: records that are missing
  kNote,          // severity (0 info, 1 warning, 2 loss), text ref: what a user should know
  kOpen,          // thread ref, domain text ref, name text ref, category, ns: an NVTX range that is open so far
  kFact,          // device id + 1 (0: the machine), name text ref, value text ref: what does not change during the run
  kSeries,        // ref, device id + 1, name text ref, unit text ref
  kSample,        // series ref, ns, value in thousandths (signed)
  kEnd,           // ns, rows written, agent CPU ns: the process ended in order
  kHostThread,    // ref, pid, tid, name text ref: a thread of any recorded process, seen from outside (refs of kThread)
  kFrame,  // ref, parent ref (0: outermost), kind (0 Python, 1 native), function text ref, file text ref (0: unknown),
           // line; native: 0, the executable or library, the address in it where the function begins (kNativeName)
  kStackSample,  // thread ref, ns, ThreadState, text ref of the system call (0: none or unknown), frame ref (0: none).
                 // A run of equal samples is written by its first and its last.
  kOsCall,       // thread ref, name text ref, ns start, dur, uncertainty ns of both ends
  kChild,   // pid, parent pid, command text ref, ns start, ns end (0 delta: still running or unknown), exit code + 1
  kModule,  // context id, module id, bytes: machine code that was loaded (CUPTI tells no time)
  kJit,     // what (1 PTX to machine code, 2 NVVM IR to PTX), operation (1 cache load, 2 cache store, 3 compile), bytes
            // of the cache entry, thread ref, ns start, dur, correlation delta
  kUnified,    // counter kind, source device + 1, destination device + 1, address, value, ns start, dur
  kExternal,   // external kind, external id, correlation delta
  kGraphNode,  // node id, node id that it was cloned from (0: none), name text ref of the call that captured it, thread
               // ref, ns
  kWindow,     // 1 began or 0 ended, reason text ref, ns
  kOverheadCost,  // ns added to a launch, in thousandths of ns; launches timed with, without (0 0: not
                  // measured); agent CPU ns, launches, ns inside windows so far
  kLaunchKey,     // ref, name text ref, stream ref, shape ref, graph id, graph node id (0 0: no graph): what launches
                  // share
  kKeyed,         // a kernel: launch key ref, ns start, dur, correlation delta
  kKeyedQueued,   // as kKeyed, then start - queued, submitted - queued
  kGraphMemset,   // as kMemset, then graph id, graph node id
  kCallKey,       // ref, API (0 runtime, 1 driver), name text ref, thread ref: what calls share
  kKeyedCall,     // call key ref, ns start, dur, correlation delta; the call returned 0
  kNvtxKey,  // ref, domain text ref, category, category's name text ref (0: none), colour + 1 (0: none): what ranges
             // share
  kNvtx,  // NvtxForm, thread ref, NVTX key ref, message text ref, NvtxPayload, payload, ns start, then unless a mark or
          // open dur, then for a span the thread ref that ended it
  kNvtxSchema,   // ref, 1 enumeration or 0 record, entry count, for each: type (or value), offset in bytes, name text
                 // ref
  kSyncEvent,    // as kSync, then the event's own number of that record (0: unknown), return value
  kEventRecord,  // event id + 1, number of that record (0: unknown), context id, stream id + 1, correlation delta
  kMemoryEvent,  // operation (0 allocation, 1 release), memory kind, device id, stream id + 1, address, bytes, ns,
                 // correlation delta, pool address (0: none)
  kPool,  // operation (1 created, 2 destroyed, 3 trimmed), 1 local or 2 imported, device id, address, bytes, bytes in
          // use, ns
  kSamplePeriod,    // ns between the stack samples that follow
  kMetric,          // ref, name text ref, unit text ref (0: a plain number): a hardware counter's metric
  kMetricSet,       // ref, passes that it takes, metric count, that many metric refs
  kKernelCounters,  // metric set ref, name text ref, stream ref, shape ref, number of the launch among those of its
                    // process (from 0), CounterReplay, the values of the set: 8 bytes each (double; NaN: none)
  kUnmeasured,      // name text ref, launches, reason text ref: kernels that were asked for and have no counters
  kCounterWindow,   // device id, metric set ref, ns between samples, ns begin, dur, samples, CounterLoss bits: a window
                    // that was sampled; after its samples
  kCounterSamples,  // device id, metric set ref, sample count, for each: ns start, dur; then the values, metric by
                    // metric: 4 bytes each (float; NaN: none)
  kCode,  // ref, CUPTI's checksum of the machine code, bytes, text ref of its file in the run folder (0: not kept)
  kCodeFunction,  // ref, code ref (0: unknown), name text ref
  kStallReason,   // ref, name text ref, as CUPTI names it
  kPcSamples,     // function ref, offset in bytes, entry count, for each: stall reason ref, samples
  kPcLine,        // function ref, offset in bytes, file text ref, line: where an instruction comes from
  kPcWindow,      // device id, log2 of the cycles between samples of an SM, ns begin, dur, samples, dropped, samples of
                  // kernels that are not the program's, 1 if a hardware buffer was full
  kNativeName,    // text ref of a native frame's file, address that the frame tells, function text ref (0: unknown; C++
                  // names are mangled), source file text ref (0: unknown), line where the function begins
  kTagCount,
};

enum NvtxForm : uint8_t { kFormRange, kFormSpan, kFormMark, kFormOpenRange, kFormOpenSpan };

// A number is a varint (signed: zigzag; double: its bits); a schema's payload is the schema's ref, then bytes.
enum NvtxPayload : uint8_t { kPayloadNone, kPayloadUnsigned, kPayloadSigned, kPayloadDouble, kPayloadSchema };

enum Loss : uint8_t {
  kDroppedByCupti = 0,    // CUPTI's own count
  kNoBuffer = 1,          // no free buffer within the memory limit
  kUnknownDropCount = 2,  // CUPTI could not tell: count is of the failed queries
  kBadTime = 3,           // records without a valid time
  kNoRoom = 4,            // the file could not be written: bytes
  kRingFull = 5,          // NVTX events beyond the ring
  kOutsideWindow = 6,     // records with a time in no window
  kNodeRingFull = 7,      // nodes of graphs beyond their ring
  kTornStack = 8,         // stacks that the running program changed while they were read
  kSwitchesLost = 9,      // times that a ring of switches overflowed
};

// kKernelCounters.
enum CounterReplay : uint8_t { kReplayedKernel = 0, kReplayedApplication = 1, kReplayedRange = 2 };

// kCounterWindow.
enum CounterLoss : uint8_t {
  kHardwareOverflow = 1u << 0,  // the hardware's buffer was full
  kDecodeBehind = 1u << 1,      // samples were thrown away since decoding them fell behind
};

// kStackSample.
enum ThreadState : uint8_t {
  kOnCpu = 0,         // or ready to run
  kWaiting = 1,       // for something else than at the sample before: it ran in between
  kUnseen = 2,        // nothing is known of the thread from here to its next sample
  kStillWaiting = 3,  // it has not run since the sample before
};

// kDevice values, in this order; a reader takes as many as there are.
enum DeviceField : uint8_t {
  kCcMajor,
  kCcMinor,
  kSmCount,
  kWarpSize,
  kMemoryBytes,
  kMaxThreadsPerBlock,
  kMaxWarpsPerSm,
  kRegistersPerBlock,
  kRegistersPerSm,
  kSharedPerBlock,
  kSharedPerSm,
  kDeviceFieldCount,
};

// Fletcher-like sum over 32-bit words (Adler/Fletcher family): tells a cut or stale block, not an attack.
inline uint32_t Checksum(const uint8_t* bytes, uint32_t size) {
  uint64_t a = 1, b = 0;
  uint32_t at = 0;
  for (; at + 4 <= size; at += 4) {
    a += static_cast<uint32_t>(bytes[at]) | static_cast<uint32_t>(bytes[at + 1]) << 8 |
         static_cast<uint32_t>(bytes[at + 2]) << 16 | static_cast<uint32_t>(bytes[at + 3]) << 24;
    b += a;
  }
  for (; at < size; ++at) {
    a += bytes[at];
    b += a;
  }
  return static_cast<uint32_t>(a ^ (a >> 32) ^ (b << 7) ^ (b >> 25));
}

inline uint64_t ZigZag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
}
inline int64_t UnZigZag(uint64_t value) { return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1); }

}  // namespace warpscope::wire
