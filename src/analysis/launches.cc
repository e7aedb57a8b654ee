#include "analysis/launches.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace warpscope::analysis {
namespace {

using model::GpuKind;
using model::kNone;

// A launch counts as blocked by a full queue when this much work was ahead of it on its stream (the limit is about
// 1,022 entries; records of memsets and events take some) and its call took this much longer than usual.
constexpr size_t kFullQueue = 900;
constexpr int64_t kBlockedNs = 100'000;
constexpr double kBlockedFactor = 10;

bool InScope(const model::Trace& trace, uint32_t gpu_row, const Scope& scope) {
  const model::Stream& stream = trace.streams[trace.gpu.stream[gpu_row]];
  return (!scope.device || stream.device == *scope.device) &&
         (!scope.link_domain || stream.link_domain == *scope.link_domain);
}

// One issuing call and its device work.
struct Launch {
  uint32_t call;
  uint32_t first_row = kNone;  // first device row to start; kNone if there is no record
  uint32_t rows = 0;
  int64_t end_ns = 0;  // last end of its rows
};

// Issuing calls of the scope, by thread and time. A driver call inside a runtime call is the same launch.
std::vector<Launch> Collect(const Index& index, const Scope& scope) {
  const model::Trace& trace = index.trace();
  std::vector<Launch> launches;
  for (const Rank& rank : index.ranks()) {
    if (scope.link_domain && rank.link_domain != *scope.link_domain) continue;
    for (const uint32_t thread : rank.issuing_threads) {
      const auto range = trace.thread_rows[thread];
      for (uint32_t row = range.begin; row < range.end; ++row) {
        if (!index.is_call(row) || !Issues(index.call_kind(row)) || !scope.window.Contains(trace.host.start_ns[row]))
          continue;
        const uint32_t parent = trace.host.parent[row];
        if (parent != kNone && index.is_call(parent) && Issues(index.call_kind(parent))) continue;
        Launch launch{row};
        for (const uint32_t gpu_row : index.IssuedBy(row)) {
          if (!InScope(trace, gpu_row, scope)) continue;
          if (launch.rows++ == 0) launch.first_row = gpu_row;
          launch.end_ns = std::max(launch.end_ns, trace.gpu.end_ns(gpu_row));
        }
        if (scope.device && launch.rows == 0) continue;
        launches.push_back(launch);
      }
    }
  }
  return launches;
}

// For each device row, the end of all work before it on its stream; INT64_MIN for the first.
std::vector<int64_t> StreamFreeAt(const model::Trace& trace) {
  std::vector<int64_t> out(trace.gpu.size(), INT64_MIN);
  for (const auto& rows : trace.stream_rows) {
    int64_t end = INT64_MIN;
    for (const uint32_t row : rows) {
      out[row] = end;
      end = std::max(end, trace.gpu.end_ns(row));
    }
  }
  return out;
}

// Launches on a stream that were issued and not finished at a moment.
class StreamQueues {
 public:
  StreamQueues(const model::Trace& trace, const std::vector<Launch>& launches) {
    for (const Launch& launch : launches) {
      if (launch.rows == 0) continue;
      Queue& queue = queues_[trace.gpu.stream[launch.first_row]];
      queue.issues.push_back(trace.host.start_ns[launch.call]);
      queue.ends.push_back(launch.end_ns);
    }
    for (auto& [stream, queue] : queues_) {
      std::sort(queue.issues.begin(), queue.issues.end());
      std::sort(queue.ends.begin(), queue.ends.end());
    }
  }
  size_t DepthAt(uint32_t stream, int64_t time_ns) const {
    const Queue& queue = queues_.at(stream);
    const auto issued = std::lower_bound(queue.issues.begin(), queue.issues.end(), time_ns) - queue.issues.begin();
    const auto ended = std::upper_bound(queue.ends.begin(), queue.ends.end(), time_ns) - queue.ends.begin();
    return issued > ended ? static_cast<size_t>(issued - ended) : 0;
  }

