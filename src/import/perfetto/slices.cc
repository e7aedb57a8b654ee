// Halves of slices become whole ones, and slices rows of the host or of a device.
#include <algorithm>

#include "base/perfetto_fields.h"
#include "import/perfetto/reader.h"

namespace warpscope::import::perfetto {

namespace event = warpscope::perfetto::event;
using model::kNone;
using model::LedgerCode;

namespace {

// Numbers of threads that are no threads of the system: named tracks of slices.
constexpr int64_t kFirstTrackTid = int64_t{1} << 32;
// Numbers of streams for copies that are grouped by thread.
constexpr int64_t kFirstCopyStream = 1000000;
// Numbers of devices that are numbered among all agents, where several GPUs make the other numbering unknown.
constexpr int64_t kFirstAgent = 1000;

bool StartsWith(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }
bool Has(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

bool IsApiName(std::string_view name) {
  for (const std::string_view prefix : {"cuda", "hip", "cu"}) {
    if (StartsWith(name, prefix) && name.size() > prefix.size() && name[prefix.size()] >= 'A' &&
        name[prefix.size()] <= 'Z')
      return true;
  }
  return StartsWith(name, "hsa_");
}

bool IsCopyName(std::string_view name) {
  return StartsWith(name, "Memcpy") || StartsWith(name, "MEMORY_COPY") || StartsWith(name, "CopyHostTo") ||
         StartsWith(name, "CopyDeviceTo") || StartsWith(name, "CopyPeer");
}
bool IsMemsetName(std::string_view name) {
  return StartsWith(name, "Memset") || StartsWith(name, "FillBuffer") || StartsWith(name, "__amd_rocclr_fillBuffer");
}

model::HostKind HostKindOf(Role role) {
  switch (role) {
    case Role::kPython: return model::HostKind::kPython;
    case Role::kNative: return model::HostKind::kNative;
    case Role::kOperator: return model::HostKind::kOperator;
    case Role::kRuntimeCall: return model::HostKind::kRuntimeCall;
    case Role::kDriverCall: return model::HostKind::kDriverCall;
    case Role::kOsCall: return model::HostKind::kOsCall;
    case Role::kOverhead: return model::HostKind::kOverhead;
    default: return model::HostKind::kAnnotation;
  }
}

}  // namespace

// In file order where that nests (recorders that write a slice's halves together, in any order of time), else by time.
void Reader::MatchTrack(const std::vector<const Half*>& halves, std::vector<Slice>* slices) {
  const size_t first = slices->size();
  std::vector<const Half*> open;
  const auto run = [&](const std::vector<const Half*>& order, bool strict) {
    uint64_t loose = 0;
    for (const Half* half : order) {
      if (half->type == event::kSliceBegin && half->duration_ns >= 0) {
        slices->push_back({half, half->time_ns + half->duration_ns});
      } else if (half->type == event::kSliceBegin) {
        open.push_back(half);
      } else if (open.empty()) {
        ++loose;
      } else {
        if (strict && (half->time_ns < open.back()->time_ns || half->sequence != open.back()->sequence)) return false;
        slices->push_back({open.back(), half->time_ns});
        open.pop_back();
      }
    }
    if (strict && (loose > 0 || !open.empty())) return false;
    clipped_ += loose + open.size();
    return true;
  };
  if (run(halves, true)) return;
  slices->resize(first);
  open.clear();
  std::vector<const Half*> sorted = halves;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Half* a, const Half* b) { return a->time_ns < b->time_ns; });
  run(sorted, false);
}

uint32_t Reader::ProcessOf(uint64_t track_uuid) {
  const Track* track = tracks_.Find(track_uuid);
  const std::optional<int64_t> pid = track == nullptr ? std::nullopt : tracks_.PidOf(*track);
  // A track outside of any process belongs to the only one that there is.
  const int64_t number = pid ? *pid : only_pid_.value_or(-1);
  const uint32_t row = out_.Process(number);
  model::Process& process = trace_->processes[row];
  const std::string_view name = tracks_.ProcessName(number);
  if (process.name == model::kNoString && !name.empty()) process.name = out_.Text(name);
  return row;
}

