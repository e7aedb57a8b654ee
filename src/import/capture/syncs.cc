// Synchronisations, each with the record of the event that it waits for.
#include <map>

#include "import/capture/cupti_words.h"
#include "import/capture/record_group.h"

namespace warpscope::import::capture {
namespace {

class Syncs : public RecordGroup {
 public:
  using RecordGroup::RecordGroup;

  void Read(wire::Tag tag, wire::BlockReader& in) override {
    if (tag == wire::kEventRecord) ReadRecord(in);
    else ReadSync(tag, in);
  }

  // A wait, the record that it waits for, and the first work of its stream lie in different buffers: they are matched
  // when all were read.
  void Finish() override {
    for (auto& [event, records] : by_event_)
      std::stable_sort(records.begin(), records.end(),
                       [](const Record& a, const Record& b) { return a.correlation < b.correlation; });
    for (const Wait& wait : waits_) {
      model::Sync& sync = state_.to.trace().syncs[wait.row];
      // A wait for the whole context, and one of the host for an event, name no stream.
      if (sync.kind == model::SyncKind::kStream || sync.kind == model::SyncKind::kStreamWaitEvent)
        sync.stream = StreamOf(wait.context, wait.stream);
      const Record* record = Find(wait, sync.correlation);
      if (record == nullptr) continue;
      sync.event_record_correlation = record->correlation;
      sync.wait_on_stream = StreamOf(record->context, record->stream);
    }
  }

 private:
  struct Record {
    uint64_t correlation, context, stream;  // stream: number + 1
  };
  struct Wait {
    size_t row;
    uint64_t context, stream;  // stream: number + 1
    uint64_t event, number;    // event: id + 1; number: of the record, 0 if CUPTI does not tell (before 12.8)
  };

  uint32_t StreamOf(uint64_t context, uint64_t stream) const {
    if (stream == 0) return model::kNone;
    const auto it = state_.stream_of_id.find(context << 32 | (stream - 1));
    return it == state_.stream_of_id.end() ? model::kNone : it->second;
  }

  void ReadRecord(wire::BlockReader& in) {
    const uint64_t event = in.Get(), number = in.Get(), context = in.Get(), stream = in.Get();
    const Record record = {in.GetCorrelation(), context, stream};
    if (!in.ok()) return;
    if (number != 0) by_number_[number] = record;
    if (event != 0) by_event_[event].push_back(record);
  }

  void ReadSync(wire::Tag tag, wire::BlockReader& in) {
    model::Sync row;
    row.kind = SyncKindOf(in.Get());
    const uint64_t context = in.Get(), stream = in.Get(), event = in.Get();
    row.start_ns = in.GetTime();
    row.dur_ns = Length(in.Get());
    row.correlation = in.GetCorrelation();
    row.link_domain = state_.to.trace().processes[state_.process].link_domain;
    const uint64_t number = tag == wire::kSyncEvent ? in.Get() : 0;
    if (tag == wire::kSyncEvent) in.Get();  // return value
    if (!in.ok() || !state_.InRange(row.start_ns, row.dur_ns)) return;
    waits_.push_back({state_.to.trace().syncs.size(), context, stream, event, number});
    state_.Saw(row.start_ns + row.dur_ns);
    state_.to.trace().syncs.push_back(row);
  }

  // By the record's own number, else the event's last record before the wait: events are used again and again.
  const Record* Find(const Wait& wait, uint64_t correlation) const {
    if (wait.number != 0) {
      const auto it = by_number_.find(wait.number);
      if (it != by_number_.end()) return &it->second;
    }
    if (wait.event == 0) return nullptr;
    const auto found = by_event_.find(wait.event);
    if (found == by_event_.end()) return nullptr;
    const auto after = std::partition_point(found->second.begin(), found->second.end(),
                                            [&](const Record& record) { return record.correlation < correlation; });
    return after == found->second.begin() ? nullptr : &*(after - 1);
  }

  std::unordered_map<uint64_t, Record> by_number_;
  std::map<uint64_t, std::vector<Record>> by_event_;
  std::vector<Wait> waits_;
};

}  // namespace

std::unique_ptr<RecordGroup> MakeSyncs(State* state) { return std::make_unique<Syncs>(state); }

}  // namespace warpscope::import::capture
