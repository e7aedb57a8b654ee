#include "import/clocks.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

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

// The files of one recording share its clock: the first of them stands for all.
std::vector<uint32_t> Recordings(const Trace& trace) {
  std::vector<uint32_t> recording(trace.sources.size());
  std::map<std::string_view, uint32_t> first;
  for (uint32_t i = 0; i < recording.size(); ++i) {
    const std::string& part_of = trace.sources[i].part_of;
    recording[i] = part_of.empty() ? i : first.try_emplace(part_of, i).first->second;
  }
  return recording;
}

// Which recording a row belongs to.
class Owners {
 public:
  explicit Owners(const Trace& trace) : trace_(trace), recording_(Recordings(trace)) {}
  uint32_t OfGpu(uint32_t row) const { return OfStream(trace_.gpu.stream[row]); }
  uint32_t OfHost(uint32_t row) const { return OfThread(trace_.host.thread[row]); }
  uint32_t OfThread(uint32_t thread) const { return OfProcess(trace_.threads[thread].process); }
  uint32_t OfProcess(uint32_t process) const { return recording_[trace_.processes[process].source]; }
  uint32_t OfStream(uint32_t stream) const { return OfDevice(trace_.streams[stream].device); }
  uint32_t OfDevice(uint32_t device) const { return recording_[trace_.devices[device].source]; }

 private:
  const Trace& trace_;
  const std::vector<uint32_t> recording_;
};

std::vector<Window> Windows(const Trace& trace, const Owners& owners) {
  std::vector<Window> windows(trace.sources.size());
  for (uint32_t row = 0; row < trace.host.size(); ++row)
    windows[owners.OfHost(row)].Add(trace.host.start_ns[row], trace.host.end_ns(row));
  for (uint32_t row = 0; row < trace.gpu.size(); ++row)
    windows[owners.OfGpu(row)].Add(trace.gpu.start_ns[row], trace.gpu.end_ns(row));
  return windows;
}

// Ends of the collectives of one rank, in order. Point-to-point kernels end at different times and are left out.
std::vector<int64_t> CollectiveEnds(const Trace& trace, const Owners& owners, uint32_t source) {
  std::vector<int64_t> ends;
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    if (trace.gpu.kind[row] != model::GpuKind::kKernel || owners.OfGpu(row) != source) continue;
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

void Shift(Trace* trace, const Owners& owners, uint32_t source, int64_t offset_ns) {
  for (uint32_t row = 0; row < trace->host.size(); ++row) {
    if (owners.OfHost(row) == source) trace->host.start_ns[row] += offset_ns;
  }
  for (uint32_t row = 0; row < trace->gpu.size(); ++row) {
    if (owners.OfGpu(row) == source) trace->gpu.start_ns[row] += offset_ns;
  }
  const auto of_stream = [&](uint32_t stream) { return stream != model::kNone && owners.OfStream(stream) == source; };
  for (model::GpuAnnotation& row : trace->gpu_annotations) {
    if (of_stream(row.stream)) row.start_ns += offset_ns;
  }
  for (model::Sync& row : trace->syncs) {
    if (of_stream(row.stream) || of_stream(row.wait_on_stream)) row.start_ns += offset_ns;
  }
  for (model::MemoryEvent& row : trace->memory) {
    if (row.thread != model::kNone && owners.OfThread(row.thread) == source) row.time_ns += offset_ns;
  }
  for (model::CounterSample& row : trace->counters) {
    if (row.device != model::kNone && owners.OfDevice(row.device) == source) row.time_ns += offset_ns;
  }
  for (model::CounterWindow& row : trace->counter_windows) {
    if (row.device == model::kNone || owners.OfDevice(row.device) != source) continue;
    row.start_ns += offset_ns;
    for (uint32_t sample = row.sample_begin; sample < row.sample_end; ++sample)
      trace->device_samples[sample].start_ns += offset_ns;
  }
  for (model::Pause& row : trace->pauses) {
    if (owners.OfProcess(row.process) == source) row.begin_ns += offset_ns, row.end_ns += offset_ns;
  }
  for (model::PcWindow& row : trace->pc_windows) {
    if (row.device != model::kNone && owners.OfDevice(row.device) == source) row.start_ns += offset_ns;
  }
}

// Recorders whose times are of the machine's boot clock, which the recordings of one machine share.
bool HasBootClock(const model::Source& source) {
  constexpr std::string_view kFormats[] = {"rocpd", "rocprof", "rocprof_compute", "rocprofv3"};
  return std::find(std::begin(kFormats), std::end(kFormats), source.format) != std::end(kFormats);
}

bool SameMachine(const model::Source& a, const model::Source& b) {
  return HasBootClock(a) && HasBootClock(b) && a.host_name == b.host_name;
}

}  // namespace

void AlignClocks(Trace* trace) {
  if (trace->sources.size() < 2) return;
  const Owners owners(*trace);
  const std::vector<Window> windows = Windows(*trace, owners);
  size_t first = 0;
  while (first < windows.size() && windows[first].empty()) ++first;
  if (first == windows.size()) return;
  const auto absolute = [&](size_t i) {
    return trace->sources[i].base_time_ns.has_value() || windows[i].begin_ns > kEpochNs;
  };
  std::vector<int64_t> reference;
  for (uint32_t i = static_cast<uint32_t>(first) + 1; i < windows.size(); ++i) {
    const bool one_clock = (absolute(first) && absolute(i)) || SameMachine(trace->sources[first], trace->sources[i]);
    if (windows[i].empty() || (one_clock && windows[i].Overlaps(windows[first]))) continue;
    if (reference.empty()) reference = CollectiveEnds(*trace, owners, static_cast<uint32_t>(first));
    if (const auto offset = Offset(reference, CollectiveEnds(*trace, owners, i))) {
      Shift(trace, owners, i, *offset);
      trace->ledger.Add(model::LedgerCode::kAlignedClock, 1, std::nullopt, std::to_string(*offset) + " ns",
                        trace->sources[i].path);
    } else {
      trace->ledger.Add(model::LedgerCode::kClockSkew, 1, std::nullopt, {}, trace->sources[i].path);
    }
  }
}

}  // namespace warpscope::import
