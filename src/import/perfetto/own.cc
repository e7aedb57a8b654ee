#include "import/perfetto/own.h"

#include <algorithm>

namespace warpscope::import::perfetto {
namespace {

using model::kNone;

uint32_t PushRow(auto& table, auto row) {
  table.push_back(std::move(row));
  return static_cast<uint32_t>(table.size() - 1);
}

std::optional<uint32_t> Small(const Record& record, std::string_view name) {
  const auto value = record.Whole(name);
  return value && *value >= 0 && *value < UINT32_MAX ? std::optional(static_cast<uint32_t>(*value)) : std::nullopt;
}

std::optional<bool> Flag(const Record& record, std::string_view name) {
  const auto value = record.Whole(name);
  return value ? std::optional(*value != 0) : std::nullopt;
}

std::optional<int64_t> NotNegative(const Record& record, std::string_view name) {
  const auto value = record.Whole(name);
  return value && *value >= 0 ? value : std::nullopt;
}

model::Vendor VendorOf(std::optional<int64_t> number) {
  return number && *number >= 0 && *number <= static_cast<int64_t>(model::Vendor::kHuawei)
             ? static_cast<model::Vendor>(*number)
             : model::Vendor::kUnknown;
}

}  // namespace

OwnUuid ParseOwnUuid(uint64_t uuid) {
  const uint64_t kind = uuid >> 56;
  if (kind == 0 || kind > static_cast<uint64_t>(OwnTrack::kMarks)) return {};
  return {static_cast<OwnTrack>(kind), static_cast<uint32_t>(uuid >> 24)};
}

void Own::Add(std::string_view name, Record record, int64_t time_ns) {
  const auto it = tables_.find(name);
  auto& table = it == tables_.end() ? tables_[std::string(name)] : it->second;
  table.push_back({std::move(record), time_ns});
}

const std::vector<Own::Row>& Own::Table(std::string_view name) const {
  static const std::vector<Row> kEmpty;
  const auto it = tables_.find(name);
  return it == tables_.end() ? kEmpty : it->second;
}

void Own::MakeSources(model::Trace* trace, const std::string& path, uint32_t first_source) {
  for (const Row& row : Table("source")) {
    const Record& record = row.record;
    uint32_t at = first_source;
    if (!sources_.empty()) {
      at = PushRow(trace->sources, model::Source());
      trace->sources[at].path = path;
      trace->sources[at].format = trace->sources[first_source].format;
    }
    sources_.push_back(at);
    model::Source& source = trace->sources[at];
    // What recorded the events decides how they are judged, not the file that carries them now.
    if (!record.Text("format").empty()) source.format = record.Text("format");
    source.producer = record.Text("producer");
    source.version = record.Text("version");
    source.host_name = record.Text("host_name");
    source.part_of = record.Text("part_of");
    source.representation = record.Text("representation");
    source.rank = record.Whole("rank");
    source.world_size = record.Whole("world_size");
    source.base_time_ns = record.Whole("base_time_ns");
    source.record_shapes = Flag(record, "record_shapes");
    source.with_stack = Flag(record, "with_stack");
    source.profile_memory = Flag(record, "profile_memory");
    source.vendor = VendorOf(record.Whole("vendor"));
    source.sample_period_ns = NotNegative(record, "sample_period_ns");
    source.launch_cost_ns = NotNegative(record, "launch_cost_ns");
    source.has_sync_rows = record.Whole("has_sync_rows").value_or(0) != 0;
    source.text_bytes = static_cast<uint64_t>(std::max<int64_t>(0, record.Whole("text_bytes").value_or(0)));
  }
  if (sources_.empty()) sources_.push_back(first_source);
}

void Own::MakeDevices(model::Trace* trace) {
  for (const Row& row : Table("device")) {
    const Record& record = row.record;
    model::Device device;
    device.source = At(sources_, static_cast<uint64_t>(record.Whole("source").value_or(0)));
    if (device.source == kNone) device.source = sources_.front();
    device.id = record.Whole("id").value_or(0);
    device.name = record.Text("name");
    if (const auto bytes = record.Whole("memory_bytes")) device.memory_bytes = static_cast<uint64_t>(*bytes);
    device.cc_major = Small(record, "cc_major");
    device.cc_minor = Small(record, "cc_minor");
    device.sm_count = Small(record, "sm_count");
    device.warp_size = Small(record, "warp_size");
    device.max_threads_per_block = Small(record, "max_threads_per_block");
    device.max_threads_per_sm = Small(record, "max_threads_per_sm");
    device.registers_per_block = Small(record, "registers_per_block");
    device.registers_per_sm = Small(record, "registers_per_sm");
    device.shared_bytes_per_block = Small(record, "shared_bytes_per_block");
    device.shared_bytes_per_block_optin = Small(record, "shared_bytes_per_block_optin");
    device.shared_bytes_per_sm = Small(record, "shared_bytes_per_sm");
    devices_.push_back(PushRow(trace->devices, std::move(device)));
  }
}

uint32_t Own::Domain(std::optional<int64_t> domain) {
  const auto [it, fresh] = domains_.try_emplace(domain.value_or(-1), next_domain_);
  if (fresh) ++next_domain_;
  return it->second;
}

void Own::MakeProcesses(model::Trace* trace) {
  for (const Row& row : Table("process")) {
    const Record& record = row.record;
    model::Process process;
    process.source = At(sources_, static_cast<uint64_t>(record.Whole("source").value_or(0)));
    if (process.source == kNone) process.source = sources_.front();
    process.pid = record.Whole("pid").value_or(-1);
    process.link_domain = Domain(record.Whole("domain"));
    if (!record.Text("name").empty()) process.name = trace->strings.Intern(record.Text("name"));
    process.rank = record.Whole("rank");
    processes_.push_back(PushRow(trace->processes, process));
  }
  for (const Row& row : Table("thread")) {
    model::Thread thread;
    thread.process = At(processes_, static_cast<uint64_t>(row.record.Whole("process").value_or(0)));
    thread.tid = row.record.Whole("tid").value_or(0);
    if (!row.record.Text("name").empty()) thread.name = trace->strings.Intern(row.record.Text("name"));
    threads_.push_back(thread.process == kNone ? kNone : PushRow(trace->threads, thread));
  }
}

void Own::MakeStreams(model::Trace* trace) {
  for (const Row& row : Table("stream")) {
    model::Stream stream;
    stream.device = At(devices_, static_cast<uint64_t>(row.record.Whole("device").value_or(0)));
    stream.link_domain = Domain(row.record.Whole("domain"));
    stream.context = row.record.Whole("context").value_or(-1);
    stream.id = row.record.Whole("id").value_or(0);
    if (!row.record.Text("name").empty()) stream.name = trace->strings.Intern(row.record.Text("name"));
    streams_.push_back(stream.device == kNone ? kNone : PushRow(trace->streams, stream));
  }
  for (const Row& row : Table("counter")) {
    Counter counter;
    if (const auto device = row.record.Whole("device")) counter.device = At(devices_, static_cast<uint64_t>(*device));
    if (!row.record.Text("unit").empty()) counter.unit = trace->strings.Intern(row.record.Text("unit"));
    counters_.push_back(counter);
  }
}

void Own::MakeTables(model::Trace* trace, const std::string& path, uint32_t first_source) {
  for (const model::Process& process : trace->processes) next_domain_ = std::max(next_domain_, process.link_domain + 1);
  for (const model::Stream& stream : trace->streams) next_domain_ = std::max(next_domain_, stream.link_domain + 1);
  for (const Row& row : Table("ledger")) {
    for (size_t code = 0; code < static_cast<size_t>(model::LedgerCode::kCount); ++code) {
      if (model::Ledger::Name(static_cast<model::LedgerCode>(code)) != row.record.Text("name")) continue;
      const int64_t count = std::max<int64_t>(row.record.Whole("count").value_or(0), 0);
      trace->ledger.Add(static_cast<model::LedgerCode>(code), static_cast<uint64_t>(count), std::nullopt, {}, path);
    }
  }
  for (const Row& row : Table("file")) shift_ns_ = row.record.Whole("shift_ns").value_or(0);
  MakeSources(trace, path, first_source);
  MakeDevices(trace);
  MakeProcesses(trace);
  MakeStreams(trace);
}

void Own::MakeRows(model::Trace* trace) const {
  const auto id = [](const Record& record, std::string_view name) {
    const auto value = record.Whole(name);
    return value ? static_cast<uint64_t>(*value) : model::kNoId;
  };
  const auto row_of = [](const std::vector<uint32_t>& rows, const Record& record, std::string_view name) {
    const auto value = record.Whole(name);
    return value ? At(rows, static_cast<uint64_t>(*value)) : kNone;
  };
  const auto time = [this](int64_t time_ns) {
    int64_t out = 0;
    return __builtin_sub_overflow(time_ns, shift_ns_, &out) ? time_ns : out;
  };
  constexpr int64_t kMaxNs = int64_t{1} << 62;
  for (const Row& row : Table("sync")) {
    const Record& record = row.record;
    model::Sync sync;
    sync.start_ns = time(row.time_ns);
    sync.dur_ns = std::clamp<int64_t>(record.Whole("dur_ns").value_or(0), 0, kMaxNs);
    const int64_t kind = record.Whole("kind").value_or(0);
    if (kind > 0 && kind <= static_cast<int64_t>(model::SyncKind::kStreamWaitEvent))
      sync.kind = static_cast<model::SyncKind>(kind);
    sync.stream = row_of(streams_, record, "stream");
    sync.wait_on_stream = row_of(streams_, record, "wait_on_stream");
    sync.correlation = id(record, "correlation");
    sync.event_record_correlation = id(record, "event_record_correlation");
    if (const auto domain = record.Whole("domain")) {
      const auto it = domains_.find(*domain);
      if (it != domains_.end()) sync.link_domain = it->second;
    }
    trace->syncs.push_back(sync);
  }
  for (const Row& row : Table("memory")) {
    const Record& record = row.record;
    model::MemoryEvent memory;
    memory.time_ns = time(row.time_ns);
    memory.bytes = record.Whole("bytes").value_or(0);
    memory.address = static_cast<uint64_t>(record.Whole("address").value_or(0));
    memory.device = row_of(devices_, record, "device");
    memory.thread = row_of(threads_, record, "thread");
    memory.total_allocated_bytes = record.Whole("total_allocated_bytes");
    memory.total_reserved_bytes = record.Whole("total_reserved_bytes");
    trace->memory.push_back(memory);
  }
}

}  // namespace warpscope::import::perfetto
