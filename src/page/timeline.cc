#include "page/timeline.h"

#include <algorithm>
#include <numeric>

#include "page/groups.h"
#include "page/lanes.h"

namespace warpscope::page {
namespace {

using model::kNone;

// Also short ones: a device that waits for each launch idles in thousands of them. The longest are kept.
constexpr int64_t kShortestGapNs = 1'000;
constexpr size_t kMaxGaps = 20'000, kMaxGapsOfDevice = 5'000;

// "data loading" -> "data_loading": the name of the same part of a verdict's breakdown.
std::string WordOf(analysis::GapCause cause) {
  std::string word(analysis::GapCauseName(cause));
  for (char& c : word) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    else if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9')) c = '_';
  }
  return word;
}

}  // namespace

Timeline::Timeline(const analysis::Index& of, Names* names, const TimelineOptions& options)
    : index(of), trace(of.trace()), series(SeriesOf(of)) {
  for (size_t cause = 0; cause < analysis::kGapCauses; ++cause)
    cause_names_.push_back(names->Own(WordOf(static_cast<analysis::GapCause>(cause))));
  track_of_thread_.assign(trace.threads.size(), kNone);
  track_of_stream_.assign(trace.streams.size(), kNone);
  gap_track_of_device_.assign(trace.devices.size(), kNone);
  device_done_.assign(trace.devices.size(), false);
  series_done_.assign(series.size(), false);
  streams_of_device_.resize(trace.devices.size());
  for (uint32_t stream = 0; stream < trace.streams.size(); ++stream) {
    if (trace.streams[stream].device != kNone) streams_of_device_[trace.streams[stream].device].push_back(stream);
  }
  annotations_of_stream_.resize(trace.streams.size());
  for (uint32_t row = 0; row < trace.gpu_annotations.size(); ++row)
    annotations_of_stream_[trace.gpu_annotations[row].stream].push_back(row);
  CountLaunches();
  FindGapsOfDevices();
  ChooseShortest(options.max_spans);
  span_of_host.assign(trace.host.size(), kNone);
  rows.reserve(std::min<uint64_t>(options.max_spans, uint64_t{trace.host.size()} + trace.gpu.size()));

  for (const uint32_t process : ProcessesInOrder()) {
    AddProcess(process);
    for (uint32_t device = 0; device < trace.devices.size(); ++device) {
      const auto& streams = streams_of_device_[device];
      if (!streams.empty() && trace.streams[streams.front()].link_domain == trace.processes[process].link_domain)
        AddDevice(device);
    }
  }
  for (uint32_t device = 0; device < trace.devices.size(); ++device) AddDevice(device);
  for (uint32_t stream = 0; stream < trace.streams.size(); ++stream) {
    if (trace.streams[stream].device == kNone) AddStream(stream, "device unknown");
  }
  AddSeriesOf(kNone, "machine");

  for (const Track& track : tracks) {
    if (track.table == SpanTable::kSeries) continue;
    for (uint32_t at = lanes[track.lane_begin].begin; at < lanes[track.lane_end - 1].end; ++at) {
      names->Count(Span(track.table, rows[at]).name);
      if (track.table == SpanTable::kHost) span_of_host[rows[at]] = at;
      if (track.table != SpanTable::kGap) continue;
      for (const analysis::GapPart& part : gaps[rows[at]].parts) names->Count(part.subject);
    }
  }
}

void Timeline::CountLaunches() {
  launches_.assign(trace.threads.size(), 0);
  for (const uint32_t call : trace.gpu.call) {
    if (call != kNone) ++launches_[trace.host.thread[call]];
  }
}

void Timeline::FindGapsOfDevices() {
  gaps_of_device_.resize(trace.devices.size());
  if (trace.gpu.size() == 0) return;
  const analysis::Steps steps = analysis::FindSteps(index, index.default_domain());
  analysis::GapOptions options;
  options.threshold_ns = kShortestGapNs;
  options.max_gaps = kMaxGaps + kMaxGapsOfDevice * trace.devices.size();
  gaps = analysis::FindGaps(index, {}, &steps, options).gaps;
  gaps_cut = gaps.size() >= options.max_gaps;
  std::stable_sort(gaps.begin(), gaps.end(),
                   [](const analysis::Gap& a, const analysis::Gap& b) { return a.begin_ns < b.begin_ns; });
  for (uint32_t row = 0; row < gaps.size(); ++row) gaps_of_device_[gaps[row].device].push_back(row);
}

