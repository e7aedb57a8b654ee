// Launches: how long work waits between its call and its start, how deep the queue is, and when the device waits for
// the host.
// [MT] Pure functions. Launches whose call starts in the window.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/distribution.h"
#include "analysis/index.h"
#include "analysis/steps.h"
#include "analysis/window.h"

namespace warpscope::analysis {

struct QueuePoint {
  int64_t time_ns;
  uint32_t depth;  // launches issued and not finished yet
};

struct LaunchSummary {
  uint64_t launches = 0;  // calls that issued device work (kernel, graph, copy, memset)
  uint64_t kernel_launches = 0, graph_launches = 0, copy_calls = 0, memset_calls = 0;
  uint64_t graph_nodes = 0;  // device rows behind graph launches
  uint64_t unmatched = 0;    // launch calls without device rows
  std::optional<double> launches_per_step;
  Distribution call;  // duration of kernel launch calls
  Distribution graph_call;
  Distribution kernel;                 // duration of launched kernels (graph nodes included)
  Distribution delay_from_call_start;  // start of the item - start of its call (first item of a graph)
  Distribution delay_from_call_end;    // start of the item - end of its call: may be negative
  Distribution idle_delay;             // delay from call end where the stream was idle: pure launch latency
  Distribution host_interval;          // from one launch call's start to the next on the same thread
  uint64_t blocked_launches = 0;       // queue full: call far over the usual with about 1,000 items queued
  int64_t blocked_ns = 0;              // time over the usual in them
  uint32_t queue_depth_max = 0;
  double queue_depth_mean = 0;  // over time, between the first call and the last end
  // Device idle time whose next item was not yet issued when the device ran dry (the host was late), and the rest.
  int64_t host_late_ns = 0;    // from running dry to the launch call's end
  int64_t device_late_ns = 0;  // item already issued: latency, dependencies
  double host_late_pct = 0;    // of the scope's window
  std::optional<double> device_idle_pct;
  uint64_t allocator_calls = 0;  // cudaMalloc, cudaFree in scope
};

LaunchSummary SummarizeLaunches(const Index& index, const Scope& scope, const Steps* steps = nullptr);

// By kernel name.
struct LaunchRow {
  model::StringId name = model::kNoString;
  uint64_t count = 0;
  int64_t call_ns = 0;  // sum of the calls' durations
  int64_t kernel_ns = 0;
  Distribution delay_from_call_end;
  uint64_t shorter_than_launch = 0;  // kernels shorter than the call that launched them
};
std::vector<LaunchRow> LaunchesByKernel(const Index& index, const Scope& scope);  // most count first, then name

// Queue depth over time of one device, at every change. At most `max_points` (evenly thinned, peaks kept).
std::vector<QueuePoint> QueueDepth(const Index& index, const Scope& scope, size_t max_points = 100000);

}  // namespace warpscope::analysis
