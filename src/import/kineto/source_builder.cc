#include "import/kineto/source_builder.h"

#include <algorithm>

namespace warpscope::import::kineto {

using model::kNone;
using model::Trace;

namespace {

template <typename T>
void TakeOver(const std::vector<T>& rows, Interner<T>* interner) {
  for (const T& row : rows) interner->Intern(row);
}

// Room for `needed` rows; more if the share of the file that is done tells how many there will be.
template <typename Table>
void ReserveTable(Table& table, size_t needed, double share_done) {
  if (table.start_ns.capacity() >= needed) return;
  size_t rows = std::max<size_t>(needed + needed / 2, 1024);
  if (share_done > 0.001)
    rows = static_cast<size_t>(static_cast<double>(needed) / std::min(1.0, share_done) * 1.05) + 64;
  table.VisitColumns([&](auto& column) { column.reserve(rows); });
}

}  // namespace

SourceBuilder::SourceBuilder(Trace* trace, std::string path)
    : trace_(trace),
      source_(static_cast<uint32_t>(trace->sources.size())),
      begin_{trace->host.size(),    trace->gpu.size(),      trace->gpu_annotations.size(), trace->syncs.size(),
             trace->memory.size(),  trace->counters.size(), trace->processes.size(),       trace->threads.size(),
             trace->streams.size(), trace->devices.size(),  trace->collectives.size()} {
  trace->sources.emplace_back();
  trace->sources.back().path = std::move(path);
  trace->sources.back().format = "kineto";
  TakeOver(trace->op_details, &op_details_);
  TakeOver(trace->launch_configs, &launches_);
  TakeOver(trace->copy_details, &copies_);
}

void SourceBuilder::Abandon() {
  trace_->sources.pop_back();
  trace_->op_details = std::move(op_details_.rows());
  trace_->launch_configs = std::move(launches_.rows());
  trace_->copy_details = std::move(copies_.rows());
}

SourceBuilder::Remap* SourceBuilder::RemapOf(const Fragment& fragment) {
  if (fragment.worker >= remaps_.size()) remaps_.resize(fragment.worker + 1);
  Remap& remap = remaps_[fragment.worker];
  if (remap.epoch != fragment.epoch) {
    remap = Remap();
    remap.epoch = fragment.epoch;
  }
  return &remap;
}

void SourceBuilder::Append(const Fragment& fragment, uint64_t base_offset_bytes, double share_done) {
  Remap& remap = *RemapOf(fragment);
  Extend(fragment, &remap);
  // Row numbers have 32 bits; the last ones are reserved.
  constexpr size_t kMaxRows = UINT32_MAX - 16;
  if (trace_->host.size() + fragment.host.size() > kMaxRows || trace_->gpu.size() + fragment.gpu.size() > kMaxRows) {
    if (!is_full_) {
      trace_->ledger.Add(model::LedgerCode::kTruncatedFile, 1, base_offset_bytes,
                         "more than 4 billion rows: the rest was not read", trace_->sources[source_].path);
    }
    is_full_ = true;
  }
  if (is_full_) return;
  Reserve(fragment.host.size(), fragment.gpu.size(), share_done);
  const auto host_base = static_cast<uint32_t>(trace_->host.size());
  const auto gpu_base = static_cast<uint32_t>(trace_->gpu.size());
  AppendHost(fragment, remap);
  AppendGpu(fragment, remap);
  for (model::Collective row : fragment.collectives) {
    if (row.host_row != kNone) row.host_row += host_base;
    if (row.gpu_row != kNone) row.gpu_row += gpu_base;
    for (model::StringId* id : {&row.name, &row.dtype, &row.group_name, &row.group_ranks, &row.comms_id})
      *id = remap.strings[*id];
    trace_->collectives.push_back(row);
  }
  JoinFlow(fragment, host_base, gpu_base);
  for (ExtraRow row : fragment.extras) {
    MapExtra(remap, row.is_gpu ? gpu_base : host_base, &row);
    extras_.push_back(row);
  }
  AppendSmall(fragment, remap);
  trace_->ledger.Merge(fragment.ledger, base_offset_bytes, trace_->sources[source_].path);
}

void SourceBuilder::Extend(const Fragment& fragment, Remap* remap) {
  for (size_t i = 0; i < fragment.new_strings.size(); ++i) {
    remap->strings.push_back(trace_->strings.InternHashed(fragment.new_strings[i], fragment.new_hashes[i]));
  }
  const auto global_lane = [&](LaneKey key) {
    key.pid_text = remap->strings[key.pid_text];
    key.tid_text = remap->strings[key.tid_text];
    return key;
  };
  for (const LaneKey& key : fragment.new_lanes) {
    remap->lanes.push_back(lanes_.Intern(global_lane(key)));
    lane_thread_.resize(lanes_.size(), kNone);
  }
  for (StreamKey key : fragment.new_streams) {
    key.lane = global_lane(key.lane);
    remap->stream_keys.push_back(key);
    remap->streams.push_back(kNone);
  }
  for (model::OpDetail detail : fragment.new_op_details) {
    for (model::StringId* id : {&detail.input_dims, &detail.input_types, &detail.input_strides, &detail.concrete_inputs,
                                &detail.call_stack}) {
      *id = remap->strings[*id];
    }
    remap->op_details.push_back(op_details_.Intern(detail));
  }
  for (const model::LaunchConfig& config : fragment.new_launches) remap->launches.push_back(launches_.Intern(config));
  for (const model::CopyDetail& detail : fragment.new_copies) remap->copies.push_back(copies_.Intern(detail));
}

void SourceBuilder::Reserve(size_t host_rows, size_t gpu_rows, double share_done) {
  ReserveTable(trace_->host, trace_->host.size() + host_rows, share_done);
  ReserveTable(trace_->gpu, trace_->gpu.size() + gpu_rows, share_done);
}

namespace {

// Appends one member of each row as a column.
template <typename Column, typename Rows, typename Get>
void AppendColumn(Column& column, const Rows& rows, Get get) {
  const size_t at = column.size();
  column.resize(at + rows.size());
  auto* to = column.data() + at;
  for (const auto& row : rows) *to++ = get(row);
}

}  // namespace

void SourceBuilder::AppendHost(const Fragment& fragment, const Remap& remap) {
  model::HostTable& host = trace_->host;
  const auto& rows = fragment.host;
  has_host_ = has_host_ || !rows.empty();
  AppendColumn(host.start_ns, rows, [](const HostRow& row) { return row.start_ns; });
  AppendColumn(host.dur_ns, rows, [](const HostRow& row) { return row.dur_ns; });
  AppendColumn(host.name, rows, [&](const HostRow& row) { return remap.strings[row.name]; });
  AppendColumn(host.thread, rows, [&](const HostRow& row) { return ThreadOf(remap.lanes[row.lane]); });
  AppendColumn(host.kind, rows, [](const HostRow& row) { return row.kind; });
  AppendColumn(host.correlation, rows, [](const HostRow& row) { return row.correlation; });
  AppendColumn(host.external_id, rows, [](const HostRow& row) { return row.external_id; });
  AppendColumn(host.forward_thread, rows, [](const HostRow& row) { return row.forward_thread; });
  AppendColumn(host.detail, rows,
               [&](const HostRow& row) { return row.detail == kNone ? kNone : remap.op_details[row.detail]; });
}

void SourceBuilder::AppendGpu(const Fragment& fragment, Remap& remap) {
  model::GpuTable& gpu = trace_->gpu;
  const auto& rows = fragment.gpu;
  has_gpu_ = has_gpu_ || !rows.empty();
  AppendColumn(gpu.start_ns, rows, [](const GpuRow& row) { return row.start_ns; });
  AppendColumn(gpu.dur_ns, rows, [](const GpuRow& row) { return row.dur_ns; });
  AppendColumn(gpu.name, rows, [&](const GpuRow& row) { return remap.strings[row.name]; });
  AppendColumn(gpu.kind, rows, [](const GpuRow& row) { return row.kind; });
  AppendColumn(gpu.stream, rows, [&](const GpuRow& row) { return StreamOf(remap, row.stream); });
  AppendColumn(gpu.correlation, rows, [](const GpuRow& row) { return row.correlation; });
  AppendColumn(gpu.external_id, rows, [](const GpuRow& row) { return row.external_id; });
  AppendColumn(gpu.detail, rows, [&](const GpuRow& row) {
    if (row.detail == kNone) return kNone;
    return row.kind == model::GpuKind::kKernel ? remap.launches[row.detail] : remap.copies[row.detail];
  });
}

// A flow whose row stands at the end of the fragment before.
void SourceBuilder::JoinFlow(const Fragment& fragment, uint32_t host_base, uint32_t gpu_base) {
  if (!fragment.has_events) return;
  if (fragment.first_flow && last_row_.what == LastRow::What::kCall)
    trace_->host.correlation[last_row_.row] = *fragment.first_flow;
  if (fragment.first_flow && last_row_.what == LastRow::What::kDevice)
    trace_->gpu.correlation[last_row_.row] = *fragment.first_flow;
  last_row_ = fragment.last_row;
  last_row_.row += last_row_.what == LastRow::What::kCall ? host_base : gpu_base;
}

void SourceBuilder::MapExtra(const Remap& remap, uint32_t base, ExtraRow* row) {
  for (model::StringId* id : {&row->task_type, &row->details, &row->dtype}) *id = remap.strings[*id];
  row->row += base;
}

void SourceBuilder::AppendSmall(const Fragment& fragment, Remap& remap) {
  Trace& trace = *trace_;
  for (const AnnotationRow& row : fragment.annotations) {
    trace.gpu_annotations.push_back({row.start_ns, row.dur_ns, remap.strings[row.name], StreamOf(remap, row.stream)});
  }
  for (const SyncRow& row : fragment.syncs) {
    trace.syncs.push_back(row.sync);
    trace.syncs.back().stream = StreamOf(remap, row.stream);
    trace.syncs.back().wait_on_stream = StreamOf(remap, row.wait_on_stream);
  }
  for (const MemoryRow& row : fragment.memory) {
    trace.memory.push_back(row.event);
    const uint32_t lane = remap.lanes[row.lane];
    trace.memory.back().thread = ThreadOf(lane);
    if (row.device_id != kNoNumber)
      trace.memory.back().device = DeviceRow(row.device_id, {kNoNumber, kNoNumber, 0, 0, lanes_.rows()[lane].rank});
  }
  for (const CounterRow& row : fragment.counters) {
    const uint32_t device = row.device_id == kNoNumber ? kNone : DeviceRow(row.device_id, LaneKey());
    trace.counters.push_back({row.time_ns, remap.strings[row.name], device, row.value, remap.strings[row.unit]});
  }
  for (OpenRow row : fragment.open_rows) {
    row.host.name = remap.strings[row.host.name];
    row.host.lane = remap.lanes[row.host.lane];
    if (row.host.detail != kNone) row.host.detail = remap.op_details[row.host.detail];
    if (row.is_gpu) {
      row.gpu.name = row.host.name;
      row.gpu.stream = StreamOf(remap, row.gpu.stream);
      if (row.gpu.detail != kNone) {
        row.gpu.detail =
            row.gpu.kind == model::GpuKind::kKernel ? remap.launches[row.gpu.detail] : remap.copies[row.gpu.detail];
      }
    }
    if (row.has_extra) MapExtra(remap, 0, &row.extra);
    open_rows_.push_back(row);
  }
  for (CallHint hint : fragment.hints) {
    if (hint.launch != kNone) hint.launch = remap.launches[hint.launch];
    hints_.push_back(hint);
  }
  for (FlowRow row : fragment.flows) {
    row.kind = remap.strings[row.kind];
    row.lane = remap.lanes[row.lane];
    flows_.push_back(row);
  }
  for (const NameRow& row : fragment.names)
    names_.push_back({row.what, remap.lanes[row.lane], remap.strings[row.name]});
  header_values_.insert(header_values_.end(), fragment.header.begin(), fragment.header.end());
}

uint32_t SourceBuilder::ThreadOf(uint32_t lane) {
  if (lane_thread_[lane] == kNone) lane_thread_[lane] = ThreadOf(lanes_.rows()[lane]);
  return lane_thread_[lane];
}

// Rows of pid -1 belong to the profiler itself; their process is known at the end only.
uint32_t SourceBuilder::ThreadOf(const LaneKey& key) {
  LaneKey owner = key;
  owner.tid = kNoNumber;
  owner.tid_text = model::kNoString;
  uint32_t process = kNone;
  if (key.pid >= 0 || key.pid == kNoNumber) {
    const auto found = std::find(process_key_.begin(), process_key_.end(), owner);
    process = static_cast<uint32_t>(begin_.processes + static_cast<size_t>(found - process_key_.begin()));
    if (found == process_key_.end()) {
      process_key_.push_back(owner);
      trace_->processes.push_back({source_, key.pid == kNoNumber ? 0 : key.pid, 0, key.pid_text, std::nullopt});
    }
  }
  trace_->threads.push_back({process, key.tid == kNoNumber ? 0 : key.tid, key.tid_text});
  return static_cast<uint32_t>(trace_->threads.size() - 1);
}

uint32_t SourceBuilder::StreamRow(const StreamKey& key) {
  const uint32_t known = streams_.size();
  const uint32_t at = streams_.Intern(key);
  if (at == known) {
    const uint32_t device = key.device == kNoNumber ? kNone : DeviceRow(key.device, key.lane);
    trace_->streams.push_back({device, 0, key.context, key.stream, model::kNoString});
  }
  return static_cast<uint32_t>(begin_.streams + at);
}

// Devices are told apart by rank, and by pid where a merging tool renumbered it.
uint32_t SourceBuilder::DeviceRow(int64_t id, const LaneKey& owner) {
  LaneKey key;
  key.rank = owner.rank;
  if (owner.pid != id && owner.pid >= 100000000) key.pid = owner.pid;
  for (size_t i = 0; i < device_owner_.size(); ++i) {
    if (trace_->devices[begin_.devices + i].id == id && device_owner_[i] == key)
      return static_cast<uint32_t>(begin_.devices + i);
  }
  device_owner_.push_back(key);
  model::Device device;
  device.source = source_;
  device.id = id;
  trace_->devices.push_back(device);
  return static_cast<uint32_t>(trace_->devices.size() - 1);
}

}  // namespace warpscope::import::kineto
