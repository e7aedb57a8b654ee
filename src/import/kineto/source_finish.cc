// SourceBuilder::Finish(): what only the whole file tells.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "import/kineto/source_builder.h"

namespace warpscope::import::kineto {

using model::kNoId;
using model::kNone;
using model::LedgerCode;

void SourceBuilder::Finish(uint64_t text_bytes) {
  trace_->sources[source_].text_bytes = text_bytes;
  PairOpenRows();
  ResolveStreams();
  ApplyHeader();
  ApplyDialect();
  ApplyHints();
  DropOutliers();
  PlaceOverhead();
  AssignDomains();
  ApplyNames();
  if (header_.base_time_ns) ShiftTimes(*header_.base_time_ns);
  trace_->op_details = std::move(op_details_.rows());
  trace_->launch_configs = std::move(launches_.rows());
  trace_->copy_details = std::move(copies_.rows());
  if (!has_host_ && !has_gpu_) {
    const std::string rank = header_.rank ? "rank " + std::to_string(*header_.rank) : std::string();
    trace_->ledger.Add(LedgerCode::kEmptyRank, 1, std::nullopt, rank, trace_->sources[source_].path);
  }
}

// B and E nest on their lane, b and e per id. What never ends was cut by the end of the recording.
void SourceBuilder::PairOpenRows() {
  std::stable_sort(open_rows_.begin(), open_rows_.end(),
                   [](const OpenRow& a, const OpenRow& b) { return a.host.start_ns < b.host.start_ns; });
  std::map<std::pair<uint64_t, uint64_t>, std::vector<const OpenRow*>> open;
  for (const OpenRow& row : open_rows_) {
    const bool async = row.async_id != 0;
    auto& stack = open[{row.async_id, async ? 0 : row.host.lane}];
    if (row.phase == 'B' || row.phase == 'b') {
      stack.push_back(&row);
    } else if (stack.empty()) {
      trace_->ledger.Add(LedgerCode::kClippedRecord, 1, std::nullopt, "an end without a beginning",
                         trace_->sources[source_].path);
    } else {
      const OpenRow* const begin = stack.back();
      stack.pop_back();
      if (async && !begin->is_gpu) async_pairs_.push_back({begin, row.host.start_ns, stack.empty()});
      else AppendPair(*begin, row.host.start_ns, ThreadOf(begin->host.lane));
    }
  }
  for (const auto& [key, stack] : open) {
    trace_->ledger.Add(LedgerCode::kClippedRecord, stack.size(), std::nullopt, "a beginning without an end",
                       trace_->sources[source_].path);
  }
  PlaceAsyncPairs();
}

void SourceBuilder::AppendPair(const OpenRow& begin, int64_t end_ns, uint32_t thread) {
  const int64_t dur_ns = end_ns - begin.host.start_ns;
  if (begin.has_extra) {
    extras_.push_back(begin.extra);
    extras_.back().row = begin.is_gpu ? trace_->gpu.size() : trace_->host.size();
  }
  if (begin.is_gpu) {
    model::GpuTable& gpu = trace_->gpu;
    const GpuRow& row = begin.gpu;
    gpu.start_ns.push_back(row.start_ns);
    gpu.dur_ns.push_back(dur_ns);
    gpu.name.push_back(row.name);
    gpu.kind.push_back(row.kind);
    gpu.stream.push_back(row.stream);
    gpu.correlation.push_back(row.correlation);
    gpu.external_id.push_back(row.external_id);
    gpu.detail.push_back(row.detail);
    has_gpu_ = true;
    return;
  }
  model::HostTable& host = trace_->host;
  const HostRow& row = begin.host;
  host.start_ns.push_back(row.start_ns);
  host.dur_ns.push_back(dur_ns);
  host.name.push_back(row.name);
  host.thread.push_back(thread);
  host.kind.push_back(row.kind);
  host.correlation.push_back(row.correlation);
  host.external_id.push_back(row.external_id);
  host.forward_thread.push_back(row.forward_thread);
  host.detail.push_back(row.detail);
  has_host_ = true;
}

namespace {

// Not every ROCm build writes its versions; then the devices' names, or a HIP call where no device is described, tell.
bool IsRocm(const Header& header, const model::StringPool& strings) {
  if (header.is_hip) return true;
  for (const model::Device& device : header.devices) {
    for (const std::string_view word : {"AMD", "Radeon", "Instinct"}) {
      if (device.name.find(word) != std::string::npos) return true;
    }
  }
  return header.devices.empty() && strings.Find("hipLaunchKernel") != model::kNoString &&
         strings.Find("cudaLaunchKernel") == model::kNoString;
}

}  // namespace

void SourceBuilder::ApplyHeader() {
  header_ = ReadHeader(header_values_);
  model::Source& source = trace_->sources[source_];
  source.producer = header_.producer;
  source.version = header_.version;
  source.rank = header_.rank;
  source.world_size = header_.world_size;
  source.base_time_ns = header_.base_time_ns;
  source.host_name = header_.host_name;
  source.record_shapes = header_.record_shapes;
  source.with_stack = header_.with_stack;
  source.profile_memory = header_.profile_memory;
  if (header_.sample_period_ns.value_or(-1) >= 0) source.sample_period_ns = header_.sample_period_ns;
  if (header_.launch_cost_ns.value_or(-1) >= 0) source.launch_cost_ns = header_.launch_cost_ns;
  source.vendor = header_.vendor.value_or(IsRocm(header_, trace_->strings) ? model::Vendor::kAmd : VendorByCalls());
  source.has_sync_rows = trace_->syncs.size() > begin_.syncs;
  for (const model::Device& described : header_.devices) {
    DeviceRow(described.id, LaneKey());
    for (size_t i = 0; i < device_owner_.size(); ++i) {
      model::Device& device = trace_->devices[begin_.devices + i];
      if (device.id != described.id) continue;
      device = described;
      device.source = source_;
    }
  }
  for (size_t i = 0; i < process_key_.size(); ++i) {
    const int64_t rank = process_key_[i].rank;
    trace_->processes[begin_.processes + i].rank = rank != kNoNumber ? std::optional<int64_t>(rank) : header_.rank;
  }
}

// PyTorch's builds for Intel's devices name them nowhere but in their calls: SYCL's runtime (ur*, pi*) and Level Zero.
model::Vendor SourceBuilder::VendorByCalls() const {
  const model::HostTable& host = trace_->host;
  for (auto row = static_cast<uint32_t>(begin_.host); row < host.start_ns.size(); ++row) {
    if (host.kind[row] != model::HostKind::kRuntimeCall && host.kind[row] != model::HostKind::kDriverCall) continue;
    const std::string_view name = trace_->strings.Get(host.name[row]);
    const std::string_view prefix = name.substr(0, 2);
    const bool intel =
        (prefix == "ur" || prefix == "pi" || prefix == "ze") && name.size() > 2 && name[2] >= 'A' && name[2] <= 'Z';
    return intel ? model::Vendor::kIntel : model::Vendor::kNvidia;
  }
  return model::Vendor::kNvidia;
}

// AMD writes grid, block, shared memory and copy sizes on the call, not on the device row.
void SourceBuilder::ApplyHints() {
  if (hints_.empty()) return;
  struct Key {
    uint64_t correlation;
    int64_t rank;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const { return MixHash(static_cast<uint64_t>(key.rank), key.correlation); }
  };
  std::unordered_map<Key, const CallHint*, KeyHash> by_call;
  for (const CallHint& hint : hints_) by_call.try_emplace({hint.correlation, hint.rank}, &hint);
  model::GpuTable& gpu = trace_->gpu;
  for (size_t row = begin_.gpu; row < gpu.size(); ++row) {
    const int64_t rank = stream_keys_[gpu.stream[row] - begin_.streams].lane.rank;
    const auto found = by_call.find({gpu.correlation[row], rank});
    if (found == by_call.end()) continue;
    const CallHint& hint = *found->second;
    if (gpu.kind[row] == model::GpuKind::kKernel && hint.launch != kNone) {
      const model::LaunchConfig& said = launches_.rows()[hint.launch];
      model::LaunchConfig config = gpu.detail[row] == kNone ? model::LaunchConfig() : launches_.rows()[gpu.detail[row]];
      if (config.grid[0] == 0) std::copy(said.grid, said.grid + 3, config.grid);
      if (config.block[0] == 0) std::copy(said.block, said.block + 3, config.block);
      if (!config.shared_bytes) config.shared_bytes = said.shared_bytes;
      gpu.detail[row] = launches_.Intern(config);
    } else if (gpu.kind[row] == model::GpuKind::kCopy && hint.bytes && gpu.detail[row] != kNone) {
      model::CopyDetail detail = copies_.rows()[gpu.detail[row]];
      if (!detail.bytes) detail.bytes = hint.bytes;
      gpu.detail[row] = copies_.Intern(detail);
    }
  }
}

// The profiler's own rows (pid -1) belong to the process that issues most calls; they keep a thread of their own, as
// they overlap what that process's threads did.
void SourceBuilder::PlaceOverhead() {
  std::vector<uint64_t> rows(process_key_.size(), 0);
  for (size_t row = begin_.host; row < trace_->host.size(); ++row) {
    const uint32_t process = trace_->threads[trace_->host.thread[row]].process;
    if (process != kNone) ++rows[process - begin_.processes];
  }
  const auto most = std::max_element(rows.begin(), rows.end());
  for (size_t i = begin_.threads; i < trace_->threads.size(); ++i) {
    model::Thread& thread = trace_->threads[i];
    if (thread.process != kNone) continue;
    if (most == rows.end()) {
      trace_->processes.push_back({source_, 0, 0, model::kNoString, header_.rank});
      process_key_.emplace_back();
      thread.process = static_cast<uint32_t>(trace_->processes.size() - 1);
    } else {
      thread.process = static_cast<uint32_t>(begin_.processes + static_cast<size_t>(most - rows.begin()));
    }
    thread.tid = -1;
    thread.name = trace_->strings.Intern("profiler");
  }
}

// Whether a process that host spans tell of has the owner's pid. One that memory events alone name does not count: they
// may carry the number of a device.
bool SourceBuilder::IsHostPid(const LaneKey& owner, const std::vector<bool>& has_spans) const {
  for (size_t i = 0; i < process_key_.size(); ++i) {
    const LaneKey& key = process_key_[i];
    if (has_spans[i] && key.pid == owner.pid && key.pid_text == owner.pid_text && key.rank == owner.rank) return true;
  }
  return false;
}

// One name space of correlation ids per file, per rank where a merged file names ranks, and per process where device
// rows carry the pid of a host process instead of a device's number.
void SourceBuilder::AssignDomains() {
  uint32_t next = 0;
  for (size_t i = 0; i < begin_.processes; ++i) next = std::max(next, trace_->processes[i].link_domain + 1);
  for (size_t i = 0; i < begin_.streams; ++i) next = std::max(next, trace_->streams[i].link_domain + 1);
  std::vector<bool> has_spans(process_key_.size(), false);
  for (size_t row = begin_.host; row < trace_->host.size(); ++row)
    has_spans[trace_->threads[trace_->host.thread[row]].process - begin_.processes] = true;
  bool by_pid = process_key_.size() > 1 && !stream_keys_.empty();
  for (const StreamKey& key : stream_keys_) by_pid = by_pid && IsHostPid(key.lane, has_spans);
  std::map<std::pair<int64_t, int64_t>, uint32_t> domains;
  const auto domain_of = [&](const LaneKey& owner) {
    const auto [it, fresh] = domains.try_emplace({owner.rank, by_pid ? owner.pid : 0}, next);
    if (fresh) ++next;
    return it->second;
  };
  for (size_t i = 0; i < process_key_.size(); ++i)
    trace_->processes[begin_.processes + i].link_domain = domain_of(process_key_[i]);
  for (size_t i = 0; i < stream_keys_.size(); ++i)
    trace_->streams[begin_.streams + i].link_domain = domain_of(stream_keys_[i].lane);
  if (domains.size() == 1) {
    for (size_t i = begin_.syncs; i < trace_->syncs.size(); ++i) trace_->syncs[i].link_domain = domains.begin()->second;
  }
}

void SourceBuilder::ApplyNames() {
  for (const NameRow& row : names_) {
    const LaneKey& key = lanes_.rows()[row.lane];
    if (row.what == NameRow::What::kProcessLabels) continue;  // for dialects
    if (row.what == NameRow::What::kProcess) {
      for (size_t i = 0; i < process_key_.size(); ++i) {
        if (process_key_[i].pid == key.pid && process_key_[i].pid_text == key.pid_text)
          trace_->processes[begin_.processes + i].name = row.name;
      }
      continue;
    }
    if (lane_thread_[row.lane] != kNone) {
      model::Thread& thread = trace_->threads[lane_thread_[row.lane]];
      if (thread.tid >= 0) thread.name = row.name;
      continue;
    }
    for (size_t i = 0; i < stream_keys_.size(); ++i) {
      const StreamKey& stream = stream_keys_[i];
      if (stream.lane.pid == key.pid && stream.stream == key.tid) trace_->streams[begin_.streams + i].name = row.name;
    }
  }
}

void SourceBuilder::ShiftTimes(int64_t base_ns) {
  const auto shift = [base_ns](std::vector<int64_t>& times, size_t begin) {
    for (size_t i = begin; i < times.size(); ++i) times[i] += base_ns;
  };
  model::Trace& trace = *trace_;
  shift(trace.host.start_ns, begin_.host);
  shift(trace.gpu.start_ns, begin_.gpu);
  for (size_t i = begin_.annotations; i < trace.gpu_annotations.size(); ++i)
    trace.gpu_annotations[i].start_ns += base_ns;
  for (size_t i = begin_.syncs; i < trace.syncs.size(); ++i) trace.syncs[i].start_ns += base_ns;
  for (size_t i = begin_.memory; i < trace.memory.size(); ++i) trace.memory[i].time_ns += base_ns;
  for (size_t i = begin_.counters; i < trace.counters.size(); ++i) trace.counters[i].time_ns += base_ns;
}

}  // namespace warpscope::import::kineto
