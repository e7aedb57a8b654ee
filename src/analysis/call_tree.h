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
  uint32_t op = model::kNone;          // innermost operator
  uint32_t outer_op = model::kNone;    // outermost operator: what the program called (aten::item over _local_scalar_dense)
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

// Rows of a thread with start in the window: [first, last).
model::Trace::RowRange RowsIn(const model::Trace& trace, uint32_t thread, const Window& window);

}  // namespace warpscope::analysis
