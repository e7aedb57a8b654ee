#include "import/clocks.h"

#include <algorithm>
#include <optional>

namespace warpscope::import {
namespace {

using model::Trace;

constexpr int64_t kEpochNs = 946684800LL * 1000 * 1000 * 1000;  // 2000-01-01: later times are epoch times
constexpr size_t kMinCollectives = 3;

struct Window {
  int64_t begin_ns = INT64_MAX, end_ns = INT64_MIN;
  void Add(int64_t start_ns, int64_t end) {
    begin_ns = std::min(begin_ns, start_ns);
    end_ns = std::max(end_ns, end);
  }
  bool empty() const { return begin_ns > end_ns; }
  bool Overlaps(const Window& other) const { return begin_ns <= other.end_ns && other.begin_ns <= end_ns; }
};

uint32_t SourceOfGpu(const Trace& trace, uint32_t row) {
  return trace.devices[trace.streams[trace.gpu.stream[row]].device].source;
}
uint32_t SourceOfHost(const Trace& trace, uint32_t row) {
  return trace.processes[trace.threads[trace.host.thread[row]].process].source;
}

std::vector<Window> Windows(const Trace& trace) {
  std::vector<Window> windows(trace.sources.size());
  for (uint32_t row = 0; row < trace.host.size(); ++row)
    windows[SourceOfHost(trace, row)].Add(trace.host.start_ns[row], trace.host.end_ns(row));
  for (uint32_t row = 0; row < trace.gpu.size(); ++row)
    windows[SourceOfGpu(trace, row)].Add(trace.gpu.start_ns[row], trace.gpu.end_ns(row));
  return windows;
}

// Ends of the collectives of one rank, in order. Point-to-point kernels end at different times and are left out.
std::vector<int64_t> CollectiveEnds(const Trace& trace, uint32_t source) {
  std::vector<int64_t> ends;
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    if (trace.gpu.kind[row] != model::GpuKind::kKernel || SourceOfGpu(trace, row) != source) continue;
    const std::string_view name = trace.GpuName(row);
    const bool collective = name.find("nccl") != std::string_view::npos || name.find("rccl") != std::string_view::npos;
    if (collective && name.find("SendRecv") == std::string_view::npos) ends.push_back(trace.gpu.end_ns(row));
  }
  std::sort(ends.begin(), ends.end());
  return ends;
}

// What to add to the second clock; nothing if the two do not fit one another.
std::optional<int64_t> Offset(const std::vector<int64_t>& first, const std::vector<int64_t>& second) {
  if (first.size() != second.size() || first.size() < kMinCollectives) return std::nullopt;
  std::vector<int64_t> apart(first.size());
  for (size_t i = 0; i < first.size(); ++i) apart[i] = first[i] - second[i];
  std::sort(apart.begin(), apart.end());
  const int64_t middle = apart[apart.size() / 2];
  const int64_t spread = apart[apart.size() * 3 / 4] - apart[apart.size() / 4];
  const int64_t step = (first.back() - first.front()) / static_cast<int64_t>(first.size() - 1);
  if (spread > step / 4) return std::nullopt;
  return middle;
}

void Shift(Trace* trace, uint32_t source, int64_t offset_ns) {
  for (uint32_t row = 0; row < trace->host.size(); ++row) {
    if (SourceOfHost(*trace, row) == source) trace->host.start_ns[row] += offset_ns;
  }
  for (uint32_t row = 0; row < trace->gpu.size(); ++row) {
    if (SourceOfGpu(*trace, row) == source) trace->gpu.start_ns[row] += offset_ns;
  }
  const auto of_stream = [&](uint32_t stream) {
    return stream != model::kNone && trace->devices[trace->streams[stream].device].source == source;
  };
  for (model::GpuAnnotation& row : trace->gpu_annotations) {
    if (of_stream(row.stream)) row.start_ns += offset_ns;
  }
  for (model::Sync& row : trace->syncs) {
    if (of_stream(row.stream) || of_stream(row.wait_on_stream)) row.start_ns += offset_ns;
  }
  for (model::MemoryEvent& row : trace->memory) {
    if (row.thread != model::kNone && trace->processes[trace->threads[row.thread].process].source == source)
      row.time_ns += offset_ns;
  }
  for (model::CounterSample& row : trace->counters) {
    if (row.device != model::kNone && trace->devices[row.device].source == source) row.time_ns += offset_ns;
  }
}

}  // namespace

void AlignClocks(Trace* trace) {
  if (trace->sources.size() < 2) return;
  const std::vector<Window> windows = Windows(*trace);
  size_t first = 0;
  while (first < windows.size() && windows[first].empty()) ++first;
  if (first == windows.size()) return;
  const auto absolute = [&](size_t i) {
    return trace->sources[i].base_time_ns.has_value() || windows[i].begin_ns > kEpochNs;
  };
  std::vector<int64_t> reference;
  for (uint32_t i = static_cast<uint32_t>(first) + 1; i < windows.size(); ++i) {
    if (windows[i].empty() || (absolute(first) && absolute(i) && windows[i].Overlaps(windows[first]))) continue;
    if (reference.empty()) reference = CollectiveEnds(*trace, static_cast<uint32_t>(first));
    if (const auto offset = Offset(reference, CollectiveEnds(*trace, i))) {
      Shift(trace, i, *offset);
      trace->ledger.Add(model::LedgerCode::kAlignedClock, 1, std::nullopt, std::to_string(*offset) + " ns",
                        trace->sources[i].path);
    } else {
      trace->ledger.Add(model::LedgerCode::kClockSkew, 1, std::nullopt, {}, trace->sources[i].path);
    }
  }
}

}  // namespace warpscope::import
