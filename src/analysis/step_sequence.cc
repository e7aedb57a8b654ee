// Steps from the repeating order of launches. Every launched kernel name, graph, and blocking call is a token of one
// sequence; a token that returns at even distances over most of it is a candidate for "once per step".
#include <algorithm>
#include <map>
#include <unordered_map>

#include "analysis/step_markers.h"
#include "analysis/step_phases.h"

namespace warpscope::analysis {
namespace {

using model::kNone;

constexpr size_t kMinRepeats = 3;

struct Token {
  int64_t time_ns;  // where a step that begins with it begins
  int64_t end_ns;
  uint64_t key;
  uint32_t row;  // host row or kNone
  bool sync;
  int64_t work_ns;  // device time
  bool kernel = false, optimizer = false;
};

// Blocking calls on the threads that issue work, unless the recorder made them.
void AppendSyncs(const Index& index, uint32_t link_domain, std::vector<Token>* tokens) {
  const model::Trace& trace = index.trace();
  const Rank* rank = index.FindRank(link_domain);
  if (rank == nullptr) return;
  for (const uint32_t thread : rank->issuing_threads) {
    const auto range = trace.thread_rows[thread];
    for (uint32_t row = range.begin; row < range.end; ++row) {
      if (!index.is_call(row) || !IsSyncCall(index.call_kind(row))) continue;
      const int64_t end = trace.host.end_ns(row);
      tokens->push_back({end, end, uint64_t{1} << 63 | trace.host.name[row], row, true, 0});
    }
  }
}

// A blocking call with no work issued since the one before ends nothing: the recorder adds such at both ends.
void DropIdleSyncs(std::vector<Token>* tokens) {
  bool issued = false;
  std::erase_if(*tokens, [&](const Token& token) {
    const bool drop = token.sync && !issued;
    issued = !token.sync;
    return drop;
  });
}

struct Repeat {
  uint64_t key = 0;
  bool sync = false, kernel = false, optimizer = false;
  std::vector<uint32_t> at;  // positions in the sequence
  double even_ratio = 0;     // share of distances near their median
};

// Whether distances are even in position (the same work in between) - allowing a few per cent of noise.
double EvenRatio(const std::vector<uint32_t>& at) {
  std::vector<uint32_t> distances;
  for (size_t i = 1; i < at.size(); ++i) distances.push_back(at[i] - at[i - 1]);
  std::vector<uint32_t> sorted = distances;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<int64_t>(sorted.size() / 2), sorted.end());
  const double median = sorted[sorted.size() / 2];
  size_t near = 0;
  for (const uint32_t distance : distances) near += std::abs(distance - median) <= std::max(1.0, 0.05 * median);
  return static_cast<double>(near) / static_cast<double>(distances.size());
}

// A token that comes several times in a row each step: the first of each burst, if bursts stand well apart.
std::vector<uint32_t> BurstStarts(const std::vector<uint32_t>& at) {
  uint32_t widest = 0;
  for (size_t i = 1; i < at.size(); ++i) widest = std::max(widest, at[i] - at[i - 1]);
  std::vector<uint32_t> starts{at.front()};
  for (size_t i = 1; i < at.size(); ++i) {
    if (2 * (at[i] - at[i - 1]) > widest) starts.push_back(at[i]);
  }
  return starts;
}

// It must return often enough, and over most of the recording.
bool Spans(const std::vector<uint32_t>& at, size_t tokens) {
  if (at.size() < kMinRepeats) return false;
  const double span = at.back() - at.front();
  const double step = span / static_cast<double>(at.size() - 1);
  return span + 2 * step >= 0.75 * static_cast<double>(tokens);
}

std::vector<Repeat> FindRepeats(const std::vector<Token>& tokens) {
  std::unordered_map<uint64_t, uint32_t> slots;
  std::vector<Repeat> all;
  for (uint32_t i = 0; i < tokens.size(); ++i) {
    const auto [it, fresh] = slots.try_emplace(tokens[i].key, static_cast<uint32_t>(all.size()));
    if (fresh) all.push_back({tokens[i].key, tokens[i].sync, tokens[i].kernel, tokens[i].optimizer, {}, 0});
    all[it->second].at.push_back(i);
  }
  std::vector<Repeat> repeats;
  for (Repeat& repeat : all) {
    if (!Spans(repeat.at, tokens.size())) continue;
    Repeat bursts = repeat;
    bursts.at = BurstStarts(repeat.at);
    if (bursts.at.size() < repeat.at.size() && Spans(bursts.at, tokens.size())) {
      bursts.even_ratio = EvenRatio(bursts.at);
      repeats.push_back(std::move(bursts));
    }
    repeat.even_ratio = EvenRatio(repeat.at);
    repeats.push_back(std::move(repeat));
  }
  return repeats;
}

// The rarest count that several tokens (or a blocking call) share at even distances: inner loops return more often, and
// a single rare kernel may belong to logging every few steps. So may a value that is read back and waited for, without
// a kernel of its own: then the rarest count that an optimizer shares counts. But a loop of a few launches is no step
// if something rarer returns evenly.
std::optional<Repeat> Choose(const std::vector<Repeat>& repeats) {
  constexpr uint32_t kFewLaunches = 8;
  std::map<size_t, std::vector<const Repeat*>> by_count;
  for (const Repeat& repeat : repeats) {
    if (repeat.even_ratio >= 0.85) by_count[repeat.at.size()].push_back(&repeat);
  }
  const auto first = [](const std::vector<const Repeat*>& group) {
    return *std::min_element(group.begin(), group.end(), [](const Repeat* a, const Repeat* b) {
      return a->sync != b->sync ? a->sync : a->at.front() < b->at.front();
    });
  };
  const auto launches = [](const Repeat& repeat) {
    return (repeat.at.back() - repeat.at.front()) / static_cast<uint32_t>(repeat.at.size() - 1);
  };
  using Group = std::vector<const Repeat*>;
  const auto has = [](const Group& group, bool Repeat::*what) {
    return std::any_of(group.begin(), group.end(), [what](const Repeat* repeat) { return repeat->*what; });
  };
  const auto trains = [&](const auto& entry) { return has(entry.second, &Repeat::optimizer); };
  const Repeat* rarest = by_count.empty() ? nullptr : first(by_count.begin()->second);
  for (const auto& [count, group] : by_count) {
    if (group.size() < 2 && !has(group, &Repeat::sync)) continue;
    if (!has(group, &Repeat::kernel)) {
      const auto training = std::find_if(by_count.begin(), by_count.end(), trains);
      if (training != by_count.end()) return *first(training->second);
    }
    const Repeat* chosen = first(group);
    const bool steady =
        rarest->even_ratio >= 0.99 && launches(*chosen) < kFewLaunches && launches(*rarest) >= kFewLaunches;
    return steady ? *rarest : *chosen;
  }
  return rarest == nullptr ? std::nullopt : std::optional<Repeat>(*rarest);
}

std::vector<Token> TokensOf(const Index& index, uint32_t link_domain, const std::vector<IssuedItem>& items) {
  const model::Trace& trace = index.trace();
  std::vector<Token> tokens;
  for (const IssuedItem& item : items) {
    // The same kernel on another device is no return of it.
    const uint64_t device = trace.streams[trace.gpu.stream[item.first_row]].device & 0x3fff'ffff;
    const uint64_t key = uint64_t{trace.gpu.name[item.first_row]} | device << 32 | uint64_t{item.rows > 1} << 62;
    const int64_t end_ns = item.call == kNone ? item.end_ns : trace.host.end_ns(item.call);
    const int64_t work_ns =
        item.rows > 1 ? item.end_ns - trace.gpu.start_ns[item.first_row] : trace.gpu.dur_ns[item.first_row];
    const bool kernel = trace.gpu.kind[item.first_row] != model::GpuKind::kCopy;
    const bool optimizer = kernel && index.kernel_class(item.first_row).category == KernelCategory::kOptimizer;
    tokens.push_back({item.issue_ns, end_ns, key, item.call, false, work_ns, kernel, optimizer});
  }
  AppendSyncs(index, link_domain, &tokens);
  std::stable_sort(tokens.begin(), tokens.end(), [](const Token& a, const Token& b) { return a.time_ns < b.time_ns; });
  DropIdleSyncs(&tokens);
  return tokens;
}

// Without start-up and what follows the loop; empty if no stretch holds most of the work.
Stretch SteadyPart(const std::vector<Token>& tokens) {
  std::vector<uint64_t> keys;
  std::vector<int64_t> work_ns;
  for (const Token& token : tokens) {
    keys.push_back(token.sync ? 0 : token.key + 1);
    work_ns.push_back(token.work_ns);
  }
  return SteadyStretch(keys, work_ns);
}

// A part of a program that launches one kernel a few times in a row is no loop of steps.
bool IsOneLaunchAFewTimes(const Repeat& repeat) {
  constexpr size_t kFew = 8;
  return repeat.at.size() < kFew && repeat.at.back() - repeat.at.front() < repeat.at.size();
}

Markers MarkersOf(const model::Trace& trace, const std::vector<Token>& tokens, const Repeat& repeat,
                  std::optional<int64_t> until_ns) {
  Markers out;
  out.end_ns = until_ns;
  out.source = StepSource::kKernelSequence;
  const auto add = [&](int64_t begin_ns, const Token& token) {
    out.markers.push_back({begin_ns, std::max(begin_ns, token.end_ns), token.row,
                           token.row == kNone ? kNone : trace.host.thread[token.row]});
  };
  const Stretch run = LongestRun(repeat.at);
  // A blocking call ends a step: the first one begins with the first token.
  if (repeat.sync && run.begin == 0 && repeat.at.front() > 0) add(tokens.front().time_ns, tokens.front());
  for (size_t i = run.begin; i < run.end; ++i) add(tokens[repeat.at[i]].time_ns, tokens[repeat.at[i]]);
  // The last one of a run before another phase, and a blocking call with nothing after it, close a step and begin none.
  const bool closes = run.end < repeat.at.size() || (repeat.sync && repeat.at.back() + 1 == tokens.size());
  if (closes && out.markers.size() > 1) {
    out.end_ns = out.markers.back().begin_ns;
    out.markers.pop_back();
  }
  return out;
}

}  // namespace

