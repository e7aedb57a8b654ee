#include "import/capture/block_decoder.h"

#include <algorithm>
#include <filesystem>

namespace warpscope::import::capture {
namespace {

using model::LedgerCode;

constexpr uint64_t kMostDefinitions = 1u << 24;

// Numbers of CUPTI's enums (cupti_activity.h), which the agent passes on.
model::MemoryKind MemoryKindOf(uint64_t kind) {
  switch (kind) {
    case 1: return model::MemoryKind::kPageable;
    case 2: return model::MemoryKind::kPinned;
    case 3:
    case 6: return model::MemoryKind::kDevice;
    case 4: return model::MemoryKind::kArray;
    case 5:
    case 7: return model::MemoryKind::kManaged;
    default: return model::MemoryKind::kUnknown;
  }
}

model::CopyKind CopyKindOf(uint64_t kind) {
  switch (kind) {
    case 1:
    case 3: return model::CopyKind::kHostToDevice;
    case 2:
    case 4: return model::CopyKind::kDeviceToHost;
    case 5:
    case 6:
    case 7:
    case 8: return model::CopyKind::kDeviceToDevice;
    case 9: return model::CopyKind::kHostToHost;
    case 10: return model::CopyKind::kPeerToPeer;
    default: return model::CopyKind::kUnknown;
  }
}

std::string_view CopyWord(model::CopyKind kind) {
  switch (kind) {
    case model::CopyKind::kHostToDevice: return "HtoD";
    case model::CopyKind::kDeviceToHost: return "DtoH";
    case model::CopyKind::kDeviceToDevice: return "DtoD";
    case model::CopyKind::kHostToHost: return "HtoH";
    case model::CopyKind::kPeerToPeer: return "PtoP";
    case model::CopyKind::kUnknown: break;
  }
  return "";
}

std::string_view MemoryWord(model::MemoryKind kind) {
  switch (kind) {
    case model::MemoryKind::kPageable: return "Pageable";
    case model::MemoryKind::kPinned: return "Pinned";
    case model::MemoryKind::kDevice: return "Device";
    case model::MemoryKind::kManaged: return "Managed";
    case model::MemoryKind::kArray: return "Array";
    case model::MemoryKind::kUnknown: break;
  }
  return "Unknown";
}

model::SyncKind SyncKindOf(uint64_t type) {
  switch (type) {
    case 1: return model::SyncKind::kEvent;
    case 2: return model::SyncKind::kStreamWaitEvent;
    case 3: return model::SyncKind::kStream;
    case 4: return model::SyncKind::kContext;
    default: return model::SyncKind::kUnknown;
  }
}

uint32_t Narrow(uint64_t value) { return static_cast<uint32_t>(std::min<uint64_t>(value, UINT32_MAX - 1)); }
int64_t Length(uint64_t ns) { return static_cast<int64_t>(std::min<uint64_t>(ns, INT64_MAX / 4)); }

// CUPTI's names end in the version of the call's first form: "cudaMemcpyAsync_v3020".
std::string_view WithoutVersion(std::string_view name) {
  const size_t at = name.rfind("_v");
  if (at == std::string_view::npos || at + 2 == name.size()) return name;
  const std::string_view digits = name.substr(at + 2);
  const bool number = std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
  return number && digits.size() >= 4 ? name.substr(0, at) : name;
}

std::string CuptiVersion(uint32_t version) {
  // From 12.8 on the number is major * 10000 + minor * 100 + patch; before it counts up.
  if (version < 10000) return "CUPTI API " + std::to_string(version);
  return "CUPTI " + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

}  // namespace

BlockDecoder::BlockDecoder(model::Trace* trace, const std::string& path, const wire::FileHeader& header)
    : to_(trace, path, "capture") {
  model::Source& source = to_.source();
  source.producer = "warpscope record";
  if (header.cupti_version != 0) source.producer += ", " + CuptiVersion(header.cupti_version);
  source.version = std::to_string(header.version);
  source.vendor = model::Vendor::kNvidia;
  source.has_sync_rows = true;
  source.part_of = "capture:" + std::filesystem::path(path).parent_path().string();
  process_ = to_.Process(header.pid);
}

template <typename Value>
void BlockDecoder::Set(std::vector<Value>& table, uint64_t ref, Value value) {
  if (ref >= kMostDefinitions) return;
  if (table.size() <= ref) table.resize(ref + 1);
  table[ref] = std::move(value);
}

model::StringId BlockDecoder::Text(uint64_t ref) const { return ref < texts_.size() ? texts_[ref] : model::kNoString; }

uint32_t BlockDecoder::StreamOf(uint64_t ref) {
  if (ref < streams_.size() && streams_[ref] != 0) return streams_[ref] - 1;
  return to_.Stream(process_, to_.Device(0), -1, 0);  // its definition was lost
}

uint32_t BlockDecoder::ThreadOf(uint64_t ref) {
  if (ref < threads_.size() && threads_[ref] != 0) return threads_[ref] - 1;
  return to_.Thread(process_, 0);
}

void BlockDecoder::Decode(std::string_view payload, int64_t base_ns, uint64_t offset_bytes) {
  wire::BlockReader in(payload, base_ns);
  while (in.ok() && !in.at_end()) {
    if (!DecodeRecord(in) || !in.ok()) {
      to_.Note(LedgerCode::kBrokenRecord, 1, offset_bytes + in.at_bytes());
      return;
    }
  }
}

bool BlockDecoder::DecodeRecord(wire::BlockReader& in) {
  const uint64_t tag = in.Get();
  if (tag == 0 || tag >= wire::kTagCount) return false;
  switch (static_cast<wire::Tag>(tag)) {
    case wire::kKernel:
    case wire::kKernelQueued:
    case wire::kGraphKernel: Kernel(static_cast<wire::Tag>(tag), in); break;
    case wire::kCopy:
    case wire::kGraphCopy: Copy(static_cast<wire::Tag>(tag), in); break;
    case wire::kMemset: Memset(in); break;
    case wire::kGraph: Graph(in); break;
    case wire::kCall: Call(in); break;
    case wire::kSync: Sync(in); break;
    case wire::kRange:
    case wire::kMark:
    case wire::kSpan:
    case wire::kOpen: Range(static_cast<wire::Tag>(tag), in); break;
    case wire::kOverhead: Overhead(in); break;
    case wire::kLost: Lost(in); break;
    case wire::kNote: Note(in); break;
    case wire::kDevice: Device(in); break;
    case wire::kMemory:
      for (int i = 0; i < 5; ++i) in.Get();
      in.GetTime();
      in.GetCorrelation();
      break;
    case wire::kFact: Fact(in); break;
    case wire::kSeries: Series(in); break;
    case wire::kSample: Sample(in); break;
    case wire::kEnd:
      in.GetTime();
      in.Get();
      in.Get();
      ended_ = true;
      break;
    default: Define(static_cast<wire::Tag>(tag), in);
  }
  ++rows_;
  return true;
}

void BlockDecoder::Define(wire::Tag tag, wire::BlockReader& in) {
  if (tag == wire::kProcess) {
    to_.trace().processes[process_].name = Text(in.Get());
    return;
  }
  const uint64_t ref = in.Get();
  if (tag == wire::kText) {
    const std::string_view text = in.GetBytes();
    if (in.ok()) Set(texts_, ref, to_.Text(text));
  } else if (tag == wire::kThread) {
    const uint32_t thread = to_.Thread(process_, static_cast<int64_t>(in.Get()));
    if (const model::StringId name = Text(in.Get()); name != model::kNoString) to_.trace().threads[thread].name = name;
    if (in.ok()) Set(threads_, ref, thread + 1);
  } else if (tag == wire::kStream) {
    const uint32_t device = to_.Device(static_cast<int64_t>(Narrow(in.Get())));
    const uint64_t context = Narrow(in.Get()), id = Narrow(in.Get());
    if (!in.ok()) return;
    const uint32_t stream = to_.Stream(process_, device, static_cast<int64_t>(context), static_cast<int64_t>(id));
    Set(streams_, ref, stream + 1);
    stream_of_id_[context << 32 | id] = stream;
  } else if (tag == wire::kLaunchShape) {
    model::LaunchConfig shape;
    for (uint32_t& size : shape.grid) size = Narrow(in.Get());
    for (uint32_t& size : shape.block) size = Narrow(in.Get());
    shape.registers_per_thread = Narrow(in.Get());
    shape.shared_bytes = Narrow(in.Get());
    for (int i = 0; i < 3; ++i) in.Get();  // cluster
    if (in.ok()) Set(shapes_, ref, shape);
  }
}

void BlockDecoder::Kernel(wire::Tag tag, wire::BlockReader& in) {
  Appender::Gpu row;
  row.name = Text(in.Get());
  row.stream = StreamOf(in.Get());
  const uint64_t shape = in.Get();
  row.start_ns = in.GetTime();
  row.dur_ns = Length(in.Get());
  row.correlation = in.GetCorrelation();
  model::LaunchConfig config = shape < shapes_.size() ? shapes_[shape] : model::LaunchConfig();
  if (tag == wire::kGraphKernel) {
    config.graph_id = in.Get();
    config.graph_node_id = in.Get();
  } else if (tag == wire::kKernelQueued) {
    const int64_t before_ns = Length(in.Get()), length_ns = Length(in.Get());
    if (in.ok()) queued_.push_back({row.correlation, row.start_ns - before_ns, std::min(length_ns, before_ns)});
  }
  if (!in.ok()) return;
  if (row.name == model::kNoString) row.name = to_.Text("(name lost)");
  row.detail = to_.Launch(config);
  to_.Add(row);
}

void BlockDecoder::Copy(wire::Tag tag, wire::BlockReader& in) {
  Appender::Gpu row;
  row.kind = model::GpuKind::kCopy;
  model::CopyDetail detail;
  detail.kind = CopyKindOf(in.Get());
  detail.src = MemoryKindOf(in.Get());
  detail.dst = MemoryKindOf(in.Get());
  row.stream = StreamOf(in.Get());
  detail.bytes = in.Get();
  row.start_ns = in.GetTime();
  row.dur_ns = Length(in.Get());
  row.correlation = in.GetCorrelation();
  if (tag == wire::kGraphCopy) {
    in.Get();
    in.Get();
  }
  if (!in.ok()) return;
  std::string name = "Memcpy";
  if (detail.kind != model::CopyKind::kUnknown) name += " " + std::string(CopyWord(detail.kind));
  row.name =
      to_.Text(name + " (" + std::string(MemoryWord(detail.src)) + " -> " + std::string(MemoryWord(detail.dst)) + ")");
  row.detail = to_.Copy(detail);
  to_.Add(row);
}

void BlockDecoder::Memset(wire::BlockReader& in) {
  Appender::Gpu row;
  row.kind = model::GpuKind::kMemset;
  model::CopyDetail detail;
  detail.dst = MemoryKindOf(in.Get());
  row.stream = StreamOf(in.Get());
  detail.bytes = in.Get();
  row.start_ns = in.GetTime();
  row.dur_ns = Length(in.Get());
  row.correlation = in.GetCorrelation();
  if (!in.ok()) return;
  row.name = to_.Text("Memset (" + std::string(MemoryWord(detail.dst)) + ")");
  row.detail = to_.Copy(detail);
  to_.Add(row);
}

void BlockDecoder::Graph(wire::BlockReader& in) {
  Appender::Gpu row;
  row.kind = model::GpuKind::kGraphLaunch;
  row.stream = StreamOf(in.Get());
  const uint64_t graph = in.Get();
  row.start_ns = in.GetTime();
  row.dur_ns = Length(in.Get());
  row.correlation = in.GetCorrelation();
  if (!in.ok()) return;
  row.name = to_.Text("CUDA graph " + std::to_string(graph));
  to_.Add(row);
}

void BlockDecoder::Call(wire::BlockReader& in) {
  Appender::Host row;
  row.kind = in.Get() == 1 ? model::HostKind::kDriverCall : model::HostKind::kRuntimeCall;
  const model::StringId name = Text(in.Get());
  row.thread = ThreadOf(in.Get());
  row.start_ns = in.GetTime();
  row.dur_ns = Length(in.Get());
  row.correlation = in.GetCorrelation();
  in.Get();  // return value
  if (!in.ok()) return;
  row.name = to_.Text(WithoutVersion(to_.trace().Text(name)));
  if (model::IsLaunchCall(to_.trace().Text(row.name))) launch_recorded_[row.correlation] = true;
  to_.Add(row);
}

void BlockDecoder::Sync(wire::BlockReader& in) {
  model::Sync row;
  row.kind = SyncKindOf(in.Get());
  const uint64_t context = in.Get(), stream = in.Get();
  in.Get();  // event
  row.start_ns = in.GetTime();
  row.dur_ns = Length(in.Get());
  row.correlation = in.GetCorrelation();
  row.link_domain = to_.trace().processes[process_].link_domain;
  if (!in.ok()) return;
  if (stream > 0) {
    const auto it = stream_of_id_.find(context << 32 | (stream - 1));
    if (it != stream_of_id_.end()) row.stream = it->second;
  }
  to_.trace().syncs.push_back(row);
}

void BlockDecoder::Range(wire::Tag tag, wire::BlockReader& in) {
  Appender::Host row;
  row.kind = model::HostKind::kAnnotation;
  row.thread = ThreadOf(in.Get());
  in.Get();  // domain
  row.name = Text(in.Get());
  in.Get();  // category
  row.start_ns = in.GetTime();
  if (tag == wire::kRange || tag == wire::kSpan) row.dur_ns = Length(in.Get());
  if (tag == wire::kSpan) in.Get();
  if (in.ok() && tag != wire::kOpen) to_.Add(row);
}

void BlockDecoder::Overhead(wire::BlockReader& in) {
  constexpr std::string_view kNames[] = {"Unknown",
                                         "Driver Compiler",
                                         "Buffer Flush",
                                         "Instrumentation",
                                         "Resource",
                                         "Runtime Triggered Module Loading",
                                         "Lazy Function Loading",
                                         "Command Buffer Full",
                                         "Activity Buffer Request",
                                         "UVM Activity Init"};
  constexpr uint64_t kGroupBits = 16;  // CUPTI numbers them in groups: the kind stands in the upper half
  const uint64_t kind = in.Get();
  Appender::Host row;
  row.kind = model::HostKind::kOverhead;
  row.thread = ThreadOf(in.Get());
  row.start_ns = in.GetTime();
  row.dur_ns = Length(in.Get());
  if (!in.ok()) return;
  const uint64_t number = kind >> kGroupBits;
  row.name = to_.Text(number < std::size(kNames) ? kNames[number] : std::string_view("Overhead"));
  to_.Add(row);
  to_.Note(LedgerCode::kProfilerOverhead);
}

void BlockDecoder::Lost(wire::BlockReader& in) {
  const uint64_t what = in.Get(), count = in.Get();
  in.GetTime();
  if (!in.ok()) return;
  switch (what) {
    case wire::kBadTime: return to_.Note(LedgerCode::kUntimedRecord, count);
    case wire::kUnknownDropCount: return to_.Note(LedgerCode::kUnknownLoss, count);
    case wire::kNoRoom:
      return to_.Note(LedgerCode::kLostRecord, count, std::nullopt, "bytes that the disk did not take");
    case wire::kNoBuffer:
      return to_.Note(LedgerCode::kLostRecord, count, std::nullopt, "requests for a buffer beyond the memory limit");
    case wire::kRingFull: return to_.Note(LedgerCode::kLostRecord, count, std::nullopt, "NVTX events");
    default: return to_.Note(LedgerCode::kLostRecord, count, std::nullopt, "device records, by CUPTI's count");
  }
}

void BlockDecoder::Note(wire::BlockReader& in) {
  const uint64_t severity = in.Get();
  const model::StringId text = Text(in.Get());
  if (!in.ok()) return;
  to_.Note(severity >= 2 ? LedgerCode::kRecorderFailure : LedgerCode::kRecorderNote, 1, std::nullopt,
           to_.trace().Text(text));
}

void BlockDecoder::Device(wire::BlockReader& in) {
  const uint64_t id = Narrow(in.Get());
  const model::StringId name = Text(in.Get());
  const uint64_t count = in.Get();
  uint64_t values[wire::kDeviceFieldCount] = {};
  for (uint64_t i = 0; i < count && in.ok(); ++i) {
    const uint64_t value = in.Get();
    if (i < wire::kDeviceFieldCount) values[i] = value;
  }
  if (!in.ok() || count < wire::kDeviceFieldCount) return;
  model::Device& device = to_.DeviceAt(to_.Device(static_cast<int64_t>(id)));
  device.name = to_.trace().Text(name);
  device.cc_major = Narrow(values[wire::kCcMajor]);
  device.cc_minor = Narrow(values[wire::kCcMinor]);
  device.sm_count = Narrow(values[wire::kSmCount]);
  device.warp_size = Narrow(values[wire::kWarpSize]);
  device.memory_bytes = values[wire::kMemoryBytes];
  device.max_threads_per_block = Narrow(values[wire::kMaxThreadsPerBlock]);
  device.max_threads_per_sm = Narrow(values[wire::kMaxWarpsPerSm] * values[wire::kWarpSize]);
  device.registers_per_block = Narrow(values[wire::kRegistersPerBlock]);
  device.registers_per_sm = Narrow(values[wire::kRegistersPerSm]);
  device.shared_bytes_per_block = Narrow(values[wire::kSharedPerBlock]);
  device.shared_bytes_per_sm = Narrow(values[wire::kSharedPerSm]);
}

uint32_t BlockDecoder::DeviceOf(uint64_t number) {
  return number == 0 ? model::kNone : to_.Device(static_cast<int64_t>(Narrow(number - 1)));
}

void BlockDecoder::Fact(wire::BlockReader& in) {
  model::Reading row;
  row.source = to_.source_row();
  row.device = DeviceOf(in.Get());
  row.name = Text(in.Get());
  row.text = Text(in.Get());
  if (in.ok()) to_.trace().readings.push_back(row);
}

void BlockDecoder::Series(wire::BlockReader& in) {
  const uint64_t ref = in.Get();
  model::CounterSample series;
  series.device = DeviceOf(in.Get());
  series.name = Text(in.Get());
  series.unit = Text(in.Get());
  if (in.ok()) Set(series_, ref, series);
}

void BlockDecoder::Sample(wire::BlockReader& in) {
  const uint64_t ref = in.Get();
  const int64_t time_ns = in.GetTime();
  const int64_t thousandths = in.GetSigned();
  if (!in.ok() || ref >= series_.size() || series_[ref].name == model::kNoString) return;
  model::CounterSample row = series_[ref];
  row.time_ns = time_ns;
  row.value = static_cast<double>(thousandths) / 1000;
  to_.trace().counters.push_back(row);
}

// A process with one thread needs no record of its launches: the kernels tell when they were queued.
void BlockDecoder::AddQueuedLaunches() {
  const int64_t pid = to_.trace().processes[process_].pid;
  const model::StringId name = to_.Text("cudaLaunchKernel");
  for (const Queued& launch : queued_) {
    if (launch_recorded_.contains(launch.correlation)) continue;
    Appender::Host row;
    row.kind = model::HostKind::kRuntimeCall;
    row.name = name;
    row.thread = to_.Thread(process_, pid);
    row.start_ns = launch.start_ns;
    row.dur_ns = launch.dur_ns;
    row.correlation = launch.correlation;
    to_.Add(row);
  }
}

void BlockDecoder::Cut(uint64_t offset_bytes) { to_.Note(LedgerCode::kTruncatedFile, 1, offset_bytes); }
void BlockDecoder::Damaged(uint64_t offset_bytes) { to_.Note(LedgerCode::kBrokenRecord, 1, offset_bytes); }

Status BlockDecoder::Finish(uint64_t file_bytes) {
  AddQueuedLaunches();
  to_.source().text_bytes = file_bytes;
  if (!ended_) to_.Note(LedgerCode::kKilledProcess);
  return Status::Ok();
}

}  // namespace warpscope::import::capture
