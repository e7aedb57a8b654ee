// Synchronisations with the events that they wait for, counters, memory.
#include <map>

#include "export/nsys/job.h"

namespace warpscope::exporting {
namespace {

using model::kNoId;
using model::kNone;
using model::SyncKind;

int64_t SyncCode(SyncKind kind) {  // ENUM_CUPTI_SYNC_TYPE
  switch (kind) {
    case SyncKind::kUnknown: return 0;
    case SyncKind::kEvent: return 1;
    case SyncKind::kStreamWaitEvent: return 2;
    case SyncKind::kStream: return 3;
    case SyncKind::kContext: return 4;
  }
  return 0;
}

void Where(Job& job, Insert& insert, uint32_t stream_row) {
  if (stream_row == kNone) {
    insert.Null().Null().Null().Null();
    return;
  }
  const model::Stream& stream = job.trace.streams[stream_row];
  stream.device == kNone ? insert.Null() : insert.Int(job.trace.devices[stream.device].id);
  stream.context < 0 ? insert.Null() : insert.Int(stream.context);
  insert.Null().Int(stream.id);
}

// A recorded event is what a wait refers to: the call that recorded it and the stream that it was recorded on.
struct Event {
  int64_t process = 0;
  uint64_t correlation = kNoId;
  uint32_t stream = kNone;
  auto operator<=>(const Event&) const = default;
};

void WriteCounters(Job& job) {
  if (job.trace.counters.empty()) return;
  job.file.MakeTable("TARGET_INFO_GPU_METRICS", "typeId, sourceId, typeName, metricId, metricName");
  job.file.MakeTable("GPU_METRICS", "timestamp, typeId, metricId, sampleValue");
  // nsys names the column "value"; here it may hold fractions.
  job.file.Execute("ALTER TABLE GPU_METRICS RENAME COLUMN sampleValue TO value");
  Insert names(job.file, "TARGET_INFO_GPU_METRICS", "typeId, sourceId, typeName, metricId, metricName");
  Insert samples(job.file, "GPU_METRICS", "timestamp, typeId, metricId, value");
  std::map<std::tuple<uint32_t, model::StringId, model::StringId>, int64_t> metrics;
  for (const model::CounterSample& row : job.trace.counters) {
    // The low byte of a type is the device; 255 stands for none.
    const int64_t type = row.device == kNone ? 255 : static_cast<int64_t>(row.device);
    const auto [it, fresh] =
        metrics.try_emplace({row.device, row.name, row.unit}, static_cast<int64_t>(metrics.size()));
    if (fresh) {
      std::string name(job.trace.Text(row.name));
      if (row.unit != model::kNoString) name += " [" + std::string(job.trace.Text(row.unit)) + "]";
      names.Int(type).Null().Null().Int(it->second).Text(name).Row();
    }
    samples.Int(row.time_ns - job.base_ns).Int(type).Int(it->second).Number(row.value).Row();
  }
  job.written.event_count += job.trace.counters.size();
}

void WriteMemory(Job& job) {
  if (job.trace.memory.empty()) return;
  const std::string columns =
      "start, globalPid, deviceId, contextId, address, pc, bytes, memKind, memoryOperationType, name, correlationId, "
      "warpscopeGlobalTid, warpscopeAllocatedBytes, warpscopeReservedBytes";
  job.file.MakeTable("CUDA_GPU_MEMORY_USAGE_EVENTS", columns);
  Insert insert(job.file, "CUDA_GPU_MEMORY_USAGE_EVENTS", columns);
  for (const model::MemoryEvent& row : job.trace.memory) {
    insert.Int(row.time_ns - job.base_ns);
    row.thread == kNone ? insert.Int(job.ids.Machine(0))
                        : insert.Int(job.ids.Process(job.trace.threads[row.thread].process));
    row.device == kNone ? insert.Null() : insert.Int(job.trace.devices[row.device].id);
    insert.Null().Int(static_cast<int64_t>(row.address)).Null();
    const bool free = row.bytes < 0;
    insert.Int(free ? -row.bytes : row.bytes).Int(row.device == kNone ? 0 : 2).Int(free ? 1 : 0).Null().Null();
    row.thread == kNone ? insert.Null() : insert.Int(job.ids.Thread(row.thread));
    insert.Maybe(row.total_allocated_bytes).Maybe(row.total_reserved_bytes).Row();
  }
  job.written.event_count += job.trace.memory.size();
}

}  // namespace

void WriteSyncs(Job& job) {
  const model::Trace& trace = job.trace;
  if (trace.syncs.empty()) return;
  const std::string columns =
      "start, end, deviceId, contextId, greenContextId, streamId, correlationId, globalPid, deprecatedSyncType, "
      "syncType, eventId, eventSyncId";
  job.file.MakeTable("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", columns);
  std::map<Event, int64_t> events;
  {
    Insert insert(job.file, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", columns);
    for (const model::Sync& row : trace.syncs) {
      const uint32_t any = row.stream != kNone ? row.stream : row.wait_on_stream;
      const int64_t process = job.ids.Domain(any != kNone ? trace.streams[any].link_domain : row.link_domain);
      insert.Int(row.start_ns - job.base_ns).Int(row.start_ns - job.base_ns + row.dur_ns);
      Where(job, insert, row.stream);
      row.correlation == kNoId ? insert.Null() : insert.Int(static_cast<int64_t>(row.correlation));
      insert.Int(process).Null().Int(SyncCode(row.kind));
      if (row.event_record_correlation != kNoId || row.wait_on_stream != kNone) {
        const Event event{process, row.event_record_correlation, row.wait_on_stream};
        const int64_t id = events.try_emplace(event, static_cast<int64_t>(events.size()) + 1).first->second;
        insert.Int(id).Int(id);
      }
      insert.Row();
    }
  }
  job.written.event_count += trace.syncs.size();
  if (events.empty()) return;
  const std::string event_columns =
      "timestamp, deviceId, contextId, greenContextId, streamId, correlationId, globalPid, eventId, eventSyncId";
  job.file.MakeTable("CUPTI_ACTIVITY_KIND_CUDA_EVENT", event_columns);
  Insert insert(job.file, "CUPTI_ACTIVITY_KIND_CUDA_EVENT", event_columns);
  for (const auto& [event, id] : events) {
    insert.Int(0);
    Where(job, insert, event.stream);
    event.correlation == kNoId ? insert.Null() : insert.Int(static_cast<int64_t>(event.correlation));
    insert.Int(event.process).Int(id).Int(id).Row();
  }
}

void WriteSamples(Job& job) {
  WriteCounters(job);
  WriteMemory(job);
}

}  // namespace warpscope::exporting
