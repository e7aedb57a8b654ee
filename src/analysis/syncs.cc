#include "analysis/syncs.h"

#include <algorithm>
#include <array>
#include <map>

#include "analysis/call_tree.h"
#include "analysis/copies.h"
#include "analysis/device_time.h"

namespace warpscope::analysis {
namespace {

using model::kNone;

constexpr int64_t kPollSpacingNs = 200'000;  // queries this close belong to one loop
constexpr size_t kMinPolls = 3;
constexpr int64_t kReturnSlackNs = 40'000;  // a finish this long before or after the return can still be its cause
constexpr size_t kMaxStreamsApart = 64;
constexpr uint64_t kMinLikes = 2;  // waits of one place from which the last one is the program's as well

// Issued work of one domain (or one stream of it), by issue time, with the latest end so far.
struct Issued {
  std::vector<int64_t> issue_ns, max_end_ns;

  void Add(int64_t issue, int64_t end) {
    max_end_ns.push_back(max_end_ns.empty() ? end : std::max(max_end_ns.back(), end));
    issue_ns.push_back(issue);
  }
  // Latest end of what was issued before the moment; INT64_MIN if nothing was.
  int64_t EndBefore(int64_t time_ns) const {
    const auto at = std::lower_bound(issue_ns.begin(), issue_ns.end(), time_ns) - issue_ns.begin();
    return at == 0 ? INT64_MIN : max_end_ns[static_cast<size_t>(at) - 1];
  }
};

struct Next {
  int64_t issue_ns, start_ns;
};

struct Work {
  Issued all;
  std::map<uint32_t, Issued> by_stream;
  std::vector<Next> next;  // by issue time; start = earliest start of this and all later ones
  IntervalSet busy;
};

Work Collect(const Index& index, uint32_t link_domain) {
  const model::Trace& trace = index.trace();
  struct Item {
    int64_t issue_ns;
    uint32_t row;
  };
  std::vector<Item> items;
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    if (trace.GpuDomain(row) != link_domain) continue;
    const uint32_t call = trace.gpu.call[row];
    items.push_back({call == kNone ? trace.gpu.start_ns[row] : trace.host.start_ns[call], row});
  }
  std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.issue_ns < b.issue_ns; });
  Work work;
  for (const Item& item : items) {
    const int64_t end = trace.gpu.end_ns(item.row);
    work.all.Add(item.issue_ns, end);
    if (work.by_stream.size() <= kMaxStreamsApart) work.by_stream[trace.gpu.stream[item.row]].Add(item.issue_ns, end);
    work.next.push_back({item.issue_ns, trace.gpu.start_ns[item.row]});
  }
  for (size_t i = work.next.size(); i-- > 1;)
    work.next[i - 1].start_ns = std::min(work.next[i - 1].start_ns, work.next[i].start_ns);
  Scope scope;
  scope.link_domain = link_domain;
  work.busy = GpuIntervals(index, scope);
  return work;
}

// End of the queued work that the call can have waited for: streams that finished inside the call, or just after.
int64_t WaitedFor(const Work& work, int64_t begin_ns, int64_t end_ns, bool whole_device) {
  const int64_t all = work.all.EndBefore(begin_ns);
  if (whole_device || work.by_stream.size() > kMaxStreamsApart) return std::min(all, end_ns);
  int64_t latest = INT64_MIN;
  for (const auto& [stream, issued] : work.by_stream) {
    const int64_t end = issued.EndBefore(begin_ns);
    if (end <= end_ns + kReturnSlackNs) latest = std::max(latest, std::min(end, end_ns));
  }
  return latest;
}

void Measure(const Work& work, SyncCall* call) {
  // A copy is issued by the call itself: count it as queued.
  const bool own_work = call->kind == SyncCallKind::kCopy;
  const bool whole = call->kind == SyncCallKind::kDevice || call->kind == SyncCallKind::kFree || own_work;
  const int64_t queued_end = WaitedFor(work, own_work ? call->begin_ns + 1 : call->begin_ns, call->end_ns, whole);
  if (queued_end > call->begin_ns) call->waited_ns = work.busy.LengthWithin(call->begin_ns, queued_end);
  const auto next = std::lower_bound(work.next.begin(), work.next.end(), call->end_ns,
                                     [](const Next& n, int64_t time) { return n.issue_ns < time; });
  if (next == work.next.end()) return;
  call->host_after_ns = next->issue_ns - call->end_ns;
  const int64_t idle_from = work.all.EndBefore(call->end_ns);
  if (idle_from == INT64_MIN || next->start_ns <= idle_from) return;
  call->idle_after_ns = next->start_ns - idle_from;
  // Without the wait the host would have been here earlier by the call's length, and no more.
  call->caused_idle_ns = std::min(call->idle_after_ns, call->end_ns - call->begin_ns);
}

