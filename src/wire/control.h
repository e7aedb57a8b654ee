// Control: one page in the run folder that the launcher writes and the agents of all its processes read, mapped shared. It says
// what to collect, when, and what a person asks of a running recording (`warpscope ctl`).
// [MT] [signal-safe] Words that change while the program runs are atomics; the rest is written before the program starts. A
// process without the page, or with one of another version, records with Control's defaults.
#pragma once

#include <atomic>
#include <cstdint>

namespace warpscope::wire {

inline constexpr char kControlName[] = "control";
inline constexpr uint32_t kControlMagic = 0x4c544357;  // "WCTL"
inline constexpr uint32_t kControlVersion = 1;

// What is collected beside kernels, copies, memsets, synchronisations and the light set of calls. Bits of Control::collect.
enum Collect : uint32_t {
  kCollectAllCalls = 1u << 0,        // every runtime and driver call
  kCollectMemory = 1u << 1,          // allocations and releases of device memory, pools
  kCollectUnifiedMemory = 1u << 2,   // page faults, migrations
  kCollectModules = 1u << 3,         // module loading, JIT compilation
  kCollectGraphNodes = 1u << 4,      // where the nodes of graphs were captured
  kCollectExternal = 1u << 5,        // external correlation
  kCollectNvtx = 1u << 6,
  kCollectLaunchThreads = 1u << 7,   // which thread launched what
};
inline constexpr uint32_t kCollectDefault = kCollectModules | kCollectNvtx | kCollectLaunchThreads;

// What starts the first window. After it began it lasts until its own end: duration, range end, profiler stop, step count.
enum Trigger : uint32_t {
  kTriggerStart = 0,     // the process's start (plus delay_ns)
  kTriggerRange = 1,     // an NVTX range of that name
  kTriggerProfiler = 2,  // cudaProfilerStart / Stop
  kTriggerCommand = 3,   // `warpscope ctl start`
};

enum Command : uint32_t { kCommandNone = 0, kCommandStart = 1, kCommandStop = 2, kCommandFreeze = 3 };

struct Control {
  uint32_t magic = kControlMagic;
  uint32_t version = kControlVersion;
  uint32_t collect = kCollectDefault;
  uint32_t trigger = kTriggerStart;
  int64_t delay_ns = 0;               // after the process's start, or after the trigger
  int64_t duration_ns = 0;            // 0: until the trigger ends or the process does
  uint32_t range_skip = 0;            // ranges of that name that pass before the window begins
  uint32_t range_count = 0;           // ranges that one window holds; 0: one
  uint32_t ring_ms = 0;               // > 0: keep the last so many milliseconds until kCommandFreeze or the end
  uint32_t max_overhead_permille = 0;  // > 0: collect less rather than slow the program more than this
  uint32_t memory_limit_bytes = 0;    // 0: the agent's default
  uint32_t reserved = 0;
  char range[128] = {};               // of kTriggerRange
  // A command is new when its serial is.
  std::atomic<uint32_t> command_serial{0};
  std::atomic<uint32_t> command{kCommandNone};
};
static_assert(std::atomic<uint32_t>::is_always_lock_free);

}  // namespace warpscope::wire