void Timeline::ChooseShortest(uint64_t max_spans) {
  std::vector<int64_t> durations(trace.host.dur_ns);
  durations.insert(durations.end(), trace.gpu.dur_ns.begin(), trace.gpu.dur_ns.end());
  if (durations.size() <= max_spans) return;
  const auto at = durations.begin() + static_cast<std::ptrdiff_t>(durations.size() - max_spans);
  std::nth_element(durations.begin(), at, durations.end());
  shortest_ns = *at;
  ties_left_ = static_cast<uint64_t>(std::count(at, durations.end(), shortest_ns));
}

bool Timeline::Keeps(int64_t dur_ns) {
  if (ties_left_ == UINT64_MAX || dur_ns > shortest_ns) return true;
  if (dur_ns == shortest_ns && ties_left_ > 0) {
    --ties_left_;
    return true;
  }
  ++left_out_short;
  return false;
}

std::vector<uint32_t> Timeline::ProcessesInOrder() const {
  std::vector<uint32_t> order(trace.processes.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](uint32_t process) {
    const auto rank = RankOfProcess(index, process);
    return std::make_tuple(!rank, rank.value_or(0), trace.processes[process].source, process);
  };
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
  return order;
}

void Timeline::AddProcess(uint32_t process) {
  std::vector<uint32_t> threads;
  for (uint32_t thread = 0; thread < trace.threads.size(); ++thread) {
    if (trace.threads[thread].process == process) threads.push_back(thread);
  }
  const auto key = [&](uint32_t thread) {
    const model::Trace::RowRange of = trace.thread_rows[thread];
    return std::make_tuple(UINT64_MAX - launches_[thread], UINT32_MAX - (of.end - of.begin), trace.threads[thread].tid);
  };
  std::stable_sort(threads.begin(), threads.end(), [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
  const std::string group = ProcessGroup(index, process);
  for (const uint32_t thread : threads) AddThread(thread, group);
}

void Timeline::AddThread(uint32_t thread, const std::string& group) {
  const model::Trace::RowRange of = trace.thread_rows[thread];
  if (of.begin == of.end) return;
  Track track;
  track.kind = "host";
  track.table = SpanTable::kHost;
  track.group = group;
  track.name = ThreadName(trace, thread);
  const uint32_t process = trace.threads[thread].process;
  track.pid = trace.processes[process].pid;
  track.tid = trace.threads[thread].tid;
  track.rank = RankOfProcess(index, process);
  std::vector<uint32_t> kept, parents, place(of.end - of.begin, kNone);
  for (uint32_t row = of.begin; row < of.end; ++row) {
    if (!Keeps(trace.host.dur_ns[row])) continue;
    uint32_t parent = trace.host.parent[row];
    while (parent != kNone && place[parent - of.begin] == kNone) parent = trace.host.parent[parent];
    parents.push_back(parent == kNone ? kNone : place[parent - of.begin]);
    place[row - of.begin] = static_cast<uint32_t>(kept.size());
    kept.push_back(row);
  }
  track_of_thread_[thread] = AddTrack(std::move(track), kept, parents);
}

void Timeline::AddDevice(uint32_t device) {
  if (device_done_[device]) return;
  device_done_[device] = true;
  const std::string group = DeviceGroup(index, device);
  AddGaps(device, group);
  for (const uint32_t stream : streams_of_device_[device]) AddStream(stream, group);
  for (const uint32_t stream : streams_of_device_[device]) AddAnnotations(stream, group);
  AddSeriesOf(device, group);
}

void Timeline::AddStream(uint32_t stream, const std::string& group) {
  Track track;
  track.table = SpanTable::kGpu;
  track.group = group;
  track.name = StreamName(trace, stream);
  if (trace.streams[stream].device != kNone) track.device = trace.devices[trace.streams[stream].device].id;
  track.stream = trace.streams[stream].id;
  std::vector<uint32_t> kept;
  int64_t communication_ns = 0, other_ns = 0;
  for (const uint32_t row : trace.stream_rows[stream]) {
    (index.is_communication(row) ? communication_ns : other_ns) += trace.gpu.dur_ns[row];
    if (Keeps(trace.gpu.dur_ns[row])) kept.push_back(row);
  }
  track.kind = communication_ns > other_ns ? "nccl" : "stream";
  track_of_stream_[stream] = AddTrack(std::move(track), kept, {});
}

void Timeline::AddAnnotations(uint32_t stream, const std::string& group) {
  Track track;
  track.kind = "annotation";
  track.table = SpanTable::kAnnotation;
  track.group = group;
  track.name = StreamName(trace, stream) + " ranges";
  track.device = trace.devices[trace.streams[stream].device].id;
  track.stream = trace.streams[stream].id;
  AddTrack(std::move(track), annotations_of_stream_[stream], {});
}

void Timeline::AddGaps(uint32_t device, const std::string& group) {
  Track track;
  track.kind = "gaps";
  track.table = SpanTable::kGap;
  track.group = group;
  track.name = "idle";
  track.device = trace.devices[device].id;
  gap_track_of_device_[device] = AddTrack(std::move(track), gaps_of_device_[device], {});
}

void Timeline::AddSeriesOf(uint32_t device, const std::string& group) {
  for (const std::string_view kind : {"counter", "memory", "readings"}) {
    for (uint32_t i = 0; i < series.size(); ++i) {
      if (series_done_[i] || series[i].device != device || series[i].kind != kind) continue;
      series_done_[i] = true;
      Track track;
      track.kind = kind;
      track.table = SpanTable::kSeries;
      track.group = group;
      track.name = series[i].name;
      track.unit = series[i].unit;
      track.lane_begin = track.lane_end = static_cast<uint32_t>(lanes.size());
      track.series = i;
      if (device != kNone) track.device = trace.devices[device].id;
      tracks.push_back(std::move(track));
    }
  }
}

uint32_t Timeline::AddTrack(Track track, const std::vector<uint32_t>& kept, const std::vector<uint32_t>& parents) {
  std::vector<LaneSpan> spans(kept.size());
  for (size_t i = 0; i < kept.size(); ++i) {
    spans[i] = {StartNs(track.table, kept[i]), EndNs(track.table, kept[i]), parents.empty() ? kNone : parents[i]};
  }
  const std::vector<uint16_t> lane_of = AssignLanes(spans);
  std::vector<uint32_t> counts;
  for (const uint16_t lane : lane_of) {
    if (lane == kNoLane) {
      ++left_out_deep;
      continue;
    }
    if (lane >= counts.size()) counts.resize(lane + size_t{1}, 0);
    ++counts[lane];
  }
  if (counts.empty()) return kNone;
  track.lane_begin = static_cast<uint32_t>(lanes.size());
  std::vector<uint32_t> next;
  auto at = static_cast<uint32_t>(rows.size());
  for (const uint32_t count : counts) {
    lanes.push_back({at, at + count});
    next.push_back(at);
    at += count;
    track.spans += count;
  }
  track.lane_end = static_cast<uint32_t>(lanes.size());
  rows.resize(at);
  for (size_t i = 0; i < kept.size(); ++i) {
    if (lane_of[i] != kNoLane) rows[next[lane_of[i]]++] = kept[i];
  }
  tracks.push_back(std::move(track));
  return static_cast<uint32_t>(tracks.size() - 1);
}

int64_t Timeline::StartNs(SpanTable table, uint32_t row) const {
  switch (table) {
    case SpanTable::kHost: return trace.host.start_ns[row];
    case SpanTable::kGpu: return trace.gpu.start_ns[row];
    case SpanTable::kAnnotation: return trace.gpu_annotations[row].start_ns;
    case SpanTable::kGap: return gaps[row].begin_ns;
    case SpanTable::kSeries: break;
  }
  return 0;
}

int64_t Timeline::EndNs(SpanTable table, uint32_t row) const {
  switch (table) {
    case SpanTable::kHost: return trace.host.end_ns(row);
    case SpanTable::kGpu: return trace.gpu.end_ns(row);
    case SpanTable::kAnnotation: return trace.gpu_annotations[row].start_ns + trace.gpu_annotations[row].dur_ns;
    case SpanTable::kGap: return gaps[row].end_ns;
    case SpanTable::kSeries: break;
  }
  return 0;
}

SpanFields Timeline::Span(SpanTable table, uint32_t row) const {
  switch (table) {
    case SpanTable::kHost: {
      const model::HostTable& host = trace.host;
      return {host.start_ns[row], host.dur_ns[row], host.name[row], PageKind(host.kind[row]), kNone, host.detail[row]};
    }
    case SpanTable::kGpu: {
      const model::GpuTable& gpu = trace.gpu;
      return {gpu.start_ns[row], gpu.dur_ns[row],
              gpu.name[row],     static_cast<uint8_t>(kGpuKinds + static_cast<uint8_t>(gpu.kind[row])),
              gpu.call[row],     gpu.detail[row]};
    }
    case SpanTable::kAnnotation: {
      const model::GpuAnnotation& range = trace.gpu_annotations[row];
      return {range.start_ns, range.dur_ns, range.name, kRangeKind, kNone, kNone};
    }
    case SpanTable::kGap: {
      const analysis::Gap& gap = gaps[row];
      const auto cause = static_cast<uint8_t>(gap.cause);
      return {gap.begin_ns, gap.dur_ns(), cause_names_[cause], static_cast<uint8_t>(kGapKinds + cause), gap.call, row};
    }
    case SpanTable::kSeries: break;
  }
  return {};
}

}  // namespace warpscope::page
