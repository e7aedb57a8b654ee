#include "import/capture/host_settle.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace warpscope::import::capture {
namespace {

using model::HostKind;
using model::Trace;

struct Span {
  int64_t begin_ns, end_ns;
};

// What the agent recorded of one thread.
struct Exact {
  std::vector<Span> calls;             // and waits; disjoint, by begin
  std::vector<Span> by_begin, by_end;  // ranges

  void Sort() {
    const auto begins = [](const Span& a, const Span& b) {
      return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
    };
    std::sort(calls.begin(), calls.end(), begins);
    std::vector<Span> outer;
    for (const Span& call : calls) {
      if (outer.empty() || call.begin_ns >= outer.back().end_ns) outer.push_back(call);
      else outer.back().end_ns = std::max(outer.back().end_ns, call.end_ns);
    }
    calls.swap(outer);
    by_end = by_begin;
    std::sort(by_begin.begin(), by_begin.end(), begins);
    std::sort(by_end.begin(), by_end.end(), [](const Span& a, const Span& b) {
      return a.end_ns != b.end_ns ? a.end_ns < b.end_ns : a.begin_ns > b.begin_ns;
    });
  }
  // The call that holds the moment, edges left out; null if there is none.
  const Span* CallAround(int64_t time_ns) const {
    auto it = std::lower_bound(calls.begin(), calls.end(), time_ns,
                               [](const Span& call, int64_t time) { return call.begin_ns < time; });
    if (it == calls.begin()) return nullptr;
    --it;
    return it->begin_ns < time_ns && time_ns < it->end_ns ? &*it : nullptr;
  }
};

// A wait that was seen inside a call is a part of it; one seen outside does not reach in.
Span WaitBesideCalls(const Exact& exact, Span wait, int64_t half_ns) {
  half_ns = std::min(half_ns, (wait.end_ns - wait.begin_ns) / 2);
  const int64_t first_ns = wait.begin_ns + half_ns, last_ns = wait.end_ns - half_ns;
  if (const Span* call = exact.CallAround(first_ns)) wait.begin_ns = std::max(wait.begin_ns, call->begin_ns);
  else if (const Span* before = exact.CallAround(wait.begin_ns)) wait.begin_ns = before->end_ns;
  if (const Span* call = exact.CallAround(last_ns)) wait.end_ns = std::min(wait.end_ns, call->end_ns);
  else if (const Span* after = exact.CallAround(wait.end_ns)) wait.end_ns = after->begin_ns;
  return wait;
}

// A sample tells about the stretch between two calls in which it fell (or about the call, in which a stack does not
// change), not about the period around it, in which a fast thread makes many calls: a frame reaches from the
// stretch of its first sample to that of its last.
Span BetweenCalls(const Exact& exact, Span frame, int64_t first_ns, int64_t last_ns) {
  const auto begins_after = [](int64_t time, const Span& call) { return time < call.begin_ns; };
  const auto after_first = std::upper_bound(exact.calls.begin(), exact.calls.end(), first_ns, begins_after);
  if (after_first != exact.calls.begin()) {
    const Span& before = *(after_first - 1);
    frame.begin_ns = before.end_ns > first_ns ? before.begin_ns : std::max(frame.begin_ns, before.end_ns);
  }
  const auto after_last = std::upper_bound(exact.calls.begin(), exact.calls.end(), last_ns, begins_after);
  if (after_last != exact.calls.begin() && (after_last - 1)->end_ns > last_ns) frame.end_ns = (after_last - 1)->end_ns;
  else if (after_last != exact.calls.end()) frame.end_ns = std::min(frame.end_ns, after_last->begin_ns);
  return frame;
}

// Cut at the edges of ranges that it lies in but for less than half a period.
Span InsideRanges(const Exact& exact, Span row, int64_t half_ns) {
  constexpr int kMostLooked = 256;  // ranges near one edge
  auto begin = std::upper_bound(exact.by_begin.begin(), exact.by_begin.end(), row.begin_ns,
                                [](int64_t time, const Span& range) { return time < range.begin_ns; });
  int64_t begin_ns = row.begin_ns, end_ns = row.end_ns;
  for (int i = 0; i < kMostLooked && begin != exact.by_begin.end() && begin->begin_ns <= row.begin_ns + half_ns;
       ++i, ++begin) {
    if (begin->begin_ns < row.end_ns && begin->end_ns > row.end_ns) begin_ns = begin->begin_ns;
  }
  auto end = std::lower_bound(exact.by_end.begin(), exact.by_end.end(), row.end_ns,
                              [](const Span& range, int64_t time) { return range.end_ns < time; });
  for (int i = 0; i < kMostLooked && end != exact.by_end.begin(); ++i) {
    --end;
    if (end->end_ns < row.end_ns - half_ns) break;
    if (end->end_ns > row.begin_ns && end->begin_ns < row.begin_ns) end_ns = end->end_ns;
  }
  return {begin_ns, end_ns};
}

// (recording, pid, tid)
using ThreadKey = std::tuple<std::string, int64_t, int64_t>;

ThreadKey KeyOf(const Trace& trace, uint32_t thread) {
  const model::Process& process = trace.processes[trace.threads[thread].process];
  return {trace.sources[process.source].part_of, process.pid, trace.threads[thread].tid};
}

const model::Source& SourceOf(const Trace& trace, uint32_t thread) {
  return trace.sources[trace.processes[trace.threads[thread].process].source];
}

const std::optional<int64_t>& PeriodOf(const Trace& trace, uint32_t row) {
  return SourceOf(trace, trace.host.thread[row]).sample_period_ns;
}

// When the agents of each recording recorded; only of recordings with device work.
std::map<std::string, Span> AgentTimes(const Trace& trace) {
  std::map<std::string, Span> times;
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    const model::Source& source = trace.sources[trace.devices[trace.streams[trace.gpu.stream[row]].device].source];
    const Span span{trace.gpu.start_ns[row], trace.gpu.end_ns(row)};
    Span& time = times.try_emplace(source.part_of, span).first->second;
    time = {std::min(time.begin_ns, span.begin_ns), std::max(time.end_ns, span.end_ns)};
  }
  for (uint32_t row = 0; row < trace.host.size(); ++row) {
    const model::Source& source = SourceOf(trace, trace.host.thread[row]);
    const auto it = times.find(source.part_of);
    if (source.sample_period_ns || it == times.end()) continue;
    it->second.begin_ns = std::min(it->second.begin_ns, trace.host.start_ns[row]);
    it->second.end_ns = std::max(it->second.end_ns, trace.host.end_ns(row));
  }
  return times;
}

