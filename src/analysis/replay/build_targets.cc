// What each wait waits for, and which event made which stream wait: from synchronisation rows where the recorder wrote
// them, else inferred from when things ended (docs/whatif.md).
#include <algorithm>
#include <map>
#include <unordered_map>

#include "analysis/replay/build.h"

namespace warpscope::analysis::replay {
namespace {

using model::kNone;

constexpr int64_t kReturnWindowNs = 40'000;  // a return follows the end of the awaited work within this
constexpr int64_t kEarlyReturnNs = 2'000;    // clock noise between device and host, at least

// How far the device's clock may be ahead of the host's: a recorder converts one into the other with an error of some
// ten us, and work then seems to end after the wait for it returned. Only calls that follow work of one stream of their
// thread tell; what ends later still than `kMost` is not what they waited for.
int64_t EarlyReturnNs(const Draft& draft, const std::vector<uint32_t>& calls_in_order) {
  constexpr int64_t kMost = 100'000;
  constexpr size_t kFewest = 3;
  constexpr double kNearlyAll = 0.9;
  struct Issued {
    int64_t end = INT64_MIN;
    uint32_t stream = kNone;
    bool mixed = false;
  };
  std::vector<Issued> issued(draft.trace->threads.size());
  std::vector<int64_t> late;
  for (const uint32_t index : calls_in_order) {
    const Call& call = draft.calls[index];
    Issued& since = issued[call.thread];
    for (uint32_t u = call.unit_begin; u < call.unit_end; ++u) {
      const Unit& unit = draft.units[u];
      since.mixed |= since.stream != kNone && since.stream != unit.stream;
      since.stream = unit.stream;
      since.end = std::max(since.end, unit.end);
    }
    if (call.call_class != CallClass::kDeviceSync && call.call_class != CallClass::kStreamSync) continue;
    if (!since.mixed && since.end > call.end - kReturnWindowNs && since.end <= call.end + kMost)
      late.push_back(since.end - call.end);
    since = Issued();
  }
  if (late.size() < kFewest) return kEarlyReturnNs;
  const auto at = late.begin() + static_cast<std::ptrdiff_t>(kNearlyAll * static_cast<double>(late.size() - 1));
  std::nth_element(late.begin(), at, late.end());
  return kEarlyReturnNs + std::max<int64_t>(*at, 0);
}
constexpr int64_t kFollowNs = 15'000;  // a unit that waited for another follows it within this
constexpr int64_t kCertainSlackNs = 5'000;
constexpr uint32_t kMaxCandidateStreams = 64;  // most recently used streams looked at for one wait

class TargetFinder {
 public:
  explicit TargetFinder(Draft& draft) : draft_(draft) {
    issued_.resize(draft.trace->streams.size());
    last_stream_.assign(draft.trace->threads.size(), kNone);
    seen_log_.assign(draft.host_agents, 0);
    for (uint32_t s = 0; s < draft.trace->syncs.size(); ++s) {
      if (draft.trace->syncs[s].call != kNone) sync_of_call_.emplace(draft.trace->syncs[s].call, s);
    }
    for (const Unit& unit : draft.units) {
      if (unit.pending) Issue(static_cast<uint32_t>(&unit - draft.units.data()), 0);
    }
  }

  void Run() {
    std::vector<uint32_t> order(draft_.calls.size());
    for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return draft_.calls[a].start < draft_.calls[b].start; });
    early_return_ns_ = EarlyReturnNs(draft_, order);
    for (const uint32_t i : order) Visit(draft_.calls[i]);
    KeepConsistentEvents();
  }

 private:
  struct Issued {
    int64_t time;
    uint32_t unit;
  };
  struct Recorded {
    int64_t time;
    uint32_t unit;
    uint32_t stream;
  };

  void Visit(Call& call) {
    for (uint32_t u = call.unit_begin; u < call.unit_end; ++u) {
      ResolvePendingWaits(call, u);
      Issue(u, call.start);
      last_stream_[call.thread] = draft_.units[u].stream;
    }
    switch (call.call_class) {
      case CallClass::kStreamSync: return StreamSync(call);
      case CallClass::kEventSync: return EventSync(call);
      case CallClass::kDeviceSync: return DeviceSync(call);
      case CallClass::kFree: return DeviceSync(call);
      case CallClass::kAlloc: return MaybeWait(call);
      case CallClass::kPoll: return MaybeWait(call);
      case CallClass::kEventRecord: return Record(call);
      case CallClass::kStreamWaitEvent: return StreamWait(call);
      default: return;
    }
  }

