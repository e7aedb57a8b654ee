// Outermost API calls of the window, and which threads are one serial agent.
#include <algorithm>
#include <numeric>

#include "analysis/replay/build.h"

namespace warpscope::analysis::replay {
namespace {

using model::HostKind;
using model::kNone;

constexpr uint32_t kMinPolls = 16;  // queries in a row that are a wait written as a loop
constexpr int64_t kMaxPollGapNs = 200'000;
constexpr double kSerialOverlapRatio = 0.01;  // threads that overlap less run one at a time
constexpr int64_t kSerialOverlapNs = 50'000;
constexpr uint32_t kMinBursts = 100;  // alternations needed to believe in a lock
constexpr uint32_t kMinTurns = 6;     // bursts of a thread that a hand-over is believed from
constexpr int64_t kHandOverNs = 1'000'000;
constexpr double kPromptRatio = 0.9;

bool IsCall(HostKind kind) { return kind == HostKind::kRuntimeCall || kind == HostKind::kDriverCall; }

struct Span {
  int64_t begin, end;
};

// What a thread was seen doing: calls, and operators where `with_operators`. Merged, in order.
std::vector<Span> BusySpans(const Draft& draft, uint32_t thread, bool with_operators) {
  const auto& host = draft.trace->host;
  std::vector<Span> spans;
  const auto rows = draft.trace->thread_rows[thread];
  for (uint32_t row = rows.begin; row < rows.end; ++row) {
    if (!IsCall(host.kind[row]) && !(with_operators && host.kind[row] == HostKind::kOperator)) continue;
    if (host.start_ns[row] < draft.origin_ns || host.start_ns[row] >= draft.end_ns) continue;
    const Span span{host.start_ns[row], host.end_ns(row)};
    if (!spans.empty() && span.begin <= spans.back().end) {
      spans.back().end = std::max(spans.back().end, span.end);
    } else {
      spans.push_back(span);
    }
  }
  return spans;
}

int64_t Total(const std::vector<Span>& spans) {
  int64_t total = 0;
  for (const Span span : spans) total += span.end - span.begin;
  return total;
}

struct Overlap {
  int64_t shared_ns = 0;
  uint32_t alternations = 0;
};

Overlap Compare(const std::vector<Span>& a, const std::vector<Span>& b) {
  Overlap overlap;
  size_t j = 0;
  bool other_since = false;
  for (size_t i = 0, k = 0; i < a.size(); ++i) {
    while (j < b.size() && b[j].end <= a[i].begin) ++j;
    for (k = j; k < b.size() && b[k].begin < a[i].end; ++k) {
      overlap.shared_ns += std::min(a[i].end, b[k].end) - std::max(a[i].begin, b[k].begin);
    }
    other_since = i > 0 && j < b.size() && b[j].begin < a[i].begin;
    if (i > 0 && j > 0 && b[j - 1].begin >= a[i - 1].end) other_since = true;
    if (other_since) ++overlap.alternations;
  }
  return overlap;
}

// One thread waits while the other works, as PyTorch's does for the backward pass: each burst of `b` begins soon after
// a call of `a`, is followed soon by the next one, and no call of `a` lies in it. Two threads that do not know of each
// other would have to meet by chance at both ends of every burst.
bool TakesTurns(const std::vector<Span>& a, const std::vector<Span>& b) {
  size_t turns = 0, prompt = 0, at = 0;
  for (size_t i = 0; i < b.size();) {
    while (at < a.size() && a[at].begin < b[i].begin) ++at;
    size_t next = i + 1;
    while (next < b.size() && (at == a.size() || b[next].begin < a[at].begin)) ++next;
    ++turns;
    const bool starts = at == 0 || b[i].begin - a[at - 1].end <= kHandOverNs;
    const bool ends = at == a.size() || a[at].begin - b[next - 1].end <= kHandOverNs;
    prompt += starts && ends;
    i = next;
  }
  return turns >= kMinTurns && b.size() >= kMinTurns * turns &&
         static_cast<double>(prompt) >= kPromptRatio * static_cast<double>(turns);
}

bool RunsBackward(const Draft& draft, uint32_t thread) {
  const auto rows = draft.trace->thread_rows[thread];
  for (uint32_t row = rows.begin; row < rows.end; ++row) {
    if (draft.trace->host.forward_thread[row] != 0) return true;
  }
  return false;
}

std::vector<Span> Union(const std::vector<Span>& a, const std::vector<Span>& b) {
  std::vector<Span> all(a);
  all.insert(all.end(), b.begin(), b.end());
  std::sort(all.begin(), all.end(), [](Span x, Span y) { return std::tie(x.begin, x.end) < std::tie(y.begin, y.end); });
  std::vector<Span> merged;
  for (const Span span : all) {
    if (!merged.empty() && span.begin <= merged.back().end) {
      merged.back().end = std::max(merged.back().end, span.end);
    } else {
      merged.push_back(span);
    }
  }
  return merged;
}

// Threads with calls, the marker's first, then by number of calls.
std::vector<uint32_t> ThreadsByWeight(const Draft& draft, const std::vector<uint32_t>& call_count) {
  std::vector<uint32_t> threads;
  for (uint32_t t = 0; t < call_count.size(); ++t) {
    if (call_count[t] > 0) threads.push_back(t);
  }
  std::stable_sort(threads.begin(), threads.end(), [&](uint32_t a, uint32_t b) {
    if ((a == draft.marker_thread) != (b == draft.marker_thread)) return a == draft.marker_thread;
    return call_count[a] > call_count[b];
  });
  return threads;
}

// Serial with the main agent: an autograd worker that never overlaps it (where operators tell; else threads that take
// turns), or a lock between two busy threads. Threads that overlap are never merged.
void AssignAgents(Draft& draft, const std::vector<uint32_t>& call_count) {
  const std::vector<uint32_t> threads = ThreadsByWeight(draft, call_count);
  draft.agent_of_thread.assign(draft.trace->threads.size(), kNone);
  if (threads.empty()) return;
  draft.agent_of_thread[threads[0]] = 0;
  draft.host_agents = 1;
  if (draft.marker_thread == kNone) draft.marker_thread = threads[0];
  const auto& kinds = draft.trace->host.kind;
  const bool has_operators = std::find(kinds.begin(), kinds.end(), HostKind::kOperator) != kinds.end();
  std::vector<Span> main_calls = BusySpans(draft, threads[0], false);
  std::vector<Span> main_work = BusySpans(draft, threads[0], true);
  for (size_t i = 1; i < threads.size(); ++i) {
    const uint32_t thread = threads[i];
    const bool backward = RunsBackward(draft, thread);
    const std::vector<Span> spans = BusySpans(draft, thread, !backward);
    const Overlap overlap = Compare(spans, backward ? main_calls : main_work);
    const bool apart =
        overlap.shared_ns <= static_cast<int64_t>(kSerialOverlapRatio * static_cast<double>(Total(spans)));
    const bool turns = apart && !has_operators && TakesTurns(main_calls, spans);
    const bool serial = backward ? apart || overlap.shared_ns < kSerialOverlapNs
                                 : turns || (apart && overlap.alternations >= kMinBursts);
    if (!serial) {
      draft.agent_of_thread[thread] = draft.host_agents++;
      ++draft.free_threads;
      continue;
    }
    draft.agent_of_thread[thread] = 0;
    ++draft.merged_threads;
    main_calls = Union(main_calls, BusySpans(draft, thread, false));
    main_work = Union(main_work, BusySpans(draft, thread, true));
  }
}

std::vector<Call> OutermostCalls(const Draft& draft, const std::vector<CallClass>& class_of_name) {
  const auto& trace = *draft.trace;
  const auto& host = trace.host;
  std::vector<Call> calls;
  for (uint32_t thread = 0; thread < trace.threads.size(); ++thread) {
    if (trace.processes[trace.threads[thread].process].link_domain != draft.domain) continue;
    const auto rows = trace.thread_rows[thread];
    for (uint32_t row = rows.begin; row < rows.end; ++row) {
      if (!IsCall(host.kind[row]) || host.start_ns[row] < draft.origin_ns || host.start_ns[row] >= draft.end_ns)
        continue;
      if (host.parent[row] != kNone && IsCall(host.kind[host.parent[row]])) continue;
      Call call;
      call.row = call.last_row = row;
      call.thread = thread;
      call.start = draft.At(host.start_ns[row]);
      call.end = draft.At(host.end_ns(row));
      call.call_class = class_of_name[host.name[row]];
      calls.push_back(call);
    }
  }
  return calls;
}

void AddMarkers(Draft& draft) {
  const uint32_t agent = draft.agent_of_thread[draft.marker_thread];
  std::vector<int64_t> times = draft.step_begins;
  times.push_back(draft.At(draft.end_ns));
  for (const int64_t time : times) {
    Call marker;
    marker.thread = draft.marker_thread;
    marker.agent = agent == kNone ? 0 : agent;
    marker.start = marker.end = time;
    marker.call_class = CallClass::kMarker;
    draft.calls.push_back(marker);
  }
}

void FoldPolls(std::vector<Call>& calls) {
  std::vector<Call> kept;
  kept.reserve(calls.size());
  for (size_t i = 0; i < calls.size();) {
    size_t j = i;
    while (j < calls.size() && calls[j].call_class == CallClass::kQuery && calls[j].agent == calls[i].agent &&
           (j == i || calls[j].start - calls[j - 1].end < kMaxPollGapNs)) {
      ++j;
    }
    if (j - i < kMinPolls) {
      const size_t stop = std::max(j, i + 1);
      for (; i < stop; ++i) kept.push_back(std::move(calls[i]));
      continue;
    }
    Call poll = calls[i];
    poll.last_row = calls[j - 1].row;
    poll.end = calls[j - 1].end;
    poll.call_class = CallClass::kPoll;
    kept.push_back(std::move(poll));
    i = j;
  }
  calls = std::move(kept);
}

}  // namespace

void CollectCalls(Draft& draft) {
  const auto& trace = *draft.trace;
  std::vector<CallClass> class_of_name(trace.strings.size(), CallClass::kOther);
  std::vector<bool> classified(trace.strings.size(), false);
  for (uint32_t row = 0; row < trace.host.size(); ++row) {
    if (!IsCall(trace.host.kind[row]) || classified[trace.host.name[row]]) continue;
    classified[trace.host.name[row]] = true;
    class_of_name[trace.host.name[row]] = Classify(trace.HostName(row));
  }
  draft.calls = OutermostCalls(draft, class_of_name);
  std::vector<uint32_t> call_count(trace.threads.size(), 0);
  for (const Call& call : draft.calls) ++call_count[call.thread];
  AssignAgents(draft, call_count);
  if (draft.calls.empty()) return;
  for (Call& call : draft.calls) call.agent = draft.agent_of_thread[call.thread];
  AddMarkers(draft);
  std::stable_sort(draft.calls.begin(), draft.calls.end(), [](const Call& a, const Call& b) {
    if (a.agent != b.agent) return a.agent < b.agent;
    if (a.start != b.start) return a.start < b.start;
    const bool a_marks = a.call_class == CallClass::kMarker;
    const bool b_marks = b.call_class == CallClass::kMarker;
    if (a_marks != b_marks) return a_marks;
    return a.end < b.end;
  });
  FoldPolls(draft.calls);
  draft.call_of_row.assign(trace.host.size(), kNoItem);
  for (uint32_t i = 0; i < draft.calls.size(); ++i) {
    if (draft.calls[i].row != kNone) draft.call_of_row[draft.calls[i].row] = i;
  }
}

}  // namespace warpscope::analysis::replay