uint32_t Reader::ThreadOf(uint64_t track_uuid) {
  const auto [it, fresh] = threads_.try_emplace(track_uuid, kNone);
  if (!fresh) return it->second;
  if (own_.any()) return it->second = own_.Thread(ParseOwnUuid(track_uuid).row);
  const Track* track = tracks_.Find(track_uuid);
  const bool known = track != nullptr && track->tid;
  const int64_t tid = known ? *track->tid : kFirstTrackTid + static_cast<int64_t>(threads_.size());
  const uint32_t row = out_.Thread(ProcessOf(track_uuid), tid);
  std::string_view name = track == nullptr ? std::string_view() : track->name;
  if (known && name.empty()) name = tracks_.ThreadName(*tracks_.PidOf(*track), tid);
  if (trace_->threads[row].name == model::kNoString && !name.empty()) trace_->threads[row].name = out_.Text(name);
  return it->second = row;
}

uint32_t Reader::StreamOf(uint64_t track_uuid, const Extra* extra) {
  const Track* track = tracks_.Find(track_uuid);
  std::optional<DevicePlace> place;
  if (track != nullptr) place = DeviceInName(track->name);
  if (!place && !own_.any() && extra != nullptr && extra->has_place)
    return out_.Stream(ProcessOf(track_uuid), out_.Device(extra->device), -1, extra->stream);
  const auto [it, fresh] = streams_.try_emplace(track_uuid, kNone);
  if (!fresh) return it->second;
  if (own_.any()) return it->second = own_.Stream(ParseOwnUuid(track_uuid).row);
  int64_t device = 0, stream = static_cast<int64_t>(streams_.size());
  if (place) {
    device = place->device;
    stream = place->by_thread ? kFirstCopyStream + place->stream : place->stream;
    // Copies are numbered by agent, or go to the host: with one GPU it is that one.
    if (only_device_ && (place->on_cpu || place->is_agent)) device = *only_device_;
    else if (place->on_cpu) device = kFirstAgent + place->device;
  }
  it->second = out_.Stream(ProcessOf(track_uuid), out_.Device(device), -1, stream);
  model::Stream& row = trace_->streams[it->second];
  if (track != nullptr && !track->name.empty() && row.name == model::kNoString) row.name = out_.Text(track->name);
  return it->second;
}

Role Reader::RoleOfSlice(const Half& begin) {
  const Extra* extra = begin.args == kNone ? nullptr : &extras_[begin.args];
  Role role = extra == nullptr || extra->category == model::kNoString ? Role::kUnknown
                                                                      : RoleOf(trace_->strings.Get(extra->category));
  const std::string_view name = begin.name == model::kNoString ? std::string_view() : trace_->strings.Get(begin.name);
  if (role == Role::kUnknown) {
    const Track* track = tracks_.Find(begin.track);
    if (track != nullptr && DeviceInName(track->name)) role = Role::kDeviceWork;
    else if (IsApiName(name))
      role = StartsWith(name, "hsa_") || (StartsWith(name, "cu") && !StartsWith(name, "cuda")) ? Role::kDriverCall
                                                                                               : Role::kRuntimeCall;
  }
  if (role == Role::kDeviceWork)
    role = IsMemsetName(name) ? Role::kMemset : IsCopyName(name) ? Role::kCopy : Role::kKernel;
  return role;
}

void Reader::AddHostSlice(const Half& begin, int64_t end_ns, Role role) {
  const Extra* extra = begin.args == kNone ? nullptr : &extras_[begin.args];
  Appender::Host row;
  row.kind = HostKindOf(role);
  row.name = begin.name == model::kNoString ? out_.Text("") : begin.name;
  row.thread = ThreadOf(begin.track);
  if (row.thread == kNone) return static_cast<void>(++broken_);
  row.start_ns = begin.time_ns;
  row.dur_ns = end_ns - begin.time_ns;
  if (extra != nullptr) {
    const bool call = row.kind == model::HostKind::kRuntimeCall || row.kind == model::HostKind::kDriverCall;
    row.correlation = extra->correlation;
    if (row.correlation == model::kNoId && call && !own_.any()) row.correlation = extra->flow;
    row.external_id = extra->external_id;
    row.forward_thread = extra->forward_thread;
    if (row.kind == model::HostKind::kOperator) row.detail = extra->operation;
    if (row.kind == model::HostKind::kAnnotation) row.detail = extra->range;
  }
  const uint32_t before = trace_->host.size();
  out_.Add(row);
  AddCollective(extra, false, trace_->host.size() > before);
  ++rows_;
}

