// Synchronisations, each with the call that recorded the event it waits for.
#include <algorithm>

#include "import/nsys/reader.h"

namespace warpscope::import::nsys {
namespace {

using model::SyncKind;

struct EventRecord {
  uint64_t correlation = model::kNoId;
  uint32_t stream = model::kNone;
};

// Records of an event by process and by the number that ties a wait to its record: eventSyncId where the schema has it
// (2026), else the event's own number, which is used again and again.
using EventKey = std::tuple<int64_t, bool, int64_t>;
using Events = std::map<EventKey, std::vector<EventRecord>>;

SyncKind KindOf(std::optional<int64_t> code) {  // ENUM_CUPTI_SYNC_TYPE
  switch (code.value_or(0)) {
    case 1: return SyncKind::kEvent;
    case 2: return SyncKind::kStreamWaitEvent;
    case 3: return SyncKind::kStream;
    case 4: return SyncKind::kContext;
    default: return SyncKind::kUnknown;
  }
}

bool IsNumber(std::optional<int64_t> value) {  // 4294967295 and 0 stand for "none"
  return value && *value != UINT32_MAX && *value != 0 && *value != -1;
}

Events ReadEvents(Reader& reader) {
  Events events;
  Columns columns("CUPTI_ACTIVITY_KIND_CUDA_EVENT");
  const int device = columns.Add("deviceId"), context = columns.Add("contextId"), stream = columns.Add("streamId");
  const int correlation = columns.Add("correlationId"), process = columns.Add("globalPid");
  const int event = columns.Add("eventId"), sync = columns.Add("eventSyncId");
  reader.Rows(columns, [&](const Query& row) {
    const bool has_sync = IsNumber(row.Int(sync));
    const auto key = has_sync ? row.Int(sync) : row.Int(event);
    if (!IsNumber(key)) return;
    EventRecord record;
    record.correlation = reader.Id(row.Int(correlation));
    if (!row.is_null(stream))
      record.stream = reader.Stream(row.Int(process), row.Int(device), row.Int(context), row.Int(stream));
    events[{row.Int(process).value_or(-1), has_sync, *key}].push_back(record);
  });
  for (auto& [key, records] : events) {
    std::stable_sort(records.begin(), records.end(),
                     [](const EventRecord& a, const EventRecord& b) { return a.correlation < b.correlation; });
  }
  return events;
}

// The last record before the wait.
const EventRecord* Find(const Events& events, int64_t process, std::optional<int64_t> sync,
                        std::optional<int64_t> event, uint64_t correlation) {
  const bool has_sync = IsNumber(sync);
  if (!has_sync && !IsNumber(event)) return nullptr;
  const auto found = events.find({process, has_sync, has_sync ? *sync : *event});
  if (found == events.end()) return nullptr;
  const std::vector<EventRecord>& records = found->second;
  if (records.size() == 1) return records.data();
  const auto after = std::partition_point(records.begin(), records.end(),
                                          [&](const EventRecord& record) { return record.correlation < correlation; });
  return after == records.begin() ? nullptr : &*(after - 1);
}

}  // namespace

void Reader::ReadSyncs() {
  const Events events = ReadEvents(*this);
  Columns columns("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION");
  const int start = columns.Add("start"), end = columns.Add("end"), device = columns.Add("deviceId");
  const int context = columns.Add("contextId"), stream = columns.Add("streamId");
  const int correlation = columns.Add("correlationId"), process = columns.Add("globalPid");
  const int type = columns.Add("syncType|deprecatedSyncType"), event = columns.Add("eventId");
  const int event_sync = columns.Add("eventSyncId");
  Rows(columns, [&](const Query& row) {
    const auto span = Times(row.Int(start), row.Int(end));
    if (!span) return;
    model::Sync sync;
    sync.start_ns = span->start_ns;
    sync.dur_ns = span->dur_ns;
    sync.kind = KindOf(row.Int(type));
    sync.correlation = Id(row.Int(correlation));
    const auto global = row.Int(process), number = row.Int(stream);
    // A wait for the whole context, and a wait of the host for an event, name no stream.
    const bool has_stream =
        is_own_ ? number.has_value()
                : IsNumber(number) && (sync.kind == SyncKind::kStream || sync.kind == SyncKind::kStreamWaitEvent);
    if (has_stream) sync.stream = Stream(global, row.Int(device), row.Int(context), number);
    sync.link_domain = trace().processes[Process(global)].link_domain;
    if (const EventRecord* record =
            Find(events, global.value_or(-1), row.Int(event_sync), row.Int(event), sync.correlation)) {
      sync.event_record_correlation = record->correlation;
      sync.wait_on_stream = record->stream;
    }
    trace().syncs.push_back(sync);
  });
}

}  // namespace warpscope::import::nsys