  void Issue(uint32_t unit, int64_t time) {
    const uint32_t stream = draft_.units[unit].stream;
    auto& list = issued_[stream];
    // Later starts only: what a wait needs is the last to finish.
    if (!list.empty() && draft_.units[list.back().unit].start > draft_.units[unit].start) return;
    list.push_back({time, unit});
    log_.push_back(stream);
    const auto it = std::find(recent_.rbegin(), recent_.rend(), stream);
    if (it != recent_.rend()) recent_.erase(std::next(it).base());
    recent_.push_back(stream);
    if (recent_.size() > kMaxCandidateStreams) recent_.erase(recent_.begin());
  }

  uint32_t LastOn(uint32_t stream) const { return issued_[stream].empty() ? kNoItem : issued_[stream].back().unit; }
  uint32_t LastOnBefore(uint32_t stream, int64_t time) const {
    const auto& list = issued_[stream];
    const auto it = std::partition_point(list.begin(), list.end(), [&](const Issued& i) { return i.time < time; });
    return it == list.begin() ? kNoItem : std::prev(it)->unit;
  }

  bool EndsAtReturn(const Call& call, uint32_t unit) const {
    const int64_t end = draft_.units[unit].end;
    return end > call.start && end <= call.end + early_return_ns_ && end >= call.end - kReturnWindowNs;
  }
  bool DoneBeforeReturn(const Call& call, uint32_t unit) const {
    return draft_.units[unit].end <= call.end + early_return_ns_;
  }

  void Target(Call& call, uint32_t unit, Certainty certainty) {
    call.targets.push_back(unit);
    call.target_certainty = std::min(call.target_certainty, certainty);
    if (certainty == kGuessed) ++draft_.guessed_targets;
  }

  const model::Sync* SyncOf(const Call& call) const {
    const auto it = sync_of_call_.find(call.row);
    return it == sync_of_call_.end() ? nullptr : &draft_.trace->syncs[it->second];
  }

  void StreamSync(Call& call) {
    const model::Sync* sync = SyncOf(call);
    if (sync && sync->stream != kNone) {
      const uint32_t unit = LastOn(sync->stream);
      if (unit != kNoItem) Target(call, unit, kRecorded);
      return;
    }
    Guess(call, true);
  }

  // The stream whose end fits the return; of several the one this thread used last. If none fits, the stream used last,
  // provided it had drained: the call then waited for nothing, but it would if the host came earlier.
  void Guess(Call& call, bool semantic) {
    const uint32_t own = last_stream_[call.thread];
    uint32_t best = kNoItem;
    uint32_t fitting = 0;
    for (const uint32_t stream : recent_) {
      const uint32_t unit = LastOn(stream);
      if (unit == kNoItem || !EndsAtReturn(call, unit)) continue;
      ++fitting;
      const bool nearer = best == kNoItem || draft_.units[unit].end > draft_.units[best].end;
      if (stream == own || (nearer && (best == kNoItem || draft_.units[best].stream != own))) best = unit;
    }
    if (best != kNoItem) return Target(call, best, fitting == 1 ? kLikely : kGuessed);
    if (!semantic || own == kNone) return;
    const uint32_t unit = LastOn(own);
    if (unit != kNoItem && DoneBeforeReturn(call, unit)) Target(call, unit, kLikely);
  }

  void EventSync(Call& call) {
    const model::Sync* sync = SyncOf(call);
    if (sync && sync->event_record_correlation != model::kNoId) {
      const auto it = records_by_correlation_.find(sync->event_record_correlation);
      if (it != records_by_correlation_.end()) {
        const uint32_t stream =
            sync->stream != kNone && sync->wait_on_stream == kNone ? sync->stream : sync->wait_on_stream;
        const uint32_t unit = stream == kNone ? it->second.unit : LastOnBefore(stream, it->second.time);
        if (unit != kNoItem && DoneBeforeReturn(call, unit)) Target(call, unit, kRecorded);
        return;
      }
    }
    Guess(call, false);
  }

