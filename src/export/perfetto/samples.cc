// Counters, memory events and synchronisations.
#include <map>
#include <string>
#include <tuple>

#include "base/perfetto_fields.h"
#include "export/perfetto/job.h"

namespace warpscope::exporting::perfetto {
namespace {

namespace pf = warpscope::perfetto;
using model::kNone;

void DescribeCounter(Job& job, uint64_t uuid, uint32_t device, std::string_view name, std::string_view unit) {
  Message counter, track;
  if (!unit.empty()) counter.Bytes(pf::counter::kUnitName, unit);
  track.Number(pf::track::kUuid, uuid);
  if (device != kNone) track.Number(pf::track::kParentUuid, TrackUuid(TrackKind::kDevice, device));
  job.file.Descriptor(track.Bytes(pf::track::kName, name).Add(pf::track::kCounter, counter));
}

void WriteCounters(Job& job) {
  using Series = std::tuple<model::StringId, uint32_t, model::StringId>;  // name, device, unit
  std::map<Series, uint32_t> rows;
  const uint64_t marks = TrackUuid(TrackKind::kMarks, 0);
  for (const model::CounterSample& sample : job.trace.counters) {
    const auto [it, fresh] =
        rows.try_emplace({sample.name, sample.device, sample.unit}, static_cast<uint32_t>(rows.size()));
    const uint64_t track = TrackUuid(TrackKind::kCounter, it->second);
    if (fresh) {
      const std::string_view unit = sample.unit == model::kNoString ? std::string_view() : job.trace.Text(sample.unit);
      const std::string_view name = sample.name == model::kNoString ? std::string_view() : job.trace.Text(sample.name);
      DescribeCounter(job, track, sample.device, name, unit);
      job.file.BeginMark(marks, job.Time(sample.time_ns), "counter");
      if (sample.device != kNone) job.file.Annotate(Key::kDevice, uint64_t{sample.device});
      job.file.Annotate(Key::kUnit, sample.unit);
      job.file.End();
    }
    job.file.Counter(track, job.Time(sample.time_ns), sample.value);
    ++job.written.event_count;
  }
}

void WriteMemory(Job& job) {
  if (job.trace.memory.empty()) return;
  const uint64_t track = TrackUuid(TrackKind::kMemory, 0);
  Message descriptor;
  job.file.Descriptor(descriptor.Number(pf::track::kUuid, track).Bytes(pf::track::kName, "allocations"));
  std::map<uint32_t, uint64_t> totals;  // tracks of allocated bytes, for viewers only
  for (const model::MemoryEvent& row : job.trace.memory) {
    job.file.BeginMark(track, job.Time(row.time_ns), "memory");
    job.file.Annotate(Key::kBytes, row.bytes);
    job.file.Annotate(Key::kAddress, row.address);
    if (row.device != kNone) job.file.Annotate(Key::kDevice, uint64_t{row.device});
    if (row.thread != kNone) job.file.Annotate(Key::kThread, uint64_t{row.thread});
    job.file.Annotate(Key::kTotalAllocatedBytes, row.total_allocated_bytes);
    job.file.Annotate(Key::kTotalReservedBytes, row.total_reserved_bytes);
    job.file.End();
    ++job.written.event_count;
    if (!row.total_allocated_bytes || row.device == kNone) continue;
    const auto [it, fresh] = totals.try_emplace(row.device, TrackUuid(TrackKind::kDerivedCounter, row.device));
    if (fresh) DescribeCounter(job, it->second, row.device, "allocated", "bytes");
    job.file.Counter(it->second, job.Time(row.time_ns), static_cast<double>(*row.total_allocated_bytes));
  }
}

void WriteSyncs(Job& job) {
  if (job.trace.syncs.empty()) return;
  const uint64_t track = TrackUuid(TrackKind::kSync, 0);
  Message descriptor;
  job.file.Descriptor(descriptor.Number(pf::track::kUuid, track).Bytes(pf::track::kName, "synchronisations"));
  for (const model::Sync& row : job.trace.syncs) {
    job.file.BeginMark(track, job.Time(row.start_ns), "sync");
    job.file.Annotate(Key::kDurNs, row.dur_ns);
    job.file.Annotate(Key::kKind, static_cast<uint64_t>(row.kind));
    if (row.stream != kNone) job.file.Annotate(Key::kStream, uint64_t{row.stream});
    if (row.wait_on_stream != kNone) job.file.Annotate(Key::kWaitOnStream, uint64_t{row.wait_on_stream});
    if (row.correlation != model::kNoId) job.file.Annotate(Key::kCorrelation, row.correlation);
    if (row.event_record_correlation != model::kNoId)
      job.file.Annotate(Key::kEventRecordCorrelation, row.event_record_correlation);
    if (row.link_domain != kNone) job.file.Annotate(Key::kDomain, uint64_t{row.link_domain});
    job.file.End();
    ++job.written.event_count;
  }
}

}  // namespace

void WriteSamples(Job& job) {
  WriteCounters(job);
  WriteMemory(job);
  WriteSyncs(job);
}

}  // namespace warpscope::exporting::perfetto