class Finder {
 public:
  Finder(const Index& index, const Scope& scope, SyncSummary* out)
      : index_(index), trace_(index.trace()), scope_(scope), out_(out) {}

  void Scan(uint32_t thread) {
    const auto range = RowsIn(trace_, thread, scope_.window);
    polls_ = {};
    for (uint32_t row = range.begin; row < range.end; ++row) {
      if (!index_.is_call(row)) continue;
      // A driver call inside a runtime call is the same wait.
      const uint32_t parent = trace_.host.parent[row];
      if (parent != kNone && index_.is_call(parent)) continue;
      Consider(row);
    }
    EndPolls();
  }

 private:
  void Consider(uint32_t row) {
    const CallKind kind = index_.call_kind(row);
    if (kind == CallKind::kQuery) return Poll(row);
    if (Issues(kind) || IsSyncCall(kind)) EndPolls();
    switch (kind) {
      case CallKind::kStreamSync: return Add(row, SyncCallKind::kStream);
      case CallKind::kDeviceSync: return Add(row, SyncCallKind::kDevice);
      case CallKind::kEventSync: return Add(row, SyncCallKind::kEvent);
      case CallKind::kDeviceFree: return Add(row, SyncCallKind::kFree);
      case CallKind::kCopyAsync:
      case CallKind::kCopySync: {
        const Index::Rows issued = index_.IssuedBy(row);
        if (!issued.empty() && CallHeldByCopy(index_, *(issued.end() - 1))) Add(row, SyncCallKind::kCopy);
        return;
      }
      default: return;
    }
  }

  void Poll(uint32_t row) {
    if (polls_.count > 0 && trace_.host.start_ns[row] - trace_.host.end_ns(polls_.last) > kPollSpacingNs) EndPolls();
    if (polls_.count++ == 0) polls_.first = row;
    polls_.last = row;
  }

  void EndPolls() {
    const Polls polls = polls_;
    polls_ = {};
    if (polls.count < kMinPolls) return;
    SyncCall call = Make(polls.first, SyncCallKind::kPolling);
    call.last_row = polls.last;
    call.end_ns = trace_.host.end_ns(polls.last);
    call.polls = polls.count;
    out_->calls.push_back(call);
  }

  SyncCall Make(uint32_t row, SyncCallKind kind) const {
    SyncCall call;
    call.row = call.last_row = row;
    call.kind = kind;
    call.thread = trace_.host.thread[row];
    call.begin_ns = trace_.host.start_ns[row];
    call.end_ns = trace_.host.end_ns(row);
    return call;
  }
  void Add(uint32_t row, SyncCallKind kind) { out_->calls.push_back(Make(row, kind)); }

  struct Polls {
    uint32_t first = kNone, last = kNone;
    uint64_t count = 0;
  };
  const Index& index_;
  const model::Trace& trace_;
  const Scope& scope_;
  SyncSummary* out_;
  Polls polls_;
};

// Several waits before one launch share the idle time in front of it: it is charged once, to the longest of them.
void ChargeOnce(std::vector<SyncCall>* calls, size_t first, size_t last) {
  if (last - first < 2) return;
  size_t longest = first;
  int64_t length = 0, idle = 0;
  for (size_t i = first; i < last; ++i) {
    SyncCall& call = (*calls)[i];
    length += call.end_ns - call.begin_ns;
    idle = std::max(idle, call.idle_after_ns);
    if (call.end_ns - call.begin_ns > (*calls)[longest].end_ns - (*calls)[longest].begin_ns) longest = i;
    call.caused_idle_ns = 0;
  }
  (*calls)[longest].caused_idle_ns = std::min(idle, length);
}

void ShareIdle(std::vector<SyncCall>* calls) {
  const auto next_issue = [&](size_t i) { return (*calls)[i].end_ns + (*calls)[i].host_after_ns; };
  size_t first = 0;
  for (size_t i = 1; i <= calls->size(); ++i) {
    if (i < calls->size() && (*calls)[i].idle_after_ns > 0 && next_issue(i) == next_issue(first)) continue;
    ChargeOnce(calls, first, i);
    first = i;
  }
}

