// From recorded rows to the graph: what build_*.cc share. The result is Model; Draft lives only while building.
// [one thread] while building; [MT] for reads of a finished Model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/replay/calls.h"
#include "analysis/replay/graph.h"
#include "analysis/replay/parameters.h"
#include "analysis/steps.h"
#include "base/status.h"
#include "model/trace.h"

namespace warpscope::analysis::replay {

// The rows of host work in front of a call or inside it, for the correction of what recording cost.
struct RowCounts {
  uint32_t operators = 0;      // framework operators that start in the gap
  uint32_t python = 0;         // Python frames
  int64_t python_only_ns = 0;  // long stretches of a Python frame that hold no row
  int64_t quiet_ns = 0;  // long stretches outside operators and calls without a row: waits, pauses; nothing to correct
  int64_t overhead_gap_ns = 0, overhead_call_ns = 0;  // the recorder's own work (buffer requests) in the gap, the call
};

// The graph of the simulated window with what edits and corrections need. Columns are indexed by item.
struct Model {
  const model::Trace* trace = nullptr;
  Graph graph;
  Weights structural;
  Parameters parameters;

  std::vector<CallClass> call_class;   // host items
  std::vector<uint32_t> thread;        // host items: thread of the call; else kNone
  std::vector<uint32_t> gap_thread;    // host items: thread of the call before (differs at a handover)
  std::vector<RowCounts> counts;       // host items
  std::vector<uint32_t> step;          // device items: index of the step that issued it
  std::vector<uint32_t> markers;       // begin of each simulated step, then the end of the window
  std::vector<uint32_t> item_of_call;  // host row -> item (its first half if it blocks), kNoItem
  std::vector<uint32_t> item_of_gpu;   // gpu row -> item, kNoItem
  std::vector<uint32_t> wait_item;     // host items: second half of the call, kNoItem
  // Collectives: how much longer each took than the shortest of its kind, which is taken to be the transfer; the rest
  // was waiting for other ranks.
  struct CollectiveWait {
    uint32_t item;
    int64_t wait_ns;
  };
  std::vector<CollectiveWait> collective_waits;
  int64_t origin_ns = 0;  // recorded time of clock 0
  uint32_t steps = 0;
  uint32_t guessed_edges = 0, guessed_targets = 0, merged_threads = 0, free_threads = 0;
  std::vector<std::string> notes;
};

struct Call {
  uint32_t row = model::kNone;       // first row; kNone: marker
  uint32_t last_row = model::kNone;  // folded runs: last row
  uint32_t thread = model::kNone;
  uint32_t agent = 0;
  int64_t start = 0, end = 0;  // ns on the window's clock
  CallClass call_class = CallClass::kOther;
  uint32_t unit_begin = 0, unit_end = 0;  // units it issued
  uint32_t item = kNoItem, wait_item = kNoItem;
  bool blocks = false;            // returns after its own copy
  bool queue_full = false;        // issued while the stream's queue was full
  std::vector<uint32_t> targets;  // units waited for
  Certainty target_certainty = kRecorded;
};

// What one launch put on a stream: a row, or all nodes of a graph launch.
struct Unit {
  UnitKind kind = UnitKind::kKernel;
  uint32_t call = kNoItem;  // index into Draft::calls; kNoItem: issued before the window or unknown
  uint32_t stream = 0;
  uint32_t row_begin = 0, row_end = 0;  // range of Draft::unit_rows
  int64_t start = 0, end = 0;
  uint32_t first_item = kNoItem, tail_item = kNoItem;
  bool pending = false;
};

struct Draft {
  const model::Trace* trace = nullptr;
  uint32_t domain = 0;
  int64_t origin_ns = 0, end_ns = 0;  // absolute; the clock of everything below starts at origin_ns
  std::vector<int64_t> step_begins;   // window clock
  uint32_t marker_thread = model::kNone;
  std::vector<Call> calls;  // sorted by (agent, start)
  uint32_t host_agents = 0;
  std::vector<uint32_t> agent_of_thread;  // kNone: no calls
  std::vector<uint32_t> call_of_row;      // host row -> calls index
  std::vector<Unit> units;
  std::vector<uint32_t> unit_rows;
  std::vector<std::vector<uint32_t>> stream_units;  // per stream row, by start
  // Event edges: unit `from` ends before unit `to` starts.
  struct Event {
    uint32_t from, to;
    Certainty certainty;
    bool by_time = false;  // matched by when things ended, not by the calls
    int64_t lag = 0;
    bool room = false;  // no event of the program: the device was full
  };
  std::vector<Event> events;
  Parameters parameters;
  uint32_t guessed_targets = 0, merged_threads = 0, free_threads = 0;
  std::vector<std::string> notes;

  int64_t At(int64_t absolute_ns) const { return absolute_ns - origin_ns; }
};

// In this order. Each fills its part of the draft.
void CollectCalls(Draft& draft);  // calls.., agents, folded polls, markers
void CollectUnits(Draft& draft);  // device work of the window
void FindTargets(Draft& draft);   // what waits wait for; event edges
void FitParameters(Draft& draft);
void FindWaitsForRoom(Draft& draft);
void Emit(Draft& draft, Model& model);  // items, edges, columns
// Unit `from` was waited for by the host before it launched `to` on another stream, and no event of the program orders
// these two streams.
struct HostOrder {
  uint32_t from, to;  // units
};
std::vector<HostOrder> FindHostOrder(const Draft& draft);
void FindCollectives(Model& model);  // fills model.collective_waits
void CountRows(const Draft& draft, const std::vector<uint32_t>& new_index, Model& model);  // fills model.counts

Result<Model> BuildModel(const model::Trace& trace, const Steps& steps, uint32_t domain);

}  // namespace warpscope::analysis::replay