 private:
  struct Queue {
    std::vector<int64_t> issues, ends;
  };
  std::unordered_map<uint32_t, Queue> queues_;
};

struct Times {
  std::vector<int64_t> call, graph_call, from_start, from_end, idle, interval;
};

void Measure(const Index& index, const std::vector<Launch>& launches, Times* times, LaunchSummary* out) {
  const model::Trace& trace = index.trace();
  const std::vector<int64_t> free_at = StreamFreeAt(trace);
  uint32_t last_call = kNone;
  for (const Launch& launch : launches) {
    const CallKind kind = index.call_kind(launch.call);
    const int64_t begin = trace.host.start_ns[launch.call], end = trace.host.end_ns(launch.call);
    ++out->launches;
    out->kernel_launches += kind == CallKind::kLaunch;
    out->graph_launches += kind == CallKind::kGraphLaunch;
    out->copy_calls += kind == CallKind::kCopyAsync || kind == CallKind::kCopySync;
    out->memset_calls += kind == CallKind::kMemset;
    if (kind == CallKind::kLaunch) times->call.push_back(end - begin);
    if (kind == CallKind::kGraphLaunch) {
      times->graph_call.push_back(end - begin);
      out->graph_nodes += launch.rows;
    }
    if (last_call != kNone && trace.host.thread[last_call] == trace.host.thread[launch.call]) {
      times->interval.push_back(begin - trace.host.start_ns[last_call]);
    }
    last_call = launch.call;
    if (launch.rows == 0) {
      ++out->unmatched;
      continue;
    }
    const int64_t start = trace.gpu.start_ns[launch.first_row];
    times->from_start.push_back(start - begin);
    times->from_end.push_back(start - end);
    if (free_at[launch.first_row] <= begin) times->idle.push_back(start - end);
  }
}

void CountBlocked(const model::Trace& trace, const std::vector<Launch>& launches, double usual_ns, LaunchSummary* out) {
  const StreamQueues queues(trace, launches);
  for (const Launch& launch : launches) {
    const int64_t dur = trace.host.dur_ns[launch.call];
    if (launch.rows == 0 || dur < kBlockedNs || static_cast<double>(dur) < kBlockedFactor * usual_ns) continue;
    if (queues.DepthAt(trace.gpu.stream[launch.first_row], trace.host.start_ns[launch.call]) < kFullQueue) continue;
    ++out->blocked_launches;
    out->blocked_ns += dur - static_cast<int64_t>(usual_ns);
  }
}

std::vector<QueuePoint> Depths(const model::Trace& trace, const std::vector<Launch>& launches) {
  struct Change {
    int64_t time_ns;
    int32_t by;
  };
  std::vector<Change> changes;
  for (const Launch& launch : launches) {
    if (launch.rows == 0) continue;
    const int64_t issue = trace.host.start_ns[launch.call];
    changes.push_back({issue, 1});
    changes.push_back({std::max(issue, launch.end_ns), -1});
  }
  // Ends before issues at one moment; an item of no length still counts.
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return a.time_ns != b.time_ns ? a.time_ns < b.time_ns : a.by > b.by;
  });
  std::vector<QueuePoint> points;
  int32_t depth = 0;
  for (const Change& change : changes) {
    depth += change.by;
    if (!points.empty() && points.back().time_ns == change.time_ns) {
      points.back().depth = static_cast<uint32_t>(std::max(depth, 0));
    } else {
      points.push_back({change.time_ns, static_cast<uint32_t>(std::max(depth, 0))});
    }
  }
  return points;
}

void SummarizeDepth(const std::vector<QueuePoint>& points, LaunchSummary* out) {
  double area = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    out->queue_depth_max = std::max(out->queue_depth_max, points[i].depth);
    if (i + 1 < points.size())
      area += static_cast<double>(points[i].depth) * static_cast<double>(points[i + 1].time_ns - points[i].time_ns);
  }
  if (points.size() > 1 && points.back().time_ns > points.front().time_ns) {
    out->queue_depth_mean = area / static_cast<double>(points.back().time_ns - points.front().time_ns);
  }
}

// Idle time of the devices, split at the moment the next item had been issued.
void SplitIdle(const Index& index, const Scope& scope, LaunchSummary* out) {
  const model::Trace& trace = index.trace();
  std::map<uint32_t, int64_t> busy_until;  // by device
  int64_t begin = INT64_MAX, end = INT64_MIN;
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    if (!InScope(trace, row, scope) || !scope.window.Touches(trace.gpu.start_ns[row], trace.gpu.end_ns(row))) continue;
    const int64_t start = scope.window.ClipBegin(trace.gpu.start_ns[row]),
                  stop = scope.window.ClipEnd(trace.gpu.end_ns(row));
    begin = std::min(begin, start);
    end = std::max(end, stop);
    const auto [it, fresh] = busy_until.try_emplace(trace.streams[trace.gpu.stream[row]].device,
                                                    scope.window.begin_ns == INT64_MIN ? start : scope.window.begin_ns);
    if (start > it->second) {
      const uint32_t call = trace.gpu.call[row];
      const int64_t issued = call == kNone ? start : std::clamp(trace.host.end_ns(call), it->second, start);
      // Without a call nothing says who was late: leave it to the rest.
      if (call != kNone) out->host_late_ns += issued - it->second;
      out->device_late_ns += start - (call == kNone ? it->second : issued);
    }
    it->second = std::max(it->second, stop);
  }
  if (busy_until.empty()) return;
  if (scope.window.begin_ns != INT64_MIN) begin = scope.window.begin_ns;
  if (scope.window.end_ns != INT64_MAX) {
    end = scope.window.end_ns;
    for (const auto& [device, until] : busy_until) out->device_late_ns += std::max<int64_t>(0, end - until);
  }
  const double total = static_cast<double>(end - begin) * static_cast<double>(busy_until.size());
  if (total <= 0) return;
  out->host_late_pct = 100.0 * static_cast<double>(out->host_late_ns) / total;
  out->device_idle_pct = 100.0 * static_cast<double>(out->host_late_ns + out->device_late_ns) / total;
}

