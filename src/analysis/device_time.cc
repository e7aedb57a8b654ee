#include "analysis/device_time.h"

#include <algorithm>
#include <array>

namespace warpscope::analysis {
namespace {

using model::GpuKind;

// Whether the row counts for the scope, window apart.
bool InScope(const model::Trace& trace, uint32_t row, const Scope& scope) {
  const model::Stream& stream = trace.streams[trace.gpu.stream[row]];
  if (scope.device && stream.device != *scope.device) return false;
  return !scope.link_domain || stream.link_domain == *scope.link_domain;
}

bool IsClass(const Index& index, uint32_t row, GpuClass gpu_class) {
  const GpuKind kind = index.trace().gpu.kind[row];
  const bool kernel = kind == GpuKind::kKernel || kind == GpuKind::kGraphLaunch;
  switch (gpu_class) {
    case GpuClass::kAny: return true;
    case GpuClass::kKernel: return kernel;
    case GpuClass::kCompute: return kernel && !index.is_communication(row);
    case GpuClass::kCommunication: return index.is_communication(row);
    case GpuClass::kCopy: return kind == GpuKind::kCopy;
    case GpuClass::kMemset: return kind == GpuKind::kMemset;
  }
  return false;
}

struct Classes {
  IntervalSet any, kernel, compute, copy, memset, communication;
};

// Time with k rows open, by a sweep over sorted starts and ends.
std::vector<int64_t> Concurrency(std::vector<int64_t> starts, std::vector<int64_t> ends, int64_t begin, int64_t end) {
  std::vector<int64_t> out(kMaxConcurrency + 1, 0);
  std::sort(starts.begin(), starts.end());
  std::sort(ends.begin(), ends.end());
  size_t s = 0, e = 0, open = 0;
  int64_t now = begin;
  const auto pass = [&](int64_t to) {
    if (to > now) out[std::min(open, kMaxConcurrency)] += to - now;
    now = std::max(now, to);
  };
  while (e < ends.size()) {
    if (s < starts.size() && starts[s] < ends[e]) {
      pass(starts[s++]);
      ++open;
    } else {
      pass(ends[e++]);
      --open;
    }
  }
  pass(end);
  while (out.size() > 1 && out.back() == 0) out.pop_back();
  return out;
}

std::vector<std::vector<uint32_t>> RowsByDevice(const Index& index, const Scope& scope) {
  const model::Trace& trace = index.trace();
  std::vector<std::vector<uint32_t>> out(trace.devices.size());
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    if (!InScope(trace, row, scope) || !scope.window.Touches(trace.gpu.start_ns[row], trace.gpu.end_ns(row))) continue;
    out[trace.streams[trace.gpu.stream[row]].device].push_back(row);
  }
  return out;
}

void CountStreams(const model::Trace& trace, const std::vector<uint32_t>& rows, const Window& window, DeviceTime* out) {
  std::vector<uint32_t> slot(trace.streams.size(), UINT32_MAX);
  std::vector<int64_t> open_until;
  for (const uint32_t row : rows) {
    uint32_t& at = slot[trace.gpu.stream[row]];
    const int64_t begin = window.ClipBegin(trace.gpu.start_ns[row]);
    const int64_t end = window.ClipEnd(trace.gpu.end_ns(row));
    if (at == UINT32_MAX) {
      at = static_cast<uint32_t>(out->streams.size());
      StreamTime stream;
      stream.stream = trace.gpu.stream[row];
      stream.first_start_ns = begin;
      out->streams.push_back(stream);
      open_until.push_back(INT64_MIN);
    }
    StreamTime& stream = out->streams[at];
    ++stream.rows;
    stream.kernels += trace.gpu.kind[row] == GpuKind::kKernel;
    stream.copies += trace.gpu.kind[row] == GpuKind::kCopy;
    stream.memsets += trace.gpu.kind[row] == GpuKind::kMemset;
    stream.sum_ns += end - begin;
    stream.busy_ns += std::max<int64_t>(0, end - std::max(begin, open_until[at]));
    open_until[at] = std::max(open_until[at], end);
    stream.last_end_ns = std::max(stream.last_end_ns, end);
  }
  std::stable_sort(out->streams.begin(), out->streams.end(), [](const StreamTime& a, const StreamTime& b) {
    return a.busy_ns != b.busy_ns ? a.busy_ns > b.busy_ns : a.stream < b.stream;
  });
}

Classes Classify(const Index& index, const std::vector<uint32_t>& rows, const Window& window) {
  const model::Trace& trace = index.trace();
  Classes out;
  for (const uint32_t row : rows) {
    const int64_t begin = window.ClipBegin(trace.gpu.start_ns[row]);
    const int64_t end = window.ClipEnd(trace.gpu.end_ns(row));
    out.any.Append(begin, end);
    switch (trace.gpu.kind[row]) {
      case GpuKind::kCopy: out.copy.Append(begin, end); break;
      case GpuKind::kMemset: out.memset.Append(begin, end); break;
      default:
        out.kernel.Append(begin, end);
        (index.is_communication(row) ? out.communication : out.compute).Append(begin, end);
    }
  }
  return out;
}

DeviceTime OfDevice(const Index& index, uint32_t device, const std::vector<uint32_t>& rows, const Window& window) {
  const model::Trace& trace = index.trace();
  DeviceTime out;
  out.device = device;
  const Classes classes = Classify(index, rows, window);
  std::vector<int64_t> starts, ends;
  out.begin_ns = window.ClipBegin(trace.gpu.start_ns[rows.front()]);
  for (const uint32_t row : rows) {
    out.kernels += trace.gpu.kind[row] == GpuKind::kKernel;
    out.copies += trace.gpu.kind[row] == GpuKind::kCopy;
    out.memsets += trace.gpu.kind[row] == GpuKind::kMemset;
    const int64_t begin = window.ClipBegin(trace.gpu.start_ns[row]), end = window.ClipEnd(trace.gpu.end_ns(row));
    out.end_ns = std::max(out.end_ns, end);
    if (begin >= end) continue;
    starts.push_back(begin);
    ends.push_back(end);
  }
  if (window.begin_ns != INT64_MIN) out.begin_ns = window.begin_ns;
  if (window.end_ns != INT64_MAX) out.end_ns = window.end_ns;
  out.busy_ns = classes.any.length_ns();
  out.idle_ns = out.end_ns - out.begin_ns - out.busy_ns;
  out.compute_ns = classes.compute.length_ns();
  out.copy_ns = classes.copy.length_ns();
  out.communication_ns = classes.communication.length_ns();
  out.memset_ns = classes.memset.length_ns();
  out.kernel_ns = classes.kernel.length_ns();
  out.kernel_copy_overlap_ns = classes.kernel.IntersectionLength(classes.copy);
  out.compute_copy_overlap_ns = classes.compute.IntersectionLength(classes.copy);
  out.compute_communication_overlap_ns = classes.compute.IntersectionLength(classes.communication);
  out.exposed_communication_ns = out.communication_ns - out.compute_communication_overlap_ns;
  out.exposed_copy_ns = out.copy_ns - out.kernel_copy_overlap_ns;
  out.concurrency_ns = Concurrency(std::move(starts), std::move(ends), out.begin_ns, out.end_ns);
  CountStreams(trace, rows, window, &out);
  return out;
}

}  // namespace

std::vector<DeviceTime> DeviceTimes(const Index& index, const Scope& scope) {
  const auto by_device = RowsByDevice(index, scope);
  std::vector<DeviceTime> out;
  for (uint32_t device = 0; device < by_device.size(); ++device) {
    if (by_device[device].empty()) continue;
    out.push_back(OfDevice(index, device, by_device[device], scope.window));
  }
  return out;
}

IntervalSet GpuIntervals(const Index& index, const Scope& scope, GpuClass gpu_class) {
  const model::Trace& trace = index.trace();
  IntervalSet out;
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    if (!InScope(trace, row, scope) || !scope.window.Touches(trace.gpu.start_ns[row], trace.gpu.end_ns(row))) continue;
    if (!IsClass(index, row, gpu_class)) continue;
    out.Append(scope.window.ClipBegin(trace.gpu.start_ns[row]), scope.window.ClipEnd(trace.gpu.end_ns(row)));
  }
  return out;
}

}  // namespace warpscope::analysis
