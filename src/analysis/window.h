// Window and Scope: which part of a trace an analysis looks at.
// [MT] Values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "model/trace.h"

namespace warpscope::analysis {

// Half-open [begin_ns, end_ns). The default holds everything.
struct Window {
  int64_t begin_ns = INT64_MIN;
  int64_t end_ns = INT64_MAX;

  bool everything() const { return begin_ns == INT64_MIN && end_ns == INT64_MAX; }
  // Whether a span shares time with the window; a span of length 0 counts if it starts inside.
  bool Touches(int64_t span_begin_ns, int64_t span_end_ns) const {
    return span_begin_ns < end_ns && (span_end_ns > begin_ns || span_begin_ns >= begin_ns);
  }
  bool Contains(int64_t time_ns) const { return time_ns >= begin_ns && time_ns < end_ns; }
  int64_t ClipBegin(int64_t time_ns) const { return std::max(time_ns, begin_ns); }
  int64_t ClipEnd(int64_t time_ns) const { return std::min(time_ns, end_ns); }
};

// Absent means "all of them". Rows are taken whole if they start in the window unless a function says that it clips.
struct Scope {
  std::optional<uint32_t> link_domain;  // rank
  std::optional<uint32_t> device;       // row of Trace::devices
  Window window;
};

}  // namespace warpscope::analysis
