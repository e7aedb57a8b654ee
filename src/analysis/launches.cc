#include "analysis/launches.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "analysis/device_time.h"
#include "analysis/interval_set.h"

namespace warpscope::analysis {
namespace {

using model::GpuKind;
using model::kNone;
using model::Trace;

// A launch call far over the usual while about this many items of its stream are queued waits for a free slot. Source:
// about 1,022 slots a stream, docs/whatif.md ("queue slot"); copies, memsets and events take slots too.
constexpr uint32_t kFullQueueDepth = 900;
constexpr double kBlockedOverUsual = 10;

struct Issued {
  uint32_t call;      // host row
  uint32_t first_row; // first gpu row of it
};

class Collector {
 public:
  Collector(const Index& index, const Scope& scope) : index_(index), trace_(index.trace()), scope_(scope) {}

  bool InScope(uint32_t gpu_row) const {
    const uint32_t stream = trace_.gpu.stream[gpu_row];
    if (scope_.link_domain && trace_.streams[stream].link_domain != *scope_.link_domain) return false;
    return !scope_.device || trace_.streams[stream].device == *scope_.device;
  }
  bool CallInScope(uint32_t host_row) const {
    if (!scope_.window.Contains(trace_.host.start_ns[host_row])) return false;
    return !scope_.link_domain || trace_.HostDomain(host_row) == *scope_.link_domain;
  }
  // Device rows whose call starts in the window, with their call; in start order.
  template <typename F>
  void ForEachLaunched(F&& visit) const {
    for (uint32_t row = 0; row < trace_.gpu.size(); ++row) {
      const uint32_t call = trace_.gpu.call[row];
      if (call != kNone && InScope(row) && CallInScope(call)) visit(row, call);
    }
  }
  // One entry a call, in order of the calls' starts.
  std::vector<Issued> Calls() const {
    std::unordered_map<uint32_t, uint32_t> first;
    ForEachLaunched([&](uint32_t row, uint32_t call) { first.try_emplace(call, row); });
    std::vector<Issued> calls;
    calls.reserve(first.size());
    for (const auto& [call, row] : first) calls.push_back({call, row});
    std::sort(calls.begin(), calls.end(), [&](const Issued& a, const Issued& b) {
      const auto& host = trace_.host;
      return host.start_ns[a.call] != host.start_ns[b.call] ? host.start_ns[a.call] < host.start_ns[b.call] : a.call < b.call;
    });
    return calls;
  }