  // Every stream used since this agent's previous device synchronisation. Work that was still running at the return
  // belongs to another device or context.
  void DeviceSync(Call& call) {
    size_t& seen = seen_log_[call.agent];
    std::vector<uint32_t> streams(log_.begin() + static_cast<std::ptrdiff_t>(seen), log_.end());
    std::sort(streams.begin(), streams.end());
    streams.erase(std::unique(streams.begin(), streams.end()), streams.end());
    for (const uint32_t stream : streams) {
      const uint32_t unit = LastOn(stream);
      if (unit != kNoItem && DoneBeforeReturn(call, unit)) Target(call, unit, kLikely);
    }
    seen = log_.size();
  }

  void MaybeWait(Call& call) { Guess(call, false); }

  void Record(Call& call) {
    const uint32_t stream = last_stream_[call.thread];
    const Recorded recorded{call.start, stream == kNone ? kNoItem : LastOn(stream), stream};
    fresh_record_[call.thread] = recorded;
    const uint64_t correlation = draft_.trace->host.correlation[call.row];
    if (correlation != model::kNoId) records_by_correlation_[correlation] = recorded;
  }

  void StreamWait(Call& call) {
    const model::Sync* sync = SyncOf(call);
    if (sync && sync->stream != kNone && sync->wait_on_stream != kNone) {
      const auto it = records_by_correlation_.find(sync->event_record_correlation);
      const int64_t time = it == records_by_correlation_.end() ? call.start : it->second.time;
      const uint32_t unit = LastOnBefore(sync->wait_on_stream, time);
      if (unit != kNoItem) stream_waits_[sync->stream].push_back({unit, kRecorded});
      return;
    }
    if (HasSyncRows()) return;
    // A record just before, by the same thread, is the event meant; otherwise it is some earlier one.
    const auto it = fresh_record_.find(call.thread);
    const bool adjacent = it != fresh_record_.end();
    const uint32_t unit = adjacent ? it->second.unit : kNoItem;
    if (adjacent && unit == kNoItem) return;
    auto& waits = thread_waits_[call.thread];
    if (waits.size() >= kMaxOpenWaits) waits.erase(waits.begin());
    waits.push_back({unit, call.start, adjacent ? it->second.time : call.start, {}});
  }

  bool HasSyncRows() const { return !draft_.trace->syncs.empty(); }

  // The first unit after a wait is the one that waits.
  void ResolvePendingWaits(const Call& call, uint32_t unit) {
    const uint32_t stream = draft_.units[unit].stream;
    const auto recorded = stream_waits_.find(stream);
    if (recorded != stream_waits_.end()) {
      for (const Waiting& waiting : recorded->second) draft_.events.push_back({waiting.from, unit, waiting.certainty});
      stream_waits_.erase(recorded);
    }
    fresh_record_.erase(call.thread);
    const auto guessed = thread_waits_.find(call.thread);
    if (guessed == thread_waits_.end()) return;
    // Several waits for one record make several streams wait, each the first of its stream.
    int64_t resolved_record = kNever;
    std::erase_if(guessed->second, [&](ThreadWait& wait) {
      if (wait.from == kNoItem) return MatchByTime(call, unit, wait.time);
      if (draft_.units[wait.from].stream == stream) return false;  // meant for a later unit, on another stream
      const bool served = std::find(wait.served.begin(), wait.served.end(), stream) != wait.served.end();
      if (served) return false;
      wait.served.push_back(stream);
      if (wait.record == resolved_record) return false;
      resolved_record = wait.record;
      draft_.events.push_back({wait.from, unit, kGuessed});
      // Still running when the unit started: not the event meant. (The pair is judged and dropped later.)
      if (draft_.units[wait.from].end > draft_.units[unit].start) MatchByTime(call, unit, wait.time);
      return true;
    });
  }