void Reader::AddDeviceSlice(const Half& begin, int64_t end_ns, Role role) {
  const Extra* extra = begin.args == kNone ? nullptr : &extras_[begin.args];
  const StringId name = begin.name == model::kNoString ? out_.Text("") : begin.name;
  const uint32_t stream = StreamOf(begin.track, extra);
  if (stream == kNone) return static_cast<void>(++broken_);
  if (role == Role::kGpuAnnotation) {
    if (end_ns >= begin.time_ns)
      trace_->gpu_annotations.push_back({begin.time_ns, end_ns - begin.time_ns, name, stream});
    return;
  }
  Appender::Gpu row;
  row.name = name;
  row.stream = stream;
  row.start_ns = begin.time_ns;
  row.dur_ns = end_ns - begin.time_ns;
  row.kind = role == Role::kCopy          ? model::GpuKind::kCopy
             : role == Role::kMemset      ? model::GpuKind::kMemset
             : role == Role::kGraphLaunch ? model::GpuKind::kGraphLaunch
                                          : model::GpuKind::kKernel;
  const bool copy = row.kind == model::GpuKind::kCopy || row.kind == model::GpuKind::kMemset;
  if (extra != nullptr) {
    row.correlation = extra->correlation;
    if (row.correlation == model::kNoId && !own_.any()) row.correlation = extra->flow;
    row.external_id = extra->external_id;
    row.detail = copy ? extra->copy : extra->launch;
  }
  if (copy && row.detail == kNone && !own_.any()) row.detail = out_.Copy(Args().Copy(trace_->strings.Get(name)));
  const uint32_t before = trace_->gpu.size();
  out_.Add(row);
  AddCollective(extra, true, trace_->gpu.size() > before);
  ++rows_;
}

void Reader::AddCollective(const Extra* extra, bool on_device, bool added) {
  if (extra == nullptr || extra->collective == kNone || !added) return;
  model::Collective row = collectives_[extra->collective];
  (on_device ? row.gpu_row : row.host_row) = (on_device ? trace_->gpu.size() : trace_->host.size()) - 1;
  trace_->collectives.push_back(row);
}

void Reader::AddSlice(const Half& begin, int64_t end_ns) {
  const Role role = RoleOfSlice(begin);
  if (IsDeviceRole(role)) AddDeviceSlice(begin, end_ns, role);
  else AddHostSlice(begin, end_ns, role);
}

void Reader::MakeCounters() {
  std::unordered_map<uint64_t, double> sums;
  for (const Sample& sample : samples_) {
    const Track* track = tracks_.Find(sample.track);
    if (track == nullptr || track->name.empty()) {
      ++passed_over_;
      continue;
    }
    double value = sample.value;
    if (track->is_incremental) value = sums[sample.track] += value;
    if (track->unit_multiplier > 1) value *= static_cast<double>(track->unit_multiplier);
    model::CounterSample row{sample.time_ns, out_.Text(track->name), kNone, value, model::kNoString};
    if (own_.any()) {
      const OwnUuid own = ParseOwnUuid(sample.track);
      if (own.kind != OwnTrack::kCounter) continue;  // repeats memory events for the viewer
      row.device = own_.CounterOf(own.row).device;
      row.unit = own_.CounterOf(own.row).unit;
    } else {
      if (!track->unit.empty()) row.unit = out_.Text(track->unit);
      // "GPU [0] Power (S)"
      size_t at = 5;
      if (StartsWith(track->name, "GPU [") && at < track->name.size() && track->name[at] >= '0' &&
          track->name[at] <= '9') {
        int64_t number = 0;
        for (int digits = 0; at < track->name.size() && track->name[at] >= '0' && track->name[at] <= '9' && digits < 9;
             ++at, ++digits)
          number = number * 10 + (track->name[at] - '0');
        row.device = out_.Device(number);
      }
    }
    trace_->counters.push_back(row);
    ++rows_;
  }
}

