// syncs, memory_events, counters, gpu_annotations: what recorders write beside spans and device work.
#include "query/catalog.h"
#include "query/tables/common.h"

namespace warpscope::query {
namespace {

using model::kNone;
using model::SyncKind;

std::optional<int64_t> DeviceId(const model::Trace& t, uint32_t device) {
  return device == kNone ? std::nullopt : std::optional<int64_t>(t.devices[device].id);
}
std::optional<int64_t> StreamId(const model::Trace& t, uint32_t stream) {
  return stream == kNone ? std::nullopt : std::optional<int64_t>(t.streams[stream].id);
}
std::optional<int64_t> StreamDevice(const model::Trace& t, uint32_t stream) {
  return stream == kNone ? std::nullopt : DeviceId(t, t.streams[stream].device);
}

Table Syncs(Recording& r) {
  const model::Trace& t = r.trace();
  constexpr std::string_view kKinds[] = {"", "stream", "event", "context", "stream wait event"};
  const Words<5, SyncKind> kinds(r, kKinds);
  const auto at = [&t](uint32_t row) -> const model::Sync& { return t.syncs[row]; };
  return {
      "syncs",
      "one row a synchronisation that the recorder wrote on the device's side",
      "No synchronisation was recorded: nsys profile --trace=cuda; torch.profiler with "
      "experimental_config=_ExperimentalConfig(enable_cuda_sync_events=True). Calls that wait are in api_calls.",
      {Name("kind", "\"stream\", \"event\", \"context\", \"stream wait event\"",
            [at, kinds](uint32_t row) { return kinds[at(row).kind]; }),
       Int("start_ns", "ns", "start", [&r, at](uint32_t row) { return at(row).start_ns - r.origin_ns(); }),
       Int("end_ns", "ns", "end", [&r, at](uint32_t row) { return at(row).start_ns + at(row).dur_ns - r.origin_ns(); }),
       Int("dur_ns", "ns", "duration", [at](uint32_t row) { return at(row).dur_ns; }),
       Int("device", "", "device of the stream", [&t, at](uint32_t row) { return StreamDevice(t, at(row).stream); }),
       Int("stream", "", "stream that was waited for, or (stream wait event) that waits",
           [&t, at](uint32_t row) { return StreamId(t, at(row).stream); }),
       Int("wait_on_stream", "", "stream wait event: where the event was recorded",
           [&t, at](uint32_t row) { return StreamId(t, at(row).wait_on_stream); }),
       UInt("correlation", "id that links it with its API call",
            [at](uint32_t row) { return IdOrAbsent(at(row).correlation); }),
       Int("call_id", "", "row number in host of that call", [at](uint32_t row) { return RowOrAbsent(at(row).call); })},
      AllRows(t.syncs.size()),
      t.syncs.size()};
}

Table MemoryEvents(const Recording& r) {
  const model::Trace& t = r.trace();
  const auto at = [&t](uint32_t row) -> const model::MemoryEvent& { return t.memory[row]; };
  return {
      "memory_events",
      "one row an allocation or free",
      "No memory event was recorded: torch.profiler with profile_memory=True; nsys profile --cuda-memory-usage=true.",
      {Int("time_ns", "ns", "when, since the first moment of the recording",
           [&r, at](uint32_t row) { return at(row).time_ns - r.origin_ns(); }),
       Int("bytes", "bytes", "above 0 allocated, below 0 freed", [at](uint32_t row) { return at(row).bytes; }),
       UInt("address", "address of the block", [at](uint32_t row) { return at(row).address; }),
       Int("device", "", "device; absent for host memory",
           [&t, at](uint32_t row) { return DeviceId(t, at(row).device); }),
       Int("tid", "", "thread",
           [&t, at](uint32_t row) -> std::optional<int64_t> {
             return at(row).thread == kNone ? std::nullopt : std::optional<int64_t>(t.threads[at(row).thread].tid);
           }),
       Int("total_allocated_bytes", "bytes", "allocated after it",
           [at](uint32_t row) { return at(row).total_allocated_bytes; }),
       Int("total_reserved_bytes", "bytes", "reserved after it",
           [at](uint32_t row) { return at(row).total_reserved_bytes; })},
      AllRows(t.memory.size()),
      t.memory.size()};
}

Table Counters(const Recording& r) {
  const model::Trace& t = r.trace();
  const auto at = [&t](uint32_t row) -> const model::CounterSample& { return t.counters[row]; };
  return {"counters",
          "one row a value that a timeline recorder sampled",
          "No counter was sampled: nsys profile --gpu-metrics-devices=all.",
          {Int("time_ns", "ns", "when, since the first moment of the recording",
               [&r, at](uint32_t row) { return at(row).time_ns - r.origin_ns(); }),
           Name("name", "what was sampled", [at](uint32_t row) { return at(row).name; }),
           Int("device", "", "device; absent if it belongs to none",
               [&t, at](uint32_t row) { return DeviceId(t, at(row).device); }),
           Double("value", "", "in `unit`", [at](uint32_t row) { return at(row).value; }),
           Text("unit", "unit as recorded", [at](uint32_t row) { return at(row).unit; })},
          AllRows(t.counters.size()),
          t.counters.size()};
}

Table GpuAnnotations(const Recording& r) {
  const model::Trace& t = r.trace();
  const auto at = [&t](uint32_t row) -> const model::GpuAnnotation& { return t.gpu_annotations[row]; };
  return {"gpu_annotations",
          "one row an annotation that the recorder drew on a stream",
          "The recorder drew no annotations on streams; annotation_gpu tells what was issued in which annotation.",
          {Name("name", "name", [at](uint32_t row) { return at(row).name; }),
           Int("start_ns", "ns", "start", [&r, at](uint32_t row) { return at(row).start_ns - r.origin_ns(); }),
           Int("dur_ns", "ns", "duration", [at](uint32_t row) { return at(row).dur_ns; }),
           Int("device", "", "device", [&t, at](uint32_t row) { return StreamDevice(t, at(row).stream); }),
           Int("stream", "", "stream", [&t, at](uint32_t row) { return StreamId(t, at(row).stream); })},
          AllRows(t.gpu_annotations.size()),
          t.gpu_annotations.size()};
}

}  // namespace

void AddEventTables(Recording& r, std::vector<Table>& tables) {
  tables.push_back(Syncs(r));
  tables.push_back(MemoryEvents(r));
  tables.push_back(Counters(r));
  tables.push_back(GpuAnnotations(r));
}

}  // namespace warpscope::query