uint64_t CountAllocatorCalls(const Index& index, const Scope& scope) {
  const model::Trace& trace = index.trace();
  uint64_t count = 0;
  for (uint32_t row = 0; row < trace.host.size(); ++row) {
    if (!index.is_call(row) || !scope.window.Contains(trace.host.start_ns[row])) continue;
    const CallKind kind = index.call_kind(row);
    if (kind != CallKind::kDeviceAlloc && kind != CallKind::kDeviceFree) continue;
    if (!scope.link_domain || trace.HostDomain(row) == *scope.link_domain) ++count;
  }
  return count;
}

}  // namespace

LaunchSummary SummarizeLaunches(const Index& index, const Scope& scope, const Steps* steps) {
  const model::Trace& trace = index.trace();
  LaunchSummary out;
  const std::vector<Launch> launches = Collect(index, scope);
  Times times;
  Measure(index, launches, &times, &out);
  out.call = Distribute(std::move(times.call));
  out.graph_call = Distribute(std::move(times.graph_call));
  out.delay_from_call_start = Distribute(std::move(times.from_start));
  out.delay_from_call_end = Distribute(std::move(times.from_end));
  out.idle_delay = Distribute(std::move(times.idle));
  out.host_interval = Distribute(std::move(times.interval));
  std::vector<int64_t> kernels;
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    if (trace.gpu.kind[row] == GpuKind::kKernel && InScope(trace, row, scope) &&
        scope.window.Contains(trace.gpu.start_ns[row])) {
      kernels.push_back(trace.gpu.dur_ns[row]);
    }
  }
  out.kernel = Distribute(std::move(kernels));
  CountBlocked(trace, launches, out.call.median_ns, &out);
  SummarizeDepth(Depths(trace, launches), &out);
  SplitIdle(index, scope, &out);
  out.allocator_calls = CountAllocatorCalls(index, scope);
  if (steps != nullptr && steps->counted() > 0)
    out.launches_per_step = static_cast<double>(out.launches) / std::max(steps->equivalents(), 1.0);
  return out;
}

std::vector<LaunchRow> LaunchesByKernel(const Index& index, const Scope& scope) {
  const model::Trace& trace = index.trace();
  struct Sum {
    LaunchRow row;
    std::vector<int64_t> delays;
  };
  std::unordered_map<model::StringId, Sum> sums;
  for (const Launch& launch : Collect(index, scope)) {
    if (launch.rows == 0 || index.call_kind(launch.call) != CallKind::kLaunch) continue;
    Sum& sum = sums[trace.gpu.name[launch.first_row]];
    sum.row.name = trace.gpu.name[launch.first_row];
    ++sum.row.count;
    const int64_t call_ns = trace.host.dur_ns[launch.call], kernel_ns = trace.gpu.dur_ns[launch.first_row];
    sum.row.call_ns += call_ns;
    sum.row.kernel_ns += kernel_ns;
    sum.row.shorter_than_launch += kernel_ns < call_ns;
    sum.delays.push_back(trace.gpu.start_ns[launch.first_row] - trace.host.end_ns(launch.call));
  }
  std::vector<LaunchRow> out;
  for (auto& [name, sum] : sums) {
    sum.row.delay_from_call_end = Distribute(std::move(sum.delays));
    out.push_back(std::move(sum.row));
  }
  std::sort(out.begin(), out.end(), [&](const LaunchRow& a, const LaunchRow& b) {
    return a.count != b.count ? a.count > b.count : trace.Text(a.name) < trace.Text(b.name);
  });
  return out;
}

std::vector<QueuePoint> QueueDepth(const Index& index, const Scope& scope, size_t max_points) {
  std::vector<QueuePoint> points = Depths(index.trace(), Collect(index, scope));
  max_points = std::max<size_t>(max_points, 2);
  if (points.size() <= max_points) return points;
  // Keep the deepest point of each bucket.
  std::vector<QueuePoint> out;
  const size_t bucket = (points.size() + max_points - 1) / max_points;
  for (size_t i = 0; i < points.size(); i += bucket) {
    const auto end = points.begin() + static_cast<int64_t>(std::min(points.size(), i + bucket));
    out.push_back(*std::max_element(points.begin() + static_cast<int64_t>(i), end,
                                    [](const QueuePoint& a, const QueuePoint& b) { return a.depth < b.depth; }));
  }
  return out;
}

}  // namespace warpscope::analysis
