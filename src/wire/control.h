// Control: one page in the run folder that the launcher writes and the agents of all its processes read, mapped shared.
// It says what to collect, when, and what a person asks of a running recording (`warpscope ctl`). [MT] [signal-safe]
// Words that change while the program runs are atomics; the rest is written before the program starts. A process
// without the page, or with one of another version, records with Control's defaults. The file has all its bytes from
// the start (a hole that cannot be filled when the disk is full would end the process that touches it). Every process
// that records takes one row of the table, which `warpscope ctl RUN status` shows; a row is its owner's alone, and
// nothing is locked: a reader may see one number newer than its neighbour.
#pragma once

#include <atomic>
#include <cstdint>

namespace warpscope::wire {

inline constexpr char kControlName[] = "control";
inline constexpr uint32_t kControlMagic = 0x4c544357;  // "WCTL"
inline constexpr uint32_t kControlVersion = 1;

// What is collected beside kernels, copies, memsets, synchronisations, launches and the light set of calls. Bits of
// Control::collect.
enum Collect : uint32_t {
  kCollectAllCalls = 1u << 0,       // every runtime and driver call
  kCollectMemory = 1u << 1,         // allocations and releases of device memory, pools
  kCollectUnifiedMemory = 1u << 2,  // page faults, migrations
  kCollectModules = 1u << 3,        // module loading, JIT compilation
  kCollectGraphNodes = 1u << 4,     // where the nodes of graphs were captured
  kCollectExternal = 1u << 5,       // external correlation
  kCollectNvtx = 1u << 6,
};
inline constexpr uint32_t kCollectDefault = kCollectModules | kCollectNvtx;

// What starts the first window. After it began it lasts until its own end: duration, range end, profiler stop, step
// count.
enum Trigger : uint32_t {
  kTriggerStart = 0,     // the process's start (plus delay_ns)
  kTriggerRange = 1,     // an NVTX range of that name
  kTriggerProfiler = 2,  // cudaProfilerStart / Stop
  kTriggerCommand = 3,   // `warpscope ctl start`
};

constexpr uint32_t kStatusRows = 256;  // processes beyond these record as well, but are not shown

// What a process is doing. Values of ProcessStatus::state.
enum ProcessState : uint32_t {
  kStateWaiting = 1,  // its window has not begun
  kStateRecording = 2,
  kStatePaused = 3,  // its window ended; another may begin
  kStateEnded = 4,   // in order
  kStateFailed = 5,  // it cannot record: its stream says why
};

struct ProcessStatus {
  std::atomic<uint32_t> pid{0};  // 0: free
  std::atomic<uint32_t> state{0};
  std::atomic<uint64_t> rows{0}, lost{0}, bytes{0};
  std::atomic<int64_t> seen_ns{0};       // epoch, when the row was last written
  std::atomic<uint64_t> start_ticks{0};  // of /proc/PID/stat: tells a process from another one with its pid
};

enum Command : uint32_t {
  kCommandNone = 0,
  kCommandStart = 1,
  kCommandStop = 2,
  kCommandFreeze = 3,  // of a ring: stop, and keep what it holds
};

struct Control {
  uint32_t magic = kControlMagic;
  uint32_t version = kControlVersion;
  uint32_t collect = kCollectDefault;
  uint32_t trigger = kTriggerStart;
  int64_t delay_ns = 0;                   // after the process's start, or after the trigger
  int64_t duration_ns = 0;                // 0: until the trigger ends or the process does
  uint32_t range_skip = 0;                // ranges of that name that pass before the window begins
  uint32_t range_count = 0;               // ranges that one window holds; 0: one
  uint32_t ring_ms = 0;                   // > 0: keep the last so many milliseconds until kCommandFreeze or the end
  uint32_t max_overhead_permille = 0;     // > 0: collect less rather than slow the program more than this
  uint32_t memory_limit_bytes = 0;        // 0: the agent's default
  std::atomic<uint32_t> launcher_pid{0};  // that waits for the program; 0: it does not any more
  char range[128] = {};                   // of kTriggerRange
  // A command and its number in one word (serial << 8 | Command): it is new when the number is.
  std::atomic<uint64_t> command{0};
  ProcessStatus processes[kStatusRows];
};
static_assert(std::atomic<uint32_t>::is_always_lock_free && std::atomic<uint64_t>::is_always_lock_free);

inline Command CommandOf(uint64_t word) { return static_cast<Command>(word & 0xff); }
inline uint64_t NextCommand(uint64_t word, Command command) { return ((word >> 8) + 1) << 8 | command; }

}  // namespace warpscope::wire
