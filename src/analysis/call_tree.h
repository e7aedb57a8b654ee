// CallTree: questions about nested host rows: what a thread was doing at a moment, and who is responsible for a row.
// [MT] Cheap views over a finished trace; no state of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "analysis/index.h"
#include "analysis/window.h"

namespace warpscope::analysis {

// Innermost row of the thread that holds `time_ns` (start <= time < end); kNone if the thread records nothing then.
// O(log n + depth).
uint32_t InnermostAt(const model::Trace& trace, uint32_t thread, int64_t time_ns);

// The row and its ancestors, innermost first. At most `max_depth` rows.
std::vector<uint32_t> Chain(const model::Trace& trace, uint32_t row, size_t max_depth = 256);

// Nearest row at or above `row` of that kind; kNone if there is none.
uint32_t NearestOfKind(const model::Trace& trace, uint32_t row, model::HostKind kind);

// Who stands behind a host row: each kNone if not recorded.
struct Caller {
  uint32_t op = model::kNone;  // innermost operator
  uint32_t outer_op =
      model::kNone;  // outermost operator: what the program called (aten::item over _local_scalar_dense)
  uint32_t annotation = model::kNone;  // innermost annotation that is no step marker
  uint32_t module = model::kNone;      // innermost nn.Module frame
  uint32_t user_frame = model::kNone;  // innermost Python frame of the user's own file
  uint32_t python = model::kNone;      // innermost Python frame of any kind
};
Caller FindCaller(const Index& index, uint32_t row);

// "train.py(12): step", else "aten::item", else annotation, else the row's own name: the words for a table.
std::string CallerText(const Index& index, uint32_t row);

// One piece of a thread's time with its innermost row (kNone = nothing recorded).
struct Segment {
  int64_t begin_ns, end_ns;
  uint32_t row;
};
// Cuts [begin, end) of a thread into pieces, in time order and without holes. O(log n + rows touched).
void ForEachSegment(const model::Trace& trace, uint32_t thread, int64_t begin_ns, int64_t end_ns,
                    const std::function<void(const Segment&)>& visit);

// The same for many windows in time order: amortised linear over the thread's rows.
class SegmentWalker {
 public:
  SegmentWalker(const model::Trace& trace, uint32_t thread);
  // REQUIRES: begin_ns is not before that of the last call.
  template <typename Visit>
  void Walk(int64_t begin_ns, int64_t end_ns, Visit&& visit) {
    SeekTo(begin_ns);
    const model::HostTable& host = trace_->host;
    uint32_t next = next_, open = open_;
    for (int64_t now = begin_ns; now < end_ns;) {
      const int64_t open_end = open == model::kNone ? INT64_MAX : host.end_ns(open);
      const int64_t next_start = next < stop_ ? host.start_ns[next] : INT64_MAX;
      int64_t until = open_end < next_start ? open_end : next_start;
      if (until > end_ns) until = end_ns;
      if (until > now) visit(Segment{now, until, open});
      if (until > now) now = until;
      if (now >= end_ns) break;
      if (next_start <= open_end) {
        if (host.end_ns(next) > now) open = next;  // rows of no length hold nothing
        ++next;
      } else {
        open = OpenAt(open, now);
      }
    }
  }

 private:
  void SeekTo(int64_t time_ns);
  uint32_t OpenAt(uint32_t row, int64_t time_ns) const;

  const model::Trace* trace_;
  uint32_t begin_ = 0, stop_ = 0;
  uint32_t next_ = 0;             // first row that starts after the last begin
  uint32_t open_ = model::kNone;  // innermost row there
  bool sought_ = false;
};

// Rows of a thread with start in the window: [first, last).
model::Trace::RowRange RowsIn(const model::Trace& trace, uint32_t thread, const Window& window);

}  // namespace warpscope::analysis