// Numbers that the whole file must tell before rows are made.
void Reader::MakeRows() {
  std::vector<int64_t> pids, devices;
  for (const auto& [uuid, track] : tracks_.all()) {
    if (track.pid) pids.push_back(*track.pid);
    const auto place = DeviceInName(track.name);
    if (place && !place->on_cpu && !Has(track.name, "Memory Copy")) devices.push_back(place->device);
  }
  const auto only = [](std::vector<int64_t>& numbers) -> std::optional<int64_t> {
    std::sort(numbers.begin(), numbers.end());
    if (numbers.empty() || numbers.front() != numbers.back()) return std::nullopt;
    return numbers.front();
  };
  only_pid_ = only(pids);
  only_device_ = only(devices);
  if (!devices.empty() && out_.source().vendor == model::Vendor::kUnknown) {
    out_.source().vendor = model::Vendor::kAmd;
    out_.source().producer = "ROCm profiler";
  }

  // Halves by track, each track in file order; tracks in the order in which they appear.
  std::unordered_map<uint64_t, uint32_t> row_of_track;
  std::vector<std::vector<const Half*>> by_track;
  for (const Half& half : halves_) {
    const auto [it, fresh] = row_of_track.try_emplace(half.track, static_cast<uint32_t>(by_track.size()));
    if (fresh) by_track.emplace_back();
    by_track[it->second].push_back(&half);
  }
  std::vector<Slice> slices;
  for (std::vector<const Half*>& halves : by_track) {
    slices.clear();
    MatchTrack(halves, &slices);
    for (const Slice& slice : slices) AddSlice(*slice.first, slice.second);
    halves = {};
  }
}

bool Reader::Finish() {
  const std::optional<int64_t> epoch_ns = own_.any() ? std::nullopt : clocks_.epoch_offset_ns();
  if (own_.any()) own_.MakeTables(trace_, path_, out_.source_row());
  // Times beyond this are damage; what remains cannot overflow.
  constexpr int64_t kMaxNs = int64_t{1} << 61;
  const int64_t offset_ns = own_.any() ? -own_.shift_ns() : epoch_ns.value_or(0);
  const bool offset_fits = offset_ns > -kMaxNs && offset_ns < kMaxNs;
  const auto move = [&](int64_t& time_ns) {
    if (time_ns <= -kMaxNs || time_ns >= kMaxNs || !offset_fits) return false;
    time_ns += offset_ns;
    return true;
  };
  uint64_t out_of_range = 0;
  std::erase_if(halves_, [&](Half& half) {
    const bool bad = !move(half.time_ns) || half.duration_ns >= kMaxNs;
    out_of_range += bad ? 1 : 0;
    return bad;
  });
  std::erase_if(samples_, [&](Sample& sample) { return !move(sample.time_ns); });
  // Render stages and GPU counters are rows already.
  for (uint32_t row = first_gpu_; offset_fits && row < trace_->gpu.size(); ++row)
    trace_->gpu.start_ns[row] += offset_ns;
  for (size_t row = first_counter_; offset_fits && row < trace_->counters.size(); ++row) {
    int64_t& time_ns = trace_->counters[row].time_ns;
    if (time_ns > -kMaxNs && time_ns < kMaxNs) time_ns += offset_ns;
  }
  MakeRows();
  MakeCounters();
  if (own_.any()) own_.MakeRows(trace_);
  out_.Note(LedgerCode::kOutOfRange, out_of_range);
  out_.Note(LedgerCode::kClippedRecord, clipped_);
  out_.Note(LedgerCode::kUnknownEvent, passed_over_);
  out_.Note(LedgerCode::kBrokenRecord, broken_);
  out_.Note(LedgerCode::kMissingField, lost_ + unnamed_);
  return rows_ > 0 || trace_->memory.size() > first_memory_;
}

}  // namespace warpscope::import::perfetto
