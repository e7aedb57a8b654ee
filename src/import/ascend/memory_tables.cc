// Tables of memory: allocations by operator, samples of what a component holds; and hits of the L2 cache.
#include <string>

#include "import/ascend/tables.h"

namespace warpscope::import::ascend {
namespace {

constexpr int64_t kMaxNs = int64_t{1} << 61;

std::optional<int64_t> Time(const CsvReader& csv, std::optional<size_t> column) {
  const auto time_ns = column ? ParseTimeNs(csv.field(*column), kUs) : std::nullopt;
  return time_ns && *time_ns >= 0 && *time_ns < kMaxNs ? time_ns : std::nullopt;
}

std::optional<int64_t> Megabytes(const CsvReader& csv, std::optional<size_t> column) {
  return column ? MegabytesToBytes(csv.field(*column)) : std::nullopt;
}

void AddCounter(std::string_view component, std::string_view what, int64_t time_ns, std::optional<int64_t> bytes,
                uint32_t device, Appender* out) {
  if (!bytes) return;
  const std::string name = std::string(component) + " " + std::string(what);
  out->trace().counters.push_back({time_ns, out->Text(name), device, static_cast<double>(*bytes), out->Text("bytes")});
}

}  // namespace

// Allocation and release of one block in a row; a block that is still held has no release.
Result<uint64_t> ReadOperatorMemory(CsvReader& csv, Appender* out) {
  const auto size_at = csv.Column("Size(KB)"), alloc_at = csv.Column("Allocation Time(us)"),
             free_at = csv.Column("Release Time(us)"), device_at = csv.Column("Device Type");
  const auto allocated_at = csv.Column("Allocation Total Allocated(MB)"),
             reserved_at = csv.Column("Allocation Total Reserved(MB)"),
             free_allocated_at = csv.Column("Release Total Allocated(MB)"),
             free_reserved_at = csv.Column("Release Total Reserved(MB)");
  uint64_t rows = 0;
  for (;;) {
    WS_ASSIGN_OR_RETURN(const bool more, csv.Next());
    if (!more) return rows;
    const auto kilobytes = ParseNumber(csv.field(*size_at), '.');
    const auto alloc_ns = Time(csv, alloc_at), free_ns = Time(csv, free_at);
    constexpr double kMost = 1e12;
    if (!kilobytes || !(*kilobytes > 0) || *kilobytes > kMost || (!alloc_ns && !free_ns)) {
      out->Note(model::LedgerCode::kMissingField, 1, csv.offset_bytes());
      continue;
    }
    model::MemoryEvent row;
    row.device = device_at ? DeviceOf(csv.field(*device_at), out) : out->Device(0);
    row.bytes = static_cast<int64_t>(*kilobytes * 1024);
    if (alloc_ns) {
      row.time_ns = *alloc_ns;
      row.total_allocated_bytes = Megabytes(csv, allocated_at);
      row.total_reserved_bytes = Megabytes(csv, reserved_at);
      out->trace().memory.push_back(row);
    }
    if (free_ns) {
      row.time_ns = *free_ns;
      row.bytes = -row.bytes;
      row.total_allocated_bytes = Megabytes(csv, free_allocated_at);
      row.total_reserved_bytes = Megabytes(csv, free_reserved_at);
      out->trace().memory.push_back(row);
    }
    ++rows;
  }
}

Result<uint64_t> ReadMemoryRecord(CsvReader& csv, Appender* out) {
  const auto component_at = csv.Column("Component"), time_at = csv.Column("Timestamp(us)"),
             allocated_at = csv.Column("Total Allocated(MB)"), reserved_at = csv.Column("Total Reserved(MB)"),
             active_at = csv.Column("Total Active(MB)"), device_at = csv.Column("Device Type");
  uint64_t rows = 0;
  for (;;) {
    WS_ASSIGN_OR_RETURN(const bool more, csv.Next());
    if (!more) return rows;
    const auto time_ns = Time(csv, time_at);
    if (!time_ns || csv.field(*component_at).empty()) {
      out->Note(model::LedgerCode::kMissingField, 1, csv.offset_bytes());
      continue;
    }
    const std::string component(csv.field(*component_at));
    const uint32_t device = device_at ? DeviceOf(csv.field(*device_at), out) : out->Device(0);
    AddCounter(component, "allocated", *time_ns, Megabytes(csv, allocated_at), device, out);
    AddCounter(component, "reserved", *time_ns, Megabytes(csv, reserved_at), device, out);
    AddCounter(component, "active", *time_ns, Megabytes(csv, active_at), device, out);
    ++rows;
  }
}

Result<uint64_t> ReadModuleMemory(CsvReader& csv, Appender* out) {
  const auto component_at = csv.Column("Component"), time_at = csv.Column("Timestamp(us)"),
             reserved_at = csv.Column("Total Reserved(MB)"), device_at = csv.Column("Device");
  uint64_t rows = 0;
  for (;;) {
    WS_ASSIGN_OR_RETURN(const bool more, csv.Next());
    if (!more) return rows;
    const auto time_ns = Time(csv, time_at);
    if (!time_ns || csv.field(*component_at).empty()) {
      out->Note(model::LedgerCode::kMissingField, 1, csv.offset_bytes());
      continue;
    }
    const std::string component(csv.field(*component_at));
    AddCounter(component, "reserved", *time_ns, Megabytes(csv, reserved_at), DeviceOf(csv.field(*device_at), out), out);
    ++rows;
  }
}

// One kernel a row, without a time: a profile with two metrics.
Result<uint64_t> ReadL2Cache(CsvReader& csv, Appender* out) {
  const auto stream_at = csv.Column("Stream Id"), task_at = csv.Column("Task Id"), hit_at = csv.Column("Hit Rate"),
             victim_at = csv.Column("Victim Rate"), name_at = csv.Column("Op Name");
  model::Trace& trace = out->trace();
  uint64_t rows = 0;
  const auto add = [&](std::string_view name, std::string_view text) {
    model::Metric metric;
    metric.name = out->Text(name);
    if (const auto value = ParseNumber(text, '.')) metric.value = *value;
    trace.metrics.push_back(metric);
  };
  for (;;) {
    WS_ASSIGN_OR_RETURN(const bool more, csv.Next());
    if (!more) return rows;
    model::KernelProfile profile;
    profile.source = out->source_row();
    profile.process = out->Process(-1);
    profile.id = ParseCount(csv.field(*task_at)).value_or(rows);
    profile.stream = static_cast<int64_t>(ParseCount(csv.field(*stream_at)).value_or(0) & INT64_MAX);
    if (name_at) profile.name = out->Text(csv.field(*name_at));
    profile.metric_begin = static_cast<uint32_t>(trace.metrics.size());
    add("L2 hit rate", csv.field(*hit_at));
    add("L2 victim rate", csv.field(*victim_at));
    profile.metric_end = static_cast<uint32_t>(trace.metrics.size());
    profile.advice_begin = profile.advice_end = static_cast<uint32_t>(trace.advice.size());
    trace.kernel_profiles.push_back(profile);
    ++rows;
  }
}

}  // namespace warpscope::import::ascend