// Keeps the rows that are not `dropped`; collectives point to rows and follow.
void DropRows(Trace* trace, const std::vector<bool>& dropped) {
  std::vector<uint32_t> row_now(dropped.size(), model::kNone);
  uint32_t kept = 0;
  for (uint32_t row = 0; row < dropped.size(); ++row) {
    if (!dropped[row]) row_now[row] = kept++;
  }
  trace->host.VisitColumns([&](auto& column) {
    if (column.empty()) return;
    for (uint32_t row = 0; row < row_now.size(); ++row) {
      if (row_now[row] != model::kNone) column[row_now[row]] = column[row];
    }
    column.resize(kept);
  });
  for (model::Collective& row : trace->collectives) {
    if (row.host_row != model::kNone) row.host_row = row_now[row.host_row];
  }
}

void CutToAgentTimes(Trace* trace) {
  const std::map<std::string, Span> times = AgentTimes(*trace);
  model::HostTable& host = trace->host;
  std::vector<bool> outside(host.size(), false);
  bool any = false;
  for (uint32_t row = 0; row < host.size(); ++row) {
    const model::Source& source = SourceOf(*trace, host.thread[row]);
    const auto it = times.find(source.part_of);
    if (!source.sample_period_ns || it == times.end()) continue;
    const Span span{std::max(host.start_ns[row], it->second.begin_ns), std::min(host.end_ns(row), it->second.end_ns)};
    if (span.end_ns <= span.begin_ns) {
      outside[row] = any = true;
      continue;
    }
    host.start_ns[row] = span.begin_ns;
    host.dur_ns[row] = span.end_ns - span.begin_ns;
  }
  if (any) DropRows(trace, outside);
}

// What is exact of each thread that has sampled rows; by row of threads, null for others.
std::vector<Exact*> FindExact(const Trace& trace, std::map<ThreadKey, Exact>* threads) {
  std::vector<Exact*> exact_of(trace.threads.size(), nullptr);
  for (const bool sampled : {true, false}) {
    for (uint32_t thread = 0; thread < trace.threads.size(); ++thread) {
      if ((SourceOf(trace, thread).sample_period_ns.value_or(0) > 0) != sampled) continue;
      const ThreadKey key = KeyOf(trace, thread);
      if (sampled) exact_of[thread] = &(*threads)[key];
      else if (const auto it = threads->find(key); it != threads->end()) exact_of[thread] = &it->second;
    }
  }
  const model::HostTable& host = trace.host;
  for (uint32_t row = 0; row < host.size(); ++row) {
    Exact* exact = exact_of[host.thread[row]];
    if (exact == nullptr || PeriodOf(trace, row).value_or(0) > 0 || host.dur_ns[row] == 0) continue;
    const HostKind kind = host.kind[row];
    const Span span{host.start_ns[row], host.end_ns(row)};
    if (kind == HostKind::kRuntimeCall || kind == HostKind::kDriverCall || kind == HostKind::kOsCall)
      exact->calls.push_back(span);
    else if (kind == HostKind::kAnnotation) exact->by_begin.push_back(span);
  }
  for (auto& [key, exact] : *threads) exact.Sort();
  return exact_of;
}

}  // namespace

void SettleSampledRows(Trace* trace) {
  const bool any = std::any_of(trace->sources.begin(), trace->sources.end(),
                               [](const model::Source& source) { return source.sample_period_ns.has_value(); });
  if (!any) return;
  CutToAgentTimes(trace);
  std::map<ThreadKey, Exact> threads;
  const std::vector<Exact*> exact_of = FindExact(*trace, &threads);
  model::HostTable& host = trace->host;
  for (uint32_t row = 0; row < host.size(); ++row) {
    const int64_t period_ns = PeriodOf(*trace, row).value_or(0);
    if (period_ns <= 0) continue;
    const Exact& exact = *exact_of[host.thread[row]];
    Span span{host.start_ns[row], host.end_ns(row)};
    if (host.kind[row] == HostKind::kOsCall) span = WaitBesideCalls(exact, span, period_ns / 2);
    else if (host.correlation[row] != model::kNoId)
      span = BetweenCalls(exact, span, static_cast<int64_t>(host.correlation[row]),
                          static_cast<int64_t>(host.external_id[row]));
    span = InsideRanges(exact, span, period_ns / 2);
    if (IsFrame(host.kind[row])) host.correlation[row] = host.external_id[row] = model::kNoId;
    host.start_ns[row] = span.begin_ns;
    host.dur_ns[row] = std::max<int64_t>(span.end_ns - span.begin_ns, 0);
  }
}

}  // namespace warpscope::import::capture