  const Index& index_;
  const Trace& trace_;
  const Scope& scope_;
};

void CountCalls(const Index& index, const std::vector<Issued>& calls, LaunchSummary& out) {
  const Trace& trace = index.trace();
  std::vector<int64_t> call_ns;
  std::vector<int64_t> graph_ns;
  std::vector<int64_t> from_start;
  std::vector<int64_t> from_end;
  std::vector<int64_t> intervals;
  std::unordered_map<uint32_t, int64_t> last_start;
  for (const Issued& issued : calls) {
    const int64_t start = trace.host.start_ns[issued.call];
    const int64_t dur = trace.host.dur_ns[issued.call];
    ++out.launches;
    switch (index.call_kind(issued.call)) {
      case CallKind::kGraphLaunch: ++out.graph_launches, graph_ns.push_back(dur); break;
      case CallKind::kMemset: ++out.memset_calls; break;
      case CallKind::kCopyAsync:
      case CallKind::kCopySync: ++out.copy_calls; break;
      default: ++out.kernel_launches, call_ns.push_back(dur); break;
    }
    from_start.push_back(trace.gpu.start_ns[issued.first_row] - start);
    from_end.push_back(trace.gpu.start_ns[issued.first_row] - start - dur);
    const auto [it, fresh] = last_start.try_emplace(trace.host.thread[issued.call], start);
    if (!fresh) intervals.push_back(start - it->second), it->second = start;
  }
  out.call = Distribute(std::move(call_ns));
  out.graph_call = Distribute(std::move(graph_ns));
  out.delay_from_call_start = Distribute(std::move(from_start));
  out.delay_from_call_end = Distribute(std::move(from_end));
  out.host_interval = Distribute(std::move(intervals));
}

// +1 at the call's start, -1 at the item's end.
std::vector<QueuePoint> Depths(const Collector& collector) {
  std::vector<std::pair<int64_t, int>> events;
  collector.ForEachLaunched([&](uint32_t row, uint32_t call) {
    events.push_back({collector.trace_.host.start_ns[call], 1});
    events.push_back({collector.trace_.gpu.end_ns(row), -1});
  });
  std::sort(events.begin(), events.end());  // at equal times what ends goes before what is issued
  std::vector<QueuePoint> points;
  uint32_t depth = 0;
  for (const auto& [time_ns, change] : events) {
    depth = change > 0 ? depth + 1 : depth - (depth > 0 ? 1 : 0);
    if (!points.empty() && points.back().time_ns == time_ns) {
      points.back().depth = depth;
    } else {
      points.push_back({time_ns, depth});
    }
  }
  return points;
}

void MeasureQueue(const std::vector<QueuePoint>& points, LaunchSummary& out) {
  double area = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    out.queue_depth_max = std::max(out.queue_depth_max, points[i].depth);
    if (i + 1 < points.size()) area += static_cast<double>(points[i].depth) * static_cast<double>(points[i + 1].time_ns - points[i].time_ns);
  }
  if (points.size() > 1 && points.back().time_ns > points.front().time_ns) {
    out.queue_depth_mean = area / static_cast<double>(points.back().time_ns - points.front().time_ns);
  }
}

void CountBlocked(const Index& index, const std::vector<Issued>& calls, const std::vector<QueuePoint>& points, LaunchSummary& out) {
  if (out.queue_depth_max < kFullQueueDepth) return;
  const auto usual = static_cast<int64_t>(kBlockedOverUsual * out.call.median_ns);
  for (const Issued& issued : calls) {
    const int64_t dur = index.trace().host.dur_ns[issued.call];
    if (index.call_kind(issued.call) != CallKind::kLaunch || dur <= usual) continue;
    const int64_t start = index.trace().host.start_ns[issued.call];
    const auto at = std::upper_bound(points.begin(), points.end(), start,
                                     [](int64_t time_ns, const QueuePoint& point) { return time_ns < point.time_ns; });
    if (at == points.begin() || std::prev(at)->depth < kFullQueueDepth) continue;
    ++out.blocked_launches;
    out.blocked_ns += dur - static_cast<int64_t>(out.call.median_ns);
  }
}

// Splits each device's idle time by whether the next item had been issued when the device ran dry.
void SplitIdle(const Collector& collector, LaunchSummary& out) {
  const Trace& trace = collector.trace_;
  std::unordered_map<uint32_t, int64_t> free_ns;   // device -> end of all earlier work
  std::unordered_map<uint32_t, int64_t> stream_free_ns;
  std::vector<int64_t> idle_delay;
  std::vector<int64_t> kernel_ns;
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    if (!collector.InScope(row)) continue;
    const uint32_t call = trace.gpu.call[row];
    const uint32_t stream = trace.gpu.stream[row];
    const int64_t start = trace.gpu.start_ns[row];
    const bool counted = call != kNone && collector.CallInScope(call);
    if (counted && trace.gpu.kind[row] == GpuKind::kKernel) kernel_ns.push_back(trace.gpu.dur_ns[row]);
    if (counted) {
      const int64_t issued = trace.host.end_ns(call);
      const auto stream_free = stream_free_ns.find(stream);
      if (stream_free == stream_free_ns.end() || stream_free->second <= issued) idle_delay.push_back(start - issued);
      const auto free = free_ns.find(trace.streams[stream].device);
      if (free != free_ns.end() && start > free->second) {
        const int64_t late = std::clamp(issued, free->second, start) - free->second;
        out.host_late_ns += late;
        out.device_late_ns += start - free->second - late;
      }
    }
    int64_t& device_end = free_ns.try_emplace(trace.streams[stream].device, INT64_MIN).first->second;
    device_end = std::max(device_end, trace.gpu.end_ns(row));
    int64_t& stream_end = stream_free_ns.try_emplace(stream, INT64_MIN).first->second;
    stream_end = std::max(stream_end, trace.gpu.end_ns(row));
  }
  out.idle_delay = Distribute(std::move(idle_delay));
  out.kernel = Distribute(std::move(kernel_ns));
}

// Calls that launched nothing in the file, and allocator calls.
void CountOthers(const Index& index, const Collector& collector, LaunchSummary& out) {
  uint64_t without_rows = 0;
  const Trace& trace = index.trace();
  for (uint32_t row = 0; row < trace.host.size(); ++row) {
    if (!index.is_call(row) || !collector.CallInScope(row)) continue;
    const CallKind kind = index.call_kind(row);
    if (kind == CallKind::kDeviceAlloc || kind == CallKind::kDeviceFree) ++out.allocator_calls;
    if (Issues(kind) && index.IssuedBy(row).empty()) ++without_rows;
  }
  out.unmatched = without_rows;
}

}  // namespace

