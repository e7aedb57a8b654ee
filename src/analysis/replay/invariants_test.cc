// Properties of the replay on random programs. WARPSCOPE_RANDOM_GRAPHS sets how many (default 2,000).
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include "analysis/replay/replay.h"
#include "analysis/replay/testing/random_program.h"
#include "analysis/replay/testing/reference.h"

namespace warpscope::analysis::replay {
namespace {

using testing::Pipeline;
using testing::RandomProgram;

uint64_t GraphCount() {
  const char* text = std::getenv("WARPSCOPE_RANDOM_GRAPHS");
  uint64_t count = 2'000;
  if (text) std::from_chars(text, text + std::strlen(text), count);
  return count;
}

int64_t LastEnd(const std::vector<int64_t>& end) { return *std::max_element(end.begin(), end.end()); }

int64_t TotalWith(const Graph& graph, const Weights& weights) {
  std::vector<int64_t> end;
  Run({.graph = &graph, .weights = &weights}, end);
  return LastEnd(end);
}

std::vector<uint32_t> CriticalItems(const Pipeline& p) {
  std::vector<uint32_t> items;
  const View view{.graph = &p.graph, .weights = &p.weights};
  auto item = static_cast<uint32_t>(std::max_element(p.end.begin(), p.end.end()) - p.end.begin());
  while (item != kNoItem) {
    const Cause cause = CauseOf(view, p.end, item);
    if (!cause.at_end) items.push_back(item);
    item = cause.from;
  }
  return items;
}

void CheckReference(const Pipeline& p) { ASSERT_EQ(p.end, testing::ReferenceEnds(p.graph, p.weights)); }

// Arbitrary recorded times, then identity weights: the replay returns them exactly.
void CheckIdentity(RandomProgram& program) {
  Graph graph = program.pipeline.graph;
  for (uint32_t i = 0; i < graph.size(); ++i) {
    graph.recorded_start[i] = program.Pick(-50, 400);
    graph.recorded_end[i] = graph.recorded_start[i] + program.Pick(0, 60);
  }
  const Weights weights = IdentityWeights(graph, program.pipeline.weights);
  std::vector<int64_t> end;
  Run({.graph = &graph, .weights = &weights}, end);
  ASSERT_EQ(end, graph.recorded_end);
  ASSERT_GE(*std::min_element(weights.residual.begin(), weights.residual.end()), 0);
}

void CheckScaleAndShift(const Pipeline& p) {
  Weights scaled = p.weights, shifted = p.weights;
  const auto times = [](std::vector<int64_t>& column) {
    for (int64_t& value : column) value = value == kNever ? kNever : value * 7;
  };
  times(scaled.dur), times(scaled.prev_lag), times(scaled.issue_lag), times(scaled.edge_lag);
  ASSERT_EQ(TotalWith(p.graph, scaled), 7 * LastEnd(p.end));
  for (uint32_t i = 0; i < p.graph.size(); ++i) {
    if (p.graph.prev[i] == kNoItem) shifted.prev_lag[i] += 1'000;
  }
  ASSERT_EQ(TotalWith(p.graph, shifted), 1'000 + LastEnd(p.end));
}

void CheckBusySums(const Pipeline& p) {
  std::vector<int64_t> busy(p.graph.agent_count, 0);
  for (uint32_t i = 0; i < p.graph.size(); ++i) {
    // Negative distances let items overlap.
    busy[p.graph.agent[i]] +=
        p.weights.dur[i] + std::min<int64_t>(0, p.graph.prev[i] == kNoItem ? 0 : p.weights.prev_lag[i]);
  }
  ASSERT_GE(LastEnd(p.end), *std::max_element(busy.begin(), busy.end()));
}

Weights Shortened(RandomProgram& program, const Weights& weights) {
  Weights shorter = weights;
  for (int64_t& dur : shorter.dur) {
    if (program.Pick(0, 3) == 0) dur -= program.Pick(0, dur);
  }
  return shorter;
}

// Shorter never takes longer; no more is gained than was cut from the critical path; two changes gain at least as much
// as the better one.
void CheckShortening(RandomProgram& program) {
  const Pipeline& p = program.pipeline;
  const Weights a = Shortened(program, p.weights), b = Shortened(program, p.weights);
  const int64_t total = LastEnd(p.end), total_a = TotalWith(p.graph, a), total_b = TotalWith(p.graph, b);
  ASSERT_LE(total_a, total);
  int64_t cut = 0;
  for (const uint32_t item : CriticalItems(p)) cut += p.weights.dur[item] - a.dur[item];
  ASSERT_LE(total - total_a, cut);
  Weights both = a;
  for (uint32_t i = 0; i < p.graph.size(); ++i) both.dur[i] = std::min(a.dur[i], b.dur[i]);
  ASSERT_LE(TotalWith(p.graph, both), std::min(total_a, total_b));
}

void CheckReplayOfReplay(const Pipeline& p) {
  Graph graph = p.graph;
  graph.recorded_end = p.end;
  for (uint32_t i = 0; i < graph.size(); ++i) {
    graph.recorded_start[i] = StartOf({.graph = &p.graph, .weights = &p.weights}, p.end, i);
  }
  const Weights weights = IdentityWeights(graph, p.weights);
  std::vector<int64_t> end;
  Run({.graph = &graph, .weights = &weights}, end);
  ASSERT_EQ(end, p.end);
  ASSERT_EQ(std::accumulate(weights.residual.begin(), weights.residual.end(), int64_t{0}), 0);
}

// The same items and edges added in another order.
void CheckPermutation(RandomProgram& program) {
  GraphBuilder& source = program.pipeline.builder();
  const auto count = static_cast<uint32_t>(source.items.size());
  std::vector<uint32_t> id(count);
  std::iota(id.begin(), id.end(), 0U);
  std::shuffle(id.begin(), id.end(), program.random);
  GraphBuilder shuffled;
  shuffled.items.resize(count);
  for (uint32_t i = 0; i < count; ++i) {
    auto item = source.items[i];
    if (item.prev != kNoItem) item.prev = id[item.prev];
    if (item.issue != kNoItem) item.issue = id[item.issue];
    shuffled.items[id[i]] = item;
  }
  for (auto edge : source.edges) {
    edge.from = id[edge.from], edge.to = id[edge.to];
    shuffled.AddEdge(edge);
  }
  std::shuffle(shuffled.edges.begin(), shuffled.edges.end(), program.random);
  Graph graph;
  Weights weights;
  std::vector<uint32_t> place;
  shuffled.Finish(graph, weights, place);
  std::vector<int64_t> end;
  Run({.graph = &graph, .weights = &weights}, end);
  for (uint32_t i = 0; i < count; ++i) ASSERT_EQ(end[place[id[i]]], program.pipeline.EndOf(i));
}

// Edges that point back in time close cycles. Must end, with a replay that keeps program order.
void CheckCycles(RandomProgram& program) {
  GraphBuilder& builder = program.pipeline.builder();
  const auto count = static_cast<int64_t>(builder.items.size());
  for (int i = 0; i < 8; ++i) {
    const auto from = static_cast<uint32_t>(program.Pick(0, count - 1)),
               to = static_cast<uint32_t>(program.Pick(0, count - 1));
    if (from == to) continue;
    builder.AddEdge({from, to, 0, EdgeKind::kHandover, kGuessed, program.Pick(0, 1) == 1});
  }
  program.pipeline.Total();
  ASSERT_EQ(program.pipeline.graph.size(), builder.items.size());
  CheckReference(program.pipeline);
}

TEST(Invariants, HoldOnRandomPrograms) {
  const uint64_t count = GraphCount();
  for (uint64_t seed = 1; seed <= count; ++seed) {
    SCOPED_TRACE(seed);
    RandomProgram program(seed);
    program.pipeline.Total();
    CheckReference(program.pipeline);
    CheckIdentity(program);
    CheckScaleAndShift(program.pipeline);
    CheckBusySums(program.pipeline);
    CheckShortening(program);
    CheckReplayOfReplay(program.pipeline);
    CheckPermutation(program);
    CheckCycles(program);
    if (HasFatalFailure()) return;
  }
}

TEST(Invariants, SplittingAKernelChangesNothing) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    RandomProgram program(seed);
    Pipeline whole({}), split({});
    const uint32_t thread = whole.Thread(), stream = whole.Stream();
    split.Thread(), split.Stream();
    for (int i = 0; i < 20; ++i) {
      const int64_t host = program.Pick(0, 20), dur = program.Pick(2, 40), first = program.Pick(1, dur - 1);
      whole.Launch(thread, host, stream, dur);
      const uint32_t part = split.Launch(thread, host, stream, first);
      split.Issue(split.builder().items[part].issue, stream, dur - first);
    }
    ASSERT_EQ(whole.Total(), split.Total());
  }
}

}  // namespace
}  // namespace warpscope::analysis::replay
