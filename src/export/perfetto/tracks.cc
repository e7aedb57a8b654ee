// Descriptors of tracks, lanes, and the marks that keep the trace's own tables.
#include <algorithm>
#include <set>
#include <string>

#include "base/perfetto_fields.h"
#include "export/perfetto/job.h"

namespace warpscope::exporting::perfetto {
namespace {

namespace pf = warpscope::perfetto;

// Numbers for viewers, where the recorded ones are unknown, repeat or do not fit: pids and tids are 32 bits there.
constexpr int64_t kFirstProcess = 1000000000, kFirstThread = 1100000000, kFirstDevice = 1200000000;

bool Fits(int64_t number) { return number > 0 && number < kFirstProcess; }

std::string_view TextOf(const model::Trace& trace, model::StringId id) {
  return id == model::kNoString ? std::string_view() : trace.Text(id);
}

void DescribeLane(Job& job, TrackKind kind, uint32_t row, uint32_t lane, uint64_t parent, std::string_view name) {
  Message track;
  track.Number(pf::track::kUuid, TrackUuid(kind, row, lane)).Number(pf::track::kParentUuid, parent);
  std::string full(name);
  if (lane > 0) full += " (" + std::to_string(lane + 1) + ")";
  job.file.Descriptor(track.Bytes(pf::track::kName, full));
}

}  // namespace

void Lanes::EndBefore(uint32_t lane, int64_t time_ns) {
  std::vector<int64_t>& open = ends_[lane];
  while (!open.empty() && open.back() <= time_ns) {
    job_.file.EndSlice(TrackUuid(kind_, row_, lane), job_.Time(open.back()));
    open.pop_back();
  }
}

uint64_t Lanes::Begin(int64_t start_ns, int64_t end_ns) {
  uint32_t lane = 0;
  for (; lane < ends_.size(); ++lane) {
    const std::vector<int64_t>& open = ends_[lane];
    // The innermost slice that is still running must enclose this one.
    const auto running = std::find_if(open.rbegin(), open.rend(), [&](int64_t end) { return end > start_ns; });
    if (running == open.rend() || *running >= end_ns) break;
  }
  if (lane == ends_.size()) {
    ends_.emplace_back();
    if (lane > 0 && kind_ != TrackKind::kThread) {
      const uint64_t parent = TrackUuid(TrackKind::kDevice, job_.trace.streams[row_].device);
      DescribeLane(job_, kind_, row_, lane, parent, "stream " + std::to_string(job_.trace.streams[row_].id));
    } else if (lane > 0) {
      const model::Thread& thread = job_.trace.threads[row_];
      DescribeLane(job_, kind_, row_, lane, TrackUuid(TrackKind::kProcess, thread.process),
                   "thread " + std::to_string(thread.tid));
    }
  }
  EndBefore(lane, start_ns);
  ends_[lane].push_back(end_ns);
  return TrackUuid(kind_, row_, lane);
}

void Lanes::Finish() {
  for (uint32_t lane = 0; lane < ends_.size(); ++lane) EndBefore(lane, INT64_MAX);
}

void WriteTracks(Job& job) {
  const model::Trace& trace = job.trace;
  std::set<int64_t> pids, tids;
  std::vector<int64_t> shown_pids;
  for (uint32_t row = 0; row < trace.processes.size(); ++row) {
    const model::Process& process = trace.processes[row];
    const bool plain = Fits(process.pid) && pids.insert(process.pid).second;
    shown_pids.push_back(plain ? process.pid : kFirstProcess + row);
    std::string name(TextOf(trace, process.name));
    if (process.rank) name += (name.empty() ? "rank " : ", rank ") + std::to_string(*process.rank);
    Message about, track;
    about.Signed(pf::process::kPid, shown_pids.back()).Bytes(pf::process::kName, name.empty() ? "process" : name);
    job.file.Descriptor(
        track.Number(pf::track::kUuid, TrackUuid(TrackKind::kProcess, row)).Add(pf::track::kProcess, about));
  }
  for (uint32_t row = 0; row < trace.threads.size(); ++row) {
    const model::Thread& thread = trace.threads[row];
    const bool plain = Fits(thread.tid) && tids.insert(thread.tid).second;
    Message about, track;
    about.Signed(pf::thread::kPid, shown_pids[thread.process])
        .Signed(pf::thread::kTid, plain ? thread.tid : kFirstThread + row);
    const std::string_view name = TextOf(trace, thread.name);
    if (!name.empty()) about.Bytes(pf::thread::kName, name);
    track.Number(pf::track::kUuid, TrackUuid(TrackKind::kThread, row))
        .Number(pf::track::kParentUuid, TrackUuid(TrackKind::kProcess, thread.process));
    job.file.Descriptor(track.Add(pf::track::kThread, about));
  }
  for (uint32_t row = 0; row < trace.devices.size(); ++row) {
    const model::Device& device = trace.devices[row];
    Message about, track;
    about.Signed(pf::process::kPid, kFirstDevice + row)
        .Bytes(pf::process::kName,
               "device " + std::to_string(device.id) + (device.name.empty() ? "" : " " + device.name));
    job.file.Descriptor(
        track.Number(pf::track::kUuid, TrackUuid(TrackKind::kDevice, row)).Add(pf::track::kProcess, about));
  }
  for (uint32_t row = 0; row < trace.streams.size(); ++row) {
    const model::Stream& stream = trace.streams[row];
    std::string name = "stream " + std::to_string(stream.id);
    if (stream.name != model::kNoString) name += " " + std::string(trace.Text(stream.name));
    DescribeLane(job, TrackKind::kStream, row, 0, TrackUuid(TrackKind::kDevice, stream.device), name);
  }
  std::set<uint32_t> annotated;
  for (const model::GpuAnnotation& row : trace.gpu_annotations) annotated.insert(row.stream);
  for (const uint32_t row : annotated) {
    DescribeLane(job, TrackKind::kGpuAnnotation, row, 0, TrackUuid(TrackKind::kDevice, trace.streams[row].device),
                 "ranges on stream " + std::to_string(trace.streams[row].id));
  }
}

namespace {

void MarkSources(Job& job, uint64_t track, int64_t at_ns) {
  PacketFile& file = job.file;
  for (const model::Source& source : job.trace.sources) {
    file.BeginMark(track, at_ns, "source");
    file.Annotate(Key::kFormat, std::string_view(source.format));
    file.Annotate(Key::kProducer, std::string_view(source.producer));
    file.Annotate(Key::kVersion, std::string_view(source.version));
    file.Annotate(Key::kHostName, std::string_view(source.host_name));
    file.Annotate(Key::kPartOf, std::string_view(source.part_of));
    file.Annotate(Key::kRepresentation, std::string_view(source.representation));
    file.Annotate(Key::kRank, source.rank);
    file.Annotate(Key::kWorldSize, source.world_size);
    file.Annotate(Key::kBaseTimeNs, source.base_time_ns);
    const auto flag = [&](Key key, std::optional<bool> value) {
      if (value) file.Annotate(key, static_cast<uint64_t>(*value));
    };
    flag(Key::kRecordShapes, source.record_shapes);
    flag(Key::kWithStack, source.with_stack);
    flag(Key::kProfileMemory, source.profile_memory);
    file.Annotate(Key::kVendor, static_cast<uint64_t>(source.vendor));
    file.Annotate(Key::kHasSyncRows, static_cast<uint64_t>(source.has_sync_rows));
    file.Annotate(Key::kTextBytes, source.text_bytes);
    file.Annotate(Key::kSamplePeriodNs, source.sample_period_ns);
    file.Annotate(Key::kLaunchCostNs, source.launch_cost_ns);
    file.End();
  }
}

void MarkDevices(Job& job, uint64_t track, int64_t at_ns) {
  PacketFile& file = job.file;
  for (const model::Device& device : job.trace.devices) {
    file.BeginMark(track, at_ns, "device");
    file.Annotate(Key::kSource, uint64_t{device.source});
    file.Annotate(Key::kId, device.id);
    file.Annotate(Key::kName, std::string_view(device.name));
    file.Annotate(Key::kMemoryBytes, device.memory_bytes);
    file.Annotate(Key::kCcMajor, device.cc_major);
    file.Annotate(Key::kCcMinor, device.cc_minor);
    file.Annotate(Key::kSmCount, device.sm_count);
    file.Annotate(Key::kWarpSize, device.warp_size);
    file.Annotate(Key::kMaxThreadsPerBlock, device.max_threads_per_block);
    file.Annotate(Key::kMaxThreadsPerSm, device.max_threads_per_sm);
    file.Annotate(Key::kRegistersPerBlock, device.registers_per_block);
    file.Annotate(Key::kRegistersPerSm, device.registers_per_sm);
    file.Annotate(Key::kSharedBytesPerBlock, device.shared_bytes_per_block);
    file.Annotate(Key::kSharedBytesPerBlockOptin, device.shared_bytes_per_block_optin);
    file.Annotate(Key::kSharedBytesPerSm, device.shared_bytes_per_sm);
    file.End();
  }
}

void MarkThreadsAndStreams(Job& job, uint64_t track, int64_t at_ns) {
  PacketFile& file = job.file;
  for (const model::Process& process : job.trace.processes) {
    file.BeginMark(track, at_ns, "process");
    file.Annotate(Key::kSource, uint64_t{process.source});
    file.Annotate(Key::kPid, process.pid);
    file.Annotate(Key::kDomain, uint64_t{process.link_domain});
    file.Annotate(Key::kName, process.name);
    file.Annotate(Key::kRank, process.rank);
    file.End();
  }
  for (const model::Thread& thread : job.trace.threads) {
    file.BeginMark(track, at_ns, "thread");
    file.Annotate(Key::kProcess, uint64_t{thread.process});
    file.Annotate(Key::kTid, thread.tid);
    file.Annotate(Key::kName, thread.name);
    file.End();
  }
  for (const model::Stream& stream : job.trace.streams) {
    file.BeginMark(track, at_ns, "stream");
    file.Annotate(Key::kDevice, uint64_t{stream.device});
    file.Annotate(Key::kDomain, uint64_t{stream.link_domain});
    file.Annotate(Key::kContext, stream.context);
    file.Annotate(Key::kId, stream.id);
    file.Annotate(Key::kName, stream.name);
    file.End();
  }
}

// Entries that finishing a trace finds by itself would be counted twice.
bool IsOfReading(model::LedgerCode code) {
  switch (code) {
    case model::LedgerCode::kDuplicateCorrelation:
    case model::LedgerCode::kDuplicateRecord:
    case model::LedgerCode::kGraphUnderRecorded:
    case model::LedgerCode::kKernelBeforeLaunch:
    case model::LedgerCode::kLaunchWithoutKernel:
    case model::LedgerCode::kOverlapOnStream:
    case model::LedgerCode::kUnmatchedKernel:
    case model::LedgerCode::kZeroDuration: return false;
    default: return true;
  }
}

}  // namespace

void WriteMarks(Job& job) {
  const uint64_t track = TrackUuid(TrackKind::kMarks, 0);
  Message descriptor;
  job.file.Descriptor(descriptor.Number(pf::track::kUuid, track).Bytes(pf::track::kName, "warpscope"));
  int64_t at_ns = INT64_MAX;
  for (const int64_t start_ns : job.trace.host.start_ns) at_ns = std::min(at_ns, start_ns);
  for (const int64_t start_ns : job.trace.gpu.start_ns) at_ns = std::min(at_ns, start_ns);
  at_ns = at_ns == INT64_MAX ? job.shift_ns : job.Time(at_ns);
  job.file.BeginMark(track, at_ns, "file");
  job.file.Annotate(Key::kShiftNs, job.shift_ns);
  job.file.End();
  MarkSources(job, track, at_ns);
  MarkDevices(job, track, at_ns);
  MarkThreadsAndStreams(job, track, at_ns);
  for (const model::LedgerEntry& entry : job.trace.ledger.Entries()) {
    if (!IsOfReading(entry.code)) continue;
    job.file.BeginMark(track, at_ns, "ledger");
    job.file.Annotate(Key::kName, entry.name);
    job.file.Annotate(Key::kCount_, entry.count);
    job.file.End();
  }
}

}  // namespace warpscope::exporting::perfetto