Distribution Distribute(std::vector<int64_t> values_ns) {
  Distribution out;
  if (values_ns.empty()) return out;
  std::sort(values_ns.begin(), values_ns.end());
  const size_t n = values_ns.size();
  out.count = n;
  out.sum_ns = std::accumulate(values_ns.begin(), values_ns.end(), int64_t{0});
  out.min_ns = values_ns.front();
  out.max_ns = values_ns.back();
  out.mean_ns = static_cast<double>(out.sum_ns) / static_cast<double>(n);
  out.median_ns = n % 2 == 1 ? static_cast<double>(values_ns[n / 2])
                             : (static_cast<double>(values_ns[n / 2 - 1]) + static_cast<double>(values_ns[n / 2])) / 2;
  out.p95_ns = static_cast<double>(values_ns[(n - 1) * 95 / 100]);
  return out;
}

LaunchSummary SummarizeLaunches(const Index& index, const Scope& scope, const Steps* steps) {
  const Collector collector(index, scope);
  LaunchSummary out;
  const std::vector<Issued> calls = collector.Calls();
  CountCalls(index, calls, out);
  for (const Issued& issued : calls) {
    if (index.call_kind(issued.call) == CallKind::kGraphLaunch) out.graph_nodes += index.IssuedBy(issued.call).size();
  }
  if (steps != nullptr && steps->counted() > 0) {
    out.launches_per_step = static_cast<double>(out.launches) / steps->counted();
  }
  const std::vector<QueuePoint> points = Depths(collector);
  MeasureQueue(points, out);
  CountBlocked(index, calls, points, out);
  SplitIdle(collector, out);
  CountOthers(index, collector, out);
  int64_t window_ns = 0;
  int64_t idle_ns = 0;
  for (const DeviceTime& device : DeviceTimes(index, scope)) {
    window_ns += device.end_ns - device.begin_ns;
    idle_ns += device.idle_ns;
  }
  if (window_ns > 0) {
    out.device_idle_pct = 100.0 * static_cast<double>(idle_ns) / static_cast<double>(window_ns);
    out.host_late_pct = 100.0 * static_cast<double>(out.host_late_ns) / static_cast<double>(window_ns);
  }
  return out;
}

std::vector<LaunchRow> LaunchesByKernel(const Index& index, const Scope& scope) {
  const Collector collector(index, scope);
  const Trace& trace = index.trace();
  std::unordered_map<model::StringId, std::pair<LaunchRow, std::vector<int64_t>>> by_name;
  collector.ForEachLaunched([&](uint32_t row, uint32_t call) {
    if (trace.gpu.kind[row] != GpuKind::kKernel) return;
    auto& [launch, delays] = by_name[trace.gpu.name[row]];
    launch.name = trace.gpu.name[row];
    ++launch.count;
    launch.call_ns += trace.host.dur_ns[call];
    launch.kernel_ns += trace.gpu.dur_ns[row];
    if (trace.gpu.dur_ns[row] < trace.host.dur_ns[call]) ++launch.shorter_than_launch;
    delays.push_back(trace.gpu.start_ns[row] - trace.host.end_ns(call));
  });
  std::vector<LaunchRow> rows;
  for (auto& [name, entry] : by_name) {
    entry.first.delay_from_call_end = Distribute(std::move(entry.second));
    rows.push_back(entry.first);
  }
  std::sort(rows.begin(), rows.end(), [&](const LaunchRow& a, const LaunchRow& b) {
    return a.count != b.count ? a.count > b.count : trace.Text(a.name) < trace.Text(b.name);
  });
  return rows;
}

std::vector<QueuePoint> QueueDepth(const Index& index, const Scope& scope, size_t max_points) {
  std::vector<QueuePoint> points = Depths(Collector(index, scope));
  if (max_points == 0 || points.size() <= max_points) return points;
  std::vector<QueuePoint> thin;
  const size_t group = (points.size() + max_points - 1) / max_points;
  for (size_t i = 0; i < points.size(); i += group) {
    const auto last = points.begin() + static_cast<long>(std::min(i + group, points.size()));
    thin.push_back(*std::max_element(points.begin() + static_cast<long>(i), last,
                                     [](const QueuePoint& a, const QueuePoint& b) { return a.depth < b.depth; }));
  }
  return thin;
}

}  // namespace warpscope::analysis