std::vector<IssuedItem> IssueOrder(const Index& index, uint32_t link_domain) {
  const model::Trace& trace = index.trace();
  std::vector<IssuedItem> items;
  std::unordered_map<uint32_t, uint32_t> of_graph;  // call -> item
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    if (trace.GpuDomain(row) != link_domain) continue;
    const uint32_t call = trace.gpu.call[row];
    if (call != kNone && index.call_kind(call) == CallKind::kGraphLaunch) {
      const auto [it, fresh] = of_graph.try_emplace(call, static_cast<uint32_t>(items.size()));
      if (!fresh) {
        IssuedItem& item = items[it->second];
        ++item.rows;
        item.end_ns = std::max(item.end_ns, trace.gpu.end_ns(row));
        continue;
      }
    }
    items.push_back(
        {call == kNone ? trace.gpu.start_ns[row] : trace.host.start_ns[call], trace.gpu.end_ns(row), row, 1, call});
  }
  std::stable_sort(items.begin(), items.end(),
                   [](const IssuedItem& a, const IssuedItem& b) { return a.issue_ns < b.issue_ns; });
  return items;
}

Markers SequenceMarkers(const Index& index, uint32_t link_domain, const std::vector<IssuedItem>& items) {
  std::vector<Token> tokens = TokensOf(index, link_domain, items);
  std::optional<Repeat> best = Choose(FindRepeats(tokens));
  std::optional<int64_t> until_ns;  // where the launches of another phase begin
  if (!best) {
    const Stretch steady = SteadyPart(tokens);
    if (steady.end < tokens.size()) until_ns = tokens[steady.end].time_ns;
    tokens = {tokens.begin() + static_cast<std::ptrdiff_t>(steady.begin),
              tokens.begin() + static_cast<std::ptrdiff_t>(steady.end)};
    best = Choose(FindRepeats(tokens));
    if (best && IsOneLaunchAFewTimes(*best)) best.reset();
  }
  return best ? MarkersOf(index.trace(), tokens, *best, until_ns) : Markers();
}

}  // namespace warpscope::analysis