// repeated: the program has waited like this several times before.
bool MadeByRecorder(const Index& index, uint32_t row, bool nothing_follows, bool repeated) {
  const model::Trace& trace = index.trace();
  bool inside_work = false, inside_step = false;
  uint32_t depth = 0;
  for (uint32_t up = row; up != kNone && ++depth < 4096; up = trace.host.parent[up]) {
    const HostLabel label = index.host_label(up);
    if (label == HostLabel::kProfiler) return true;
    inside_work |= trace.host.kind[up] == model::HostKind::kOperator || label == HostLabel::kUserPython ||
                   (trace.host.kind[up] == model::HostKind::kAnnotation && label != HostLabel::kStepMarker);
    inside_step |= label == HostLabel::kStepMarker;
  }
  // Recorders drain the device when they stop: not inside a step whose likes end so, too.
  return nothing_follows && !inside_work && !(inside_step && repeated) && index.call_kind(row) == CallKind::kDeviceSync;
}

void Group(const Index& index, SyncSummary* out) {
  const model::Trace& trace = index.trace();
  using Key = std::tuple<SyncCallKind, model::StringId, model::StringId, model::StringId, bool>;
  std::map<Key, size_t> slots;
  for (uint32_t i = 0; i < out->calls.size(); ++i) {
    const SyncCall& call = out->calls[i];
    const Caller caller = FindCaller(index, call.row);
    const auto name = [&](uint32_t row) { return row == kNone ? model::kNoString : trace.host.name[row]; };
    Key key{call.kind, trace.host.name[call.row], name(caller.outer_op), name(caller.user_frame), false};
    const auto likes = slots.find(key);
    const bool repeated = likes != slots.end() && out->groups[likes->second].count >= kMinLikes;
    const bool nothing_follows = call.idle_after_ns == 0 && call.host_after_ns == 0;
    const bool recorder = MadeByRecorder(index, call.row, nothing_follows, repeated);
    std::get<bool>(key) = recorder;
    const auto [it, fresh] = slots.try_emplace(key, out->groups.size());
    if (fresh) {
      SyncGroup group;
      group.kind = call.kind;
      group.call = trace.HostName(call.row);
      group.caller = CallerText(index, call.row);
      group.op = name(caller.outer_op);
      group.user_frame = name(caller.user_frame);
      group.first_row = call.row;
      group.recorder = recorder;
      out->groups.push_back(std::move(group));
    }
    SyncGroup& group = out->groups[it->second];
    ++group.count;
    group.total_ns += call.end_ns - call.begin_ns;
    group.waited_ns += call.waited_ns;
    group.caused_idle_ns += call.caused_idle_ns;
    group.calls.push_back(i);
    if (recorder) continue;
    out->total_ns += call.end_ns - call.begin_ns;
    out->waited_ns += call.waited_ns;
    out->caused_idle_ns += call.caused_idle_ns;
  }
  std::stable_sort(out->groups.begin(), out->groups.end(), [](const SyncGroup& a, const SyncGroup& b) {
    if (a.caused_idle_ns != b.caused_idle_ns) return a.caused_idle_ns > b.caused_idle_ns;
    if (a.total_ns != b.total_ns) return a.total_ns > b.total_ns;
    return a.call != b.call ? a.call < b.call : a.caller < b.caller;
  });
}

}  // namespace

SyncSummary SummarizeSyncs(const Index& index, const Scope& scope) {
  SyncSummary out;
  for (const Rank& rank : index.ranks()) {
    if (scope.link_domain && rank.link_domain != *scope.link_domain) continue;
    SyncSummary part;
    Finder finder(index, scope, &part);
    for (const uint32_t thread : rank.threads) finder.Scan(thread);
    if (part.calls.empty()) continue;
    std::stable_sort(part.calls.begin(), part.calls.end(),
                     [](const SyncCall& a, const SyncCall& b) { return a.begin_ns < b.begin_ns; });
    const Work work = Collect(index, rank.link_domain);
    for (SyncCall& call : part.calls) Measure(work, &call);
    ShareIdle(&part.calls);
    out.calls.insert(out.calls.end(), part.calls.begin(), part.calls.end());
  }
  Group(index, &out);
  return out;
}

std::string_view SyncCallKindName(SyncCallKind kind) {
  constexpr std::array<std::string_view, 6> kNames = {"stream", "device", "event", "blocking copy", "free", "polling"};
  return kNames[static_cast<size_t>(kind)];
}

}  // namespace warpscope::analysis
