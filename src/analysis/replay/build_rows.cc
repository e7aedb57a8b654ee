// Rows of host work by the gap they lie in: what the correction for the recorder's cost needs.
#include <algorithm>
#include <utility>

#include "analysis/replay/build.h"

namespace warpscope::analysis::replay {
namespace {

using model::HostKind;
using model::kNone;

constexpr int64_t kPythonStretchNs = 100'000;  // shorter ones are covered by the cost of the rows around them
constexpr int64_t kQuietStretchNs = 500'000;

// Walks one thread's rows in order, next to the calls of its agent.
class RowCounter {
 public:
  RowCounter(const Draft& draft, const std::vector<uint32_t>& new_index, Model& model)
      : draft_(draft), host_(draft.trace->host), new_index_(new_index), model_(model) {}

  void Thread(uint32_t thread, uint32_t first_call, uint32_t call_end) {
    at_ = first_call;
    call_end_ = call_end;
    open_.clear();
    since_ = 0;
    const auto rows = draft_.trace->thread_rows[thread];
    for (uint32_t row = rows.begin; row < rows.end; ++row) {
      const int64_t start = draft_.At(host_.start_ns[row]);
      Close(start);
      if (start >= 0 && !Count(row, start)) return;
      Open(row, start);
    }
    Close(draft_.At(draft_.end_ns));
  }

 private:
  enum class Inside : uint8_t { kNothing, kPython, kOperator, kCall };
  struct Frame {
    int64_t end;
    Inside inside;
  };

  void FindCall(int64_t time) {
    while (at_ < call_end_ && draft_.calls[at_].start <= time) ++at_;
  }

  bool Count(uint32_t row, int64_t start) {
    FindCall(start);
    if (at_ == call_end_) return false;
    RowCounts& counts = model_.counts[new_index_[draft_.calls[at_].item]];
    if (IsFrame(host_.kind[row])) ++counts.python;
    if (host_.kind[row] == HostKind::kOperator) ++counts.operators;
    return true;
  }

  // A frame of interpreted code; built-in functions are native.
  Inside KindOf(uint32_t row) const {
    if (host_.kind[row] == HostKind::kRuntimeCall || host_.kind[row] == HostKind::kDriverCall) return Inside::kCall;
    if (host_.kind[row] == HostKind::kOperator) return Inside::kOperator;  // its own work, at the host's speed
    const bool python = IsFrame(host_.kind[row]) && !draft_.trace->HostName(row).starts_with("<built-in");
    return python ? Inside::kPython : Inside::kNothing;
  }

  void Open(uint32_t row, int64_t start) {
    Stretch(start);
    open_.push_back({draft_.At(host_.end_ns(row)), KindOf(row)});
    since_ = start;
  }

  void Close(int64_t time) {
    while (!open_.empty() && open_.back().end <= time) {
      Stretch(open_.back().end);
      since_ = std::max(since_, open_.back().end);
      open_.pop_back();
    }
  }

  // The stretch from `since_` to `time` holds no row and belongs to the innermost open one. Counted as far as it lies
  // in one gap of the agent.
  void Stretch(int64_t time) {
    const Inside inside = open_.empty() ? Inside::kNothing : open_.back().inside;
    if (since_ < 0 || inside == Inside::kCall || time - since_ < kPythonStretchNs) return;
    FindCall(since_);
    if (at_ == call_end_) return;
    const Call& call = draft_.calls[at_];
    const bool first = at_ == 0 || draft_.calls[at_ - 1].agent != call.agent;
    const int64_t begin = first ? since_ : std::max(since_, draft_.calls[at_ - 1].end);
    const int64_t length = std::min(time, call.start) - begin;
    RowCounts& counts = model_.counts[new_index_[call.item]];
    if (inside == Inside::kPython && length >= kPythonStretchNs) counts.python_only_ns += length;
    if (inside == Inside::kNothing && length >= kQuietStretchNs) counts.quiet_ns += length;
  }

  const Draft& draft_;
  const model::HostTable& host_;
  const std::vector<uint32_t>& new_index_;
  Model& model_;
  std::vector<Frame> open_;
  int64_t since_ = 0;
  uint32_t at_ = 0, call_end_ = 0;
};

struct Overhead {
  int64_t begin, end;
};

// The recorder's own rows of the window. They often lie on a thread of no process, so any row of the same file counts.
std::vector<Overhead> OverheadOf(const Draft& draft) {
  const auto& trace = *draft.trace;
  uint32_t source = kNone;
  for (const model::Process& process : trace.processes) {
    if (process.link_domain == draft.domain && source == kNone) source = process.source;
  }
  std::vector<Overhead> rows;
  for (uint32_t row = 0; row < trace.host.size(); ++row) {
    if (trace.host.kind[row] != HostKind::kOverhead) continue;
    if (trace.processes[trace.threads[trace.host.thread[row]].process].source != source) continue;
    const Overhead overhead{draft.At(trace.host.start_ns[row]), draft.At(trace.host.end_ns(row))};
    if (overhead.end > 0) rows.push_back(overhead);
  }
  std::sort(rows.begin(), rows.end(), [](const Overhead& a, const Overhead& b) { return a.begin < b.begin; });
  return rows;
}

// Charged to the call of the main agent that it lies in, or to the gap before.
void CountOverhead(const Draft& draft, const std::vector<uint32_t>& new_index, uint32_t call_end, Model& model) {
  uint32_t at = 0;
  for (const Overhead& row : OverheadOf(draft)) {
    while (at < call_end && draft.calls[at].end < row.end) ++at;
    if (at == call_end) return;
    const Call& call = draft.calls[at];
    RowCounts& counts = model.counts[new_index[call.item]];
    counts.overhead_call_ns += std::max<int64_t>(0, row.end - std::max(row.begin, call.start));
    const int64_t gap_begin = at == 0 ? 0 : draft.calls[at - 1].end;
    counts.overhead_gap_ns += std::max<int64_t>(0, std::min(row.end, call.start) - std::max(row.begin, gap_begin));
  }
}

}  // namespace

void CountRows(const Draft& draft, const std::vector<uint32_t>& new_index, Model& model) {
  std::vector<std::pair<uint32_t, uint32_t>> agent_calls(draft.host_agents, {0, 0});
  for (uint32_t i = 0; i < draft.calls.size(); ++i) {
    auto& range = agent_calls[draft.calls[i].agent];
    if (range.second == 0) range.first = i;
    range.second = i + 1;
  }
  if (draft.host_agents > 0) CountOverhead(draft, new_index, agent_calls[0].second, model);
  RowCounter counter(draft, new_index, model);
  for (uint32_t thread = 0; thread < draft.trace->threads.size(); ++thread) {
    const uint32_t agent = draft.agent_of_thread[thread];
    if (agent != kNone) counter.Thread(thread, agent_calls[agent].first, agent_calls[agent].second);
  }
}

}  // namespace warpscope::analysis::replay