  // A wait for an event recorded earlier: if the unit started later than its launch and its stream explain, it waited
  // for what ended just before. Waits that were not felt are taken to go through the other stream one unit at a time.
  bool MatchByTime(const Call& call, uint32_t unit, int64_t wait_time) {
    const Unit& waiting = draft_.units[unit];
    const uint32_t previous = LastOn(waiting.stream);
    const int64_t explained =
        std::max(call.end, previous == kNoItem ? call.end : draft_.units[previous].end) + kIdleMarginNs / 2;
    if (waiting.start > explained) {
      for (const uint32_t stream : recent_) {
        const size_t at =
            stream == waiting.stream ? kNoIndex : LastEndedBefore(stream, waiting.start + early_return_ns_);
        if (at == kNoIndex || issued_[stream][at].time > wait_time) continue;
        if (draft_.units[issued_[stream][at].unit].end < waiting.start - kFollowNs) continue;
        matched_[waiting.stream] = {stream, at, unit};
        draft_.events.push_back({issued_[stream][at].unit, unit, kLikely, true});
        return true;
      }
    }
    const auto it = matched_.find(waiting.stream);
    if (it == matched_.end() || it->second.unit == unit) return true;
    const auto& list = issued_[it->second.stream];
    const size_t next = it->second.index + 1;
    if (next >= list.size() || list[next].time > wait_time || draft_.units[list[next].unit].end > waiting.start)
      return true;
    it->second.index = next;
    it->second.unit = unit;
    draft_.events.push_back({list[next].unit, unit, kGuessed, true});
    return true;
  }

  size_t LastEndedBefore(uint32_t stream, int64_t time) const {
    const auto& list = issued_[stream];
    const auto it = std::partition_point(list.begin(), list.end(),
                                         [&](const Issued& issued) { return draft_.units[issued.unit].end <= time; });
    return it == list.begin() ? kNoIndex : static_cast<size_t>(it - list.begin() - 1);
  }

  uint64_t PairOf(const Draft::Event& event) const {
    const auto name = [&](uint32_t unit) {
      return draft_.trace->gpu.name[draft_.unit_rows[draft_.units[unit].row_begin]];
    };
    return (uint64_t{name(event.from)} << 32) | name(event.to);
  }

  // Inferred pairs must have held every time; a close follow-up somewhere makes them near certain.
  void KeepConsistentEvents() {
    struct Pair {
      bool holds = true;
      int64_t least_slack = INT64_MAX;
    };
    std::map<uint64_t, Pair> pairs;
    for (const auto& event : draft_.events) {
      if (event.certainty == kRecorded || event.by_time) continue;
      Pair& pair = pairs[PairOf(event)];
      const int64_t slack = draft_.units[event.to].start - draft_.units[event.from].end;
      pair.holds &= slack >= 0;
      pair.least_slack = std::min(pair.least_slack, slack);
    }
    std::erase_if(draft_.events, [&](const Draft::Event& event) {
      return event.certainty != kRecorded && !event.by_time && !pairs[PairOf(event)].holds;
    });
    for (auto& event : draft_.events) {
      if (event.certainty != kRecorded && !event.by_time && pairs[PairOf(event)].least_slack < kCertainSlackNs)
        event.certainty = kLikely;
    }
  }

  struct Waiting {
    uint32_t from;
    Certainty certainty;
  };
  struct ThreadWait {
    uint32_t from;  // kNoItem: an event recorded earlier, by whomever
    int64_t time;
    int64_t record;                // when the event was recorded: names it
    std::vector<uint32_t> served;  // streams that other waits for it have taken
  };
  struct Matched {
    uint32_t stream;
    size_t index;   // into issued_[stream]
    uint32_t unit;  // the last that was matched
  };
  static constexpr size_t kNoIndex = SIZE_MAX;
  static constexpr size_t kMaxOpenWaits = 64;

  Draft& draft_;
  int64_t early_return_ns_ = kEarlyReturnNs;
  std::vector<std::vector<Issued>> issued_;  // per stream, in issue order
  std::vector<uint32_t> last_stream_;        // per thread
  std::vector<uint32_t> recent_;             // streams, most recently used last
  std::vector<uint32_t> log_;                // stream of every issue
  std::vector<size_t> seen_log_;             // per agent
  std::unordered_map<uint32_t, uint32_t> sync_of_call_;
  std::unordered_map<uint64_t, Recorded> records_by_correlation_;
  std::unordered_map<uint32_t, Recorded> fresh_record_;              // per thread, until it issues something
  std::unordered_map<uint32_t, std::vector<Waiting>> stream_waits_;  // per stream
  std::unordered_map<uint32_t, std::vector<ThreadWait>> thread_waits_;
  std::unordered_map<uint32_t, Matched> matched_;  // per waiting stream
};

}  // namespace

void FindTargets(Draft& draft) { TargetFinder(draft).Run(); }

}  // namespace warpscope::analysis::replay
