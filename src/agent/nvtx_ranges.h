// Ranges and marks of NVTX as the application's threads make them: a stack a thread, a table of ranges that start and
// end anywhere. What ends goes into the ring; what stays open for long is told to the writer, so that a killed process
// leaves it behind. [MT] Push, Pop and Mark touch the calling thread's stack alone; spans take a lock. ForOpenRanges is
// the writer's.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/nvtx_content.h"
#include "agent/nvtx_ring.h"

namespace warpscope::agent {

// Where events go; null switches recording off. Must stay valid.
void SetNvtxRing(NvtxRing* ring);

// Told of every range that begins, with its text, and that ends (text null), by the thread that does it; `key` is the
// range's own. Null: nobody. It is what opens and closes a window of recording.
using RangeWatcher = void (*)(const char* text, uint64_t key);
void SetRangeWatcher(RangeWatcher watcher);

// As nvtxDomainRangePushEx and so on. `data`, `count`: payloads given beside the attributes (nvtxPayloadData_t), or
// null.
int PushRange(uint32_t domain, const NvtxAttributes* attributes, const void* data, size_t count);
int PopRange(uint32_t domain);
void PutMark(uint32_t domain, const NvtxAttributes* attributes, const void* data, size_t count);
uint64_t StartSpan(uint32_t domain, const NvtxAttributes* attributes, const void* data, size_t count);
void EndSpan(uint64_t id);

// Calls `see` for each range that has been open since `before_ns` and was not told yet. Returns how many.
uint32_t ForOpenRanges(int64_t before_ns, void (*see)(void* context, const NvtxEvent& event), void* context);

// In a forked child: only the calling thread is left, with a number of its own.
void ResetNvtxRangesAfterFork();

}  // namespace warpscope::agent
