#include "model/adopt.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace warpscope::model {
namespace {

// By thread, start, the longer first; a parent comes before its children on the same thread and holds them.
bool HostInOrder(const HostTable& host, uint32_t begin, uint32_t end) {
  for (uint32_t row = begin; row < end; ++row) {
    const uint32_t parent = host.parent[row];
    if (parent != kNone && (parent >= row || host.thread[parent] != host.thread[row] ||
                            host.start_ns[parent] > host.start_ns[row] || host.end_ns(parent) < host.end_ns(row)))
      return false;
    if (row == 0) continue;
    if (host.thread[row - 1] != host.thread[row]) {
      if (host.thread[row - 1] > host.thread[row]) return false;
      continue;
    }
    if (host.start_ns[row - 1] != host.start_ns[row]) {
      if (host.start_ns[row - 1] > host.start_ns[row]) return false;
      continue;
    }
    if (host.dur_ns[row - 1] < host.dur_ns[row]) return false;
  }
  return true;
}

bool GpuInOrder(const GpuTable& gpu, uint32_t host_rows) {
  for (uint32_t row = 0; row < gpu.size(); ++row) {
    if (gpu.call[row] != kNone && gpu.call[row] >= host_rows) return false;
    if (row > 0 && gpu.start_ns[row - 1] >= gpu.start_ns[row] &&
        (gpu.start_ns[row - 1] > gpu.start_ns[row] || gpu.stream[row - 1] > gpu.stream[row]))
      return false;
  }
  return true;
}

template <typename Row, typename Time>
bool Sorted(const std::vector<Row>& rows, Time time) {
  return std::is_sorted(rows.begin(), rows.end(), [&](const Row& a, const Row& b) { return time(a) < time(b); });
}

void ListThreads(Trace& trace) {
  trace.thread_rows.assign(trace.threads.size(), {});
  const std::vector<uint32_t>& thread = trace.host.thread;
  auto at = thread.begin();
  for (uint32_t i = 0; i < trace.threads.size(); ++i) {
    const auto end = std::upper_bound(at, thread.end(), i);
    trace.thread_rows[i] = {static_cast<uint32_t>(at - thread.begin()), static_cast<uint32_t>(end - thread.begin())};
    at = end;
  }
}

void ListStreams(Trace& trace) {
  std::vector<uint32_t> rows(trace.streams.size(), 0);
  for (const uint32_t stream : trace.gpu.stream) ++rows[stream];
  trace.stream_rows.assign(trace.streams.size(), {});
  for (size_t i = 0; i < rows.size(); ++i) trace.stream_rows[i].reserve(rows[i]);
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) trace.stream_rows[trace.gpu.stream[row]].push_back(row);
}

}  // namespace

bool AdoptFinished(Trace* trace) {
  const HostTable& host = trace->host;
  if (host.parent.size() != host.size() || trace->gpu.call.size() != trace->gpu.size()) return false;
  std::atomic<bool> good{true};
  const uint32_t half = host.size() / 2;
  std::thread other([&] {
    if (!HostInOrder(host, 0, half)) good = false;
    if (!GpuInOrder(trace->gpu, host.size())) good = false;
    if (good) ListStreams(*trace);
  });
  if (!HostInOrder(host, half, host.size())) good = false;
  const bool rest = Sorted(trace->gpu_annotations, [](const GpuAnnotation& row) { return row.start_ns; }) &&
                    Sorted(trace->syncs, [](const Sync& row) { return row.start_ns; }) &&
                    Sorted(trace->memory, [](const MemoryEvent& row) { return row.time_ns; }) &&
                    Sorted(trace->counters, [](const CounterSample& row) { return row.time_ns; });
  other.join();
  if (!good || !rest) {
    trace->stream_rows.clear();
    return false;
  }
  ListThreads(*trace);
  return true;
}

}  // namespace warpscope::model
