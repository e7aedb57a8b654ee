// Idle gaps of a device and what the host did meanwhile.
// [MT] Pure functions.
//
// A gap is a stretch of a device's window in which none of its streams runs anything. Its time is split by what the
// thread that issues the next item was doing; where that thread records nothing, by what the rank's main thread, then
// any other thread, was doing. Time after the next item's launch call has returned is the device's own (latency or a
// dependency).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/host_activity.h"
#include "analysis/index.h"
#include "analysis/steps.h"
#include "analysis/window.h"

namespace warpscope::analysis {

struct GapPart {
  GapCause cause;
  int64_t dur_ns;
  model::StringId subject;  // operator, call, frame or annotation that stands for it; kNoString if none
  uint32_t row;             // host row of the longest piece; kNone if none
};

struct Gap {
  uint32_t device = 0;
  int64_t begin_ns = 0, end_ns = 0;
  uint32_t before = model::kNone, after = model::kNone;  // gpu rows around it; kNone at the window's edge
  uint32_t call = model::kNone;                          // launch call of `after`
  uint32_t thread = model::kNone;                        // that issues it
  uint32_t step = model::kNone;                          // row of Steps::steps that holds its middle
  GapCause cause = GapCause::kUnrecorded;                // of the largest part
  std::vector<GapPart> parts;                            // largest first; sums to the gap's length
  int64_t dur_ns() const { return end_ns - begin_ns; }
};

struct GapSubject {
  GapCause cause;
  model::StringId subject;
  model::StringId user_frame = model::kNoString;  // innermost user source line of its longest piece
  int64_t total_ns = 0;
  uint64_t gaps = 0;
  uint32_t row = model::kNone;  // host row of the longest piece
};

struct GapSummary {
  int64_t threshold_ns = 0;
  std::vector<Gap> gaps;  // those over the threshold, in time order
  int64_t idle_ns = 0;    // all idle time of the devices in scope
  int64_t gap_ns = 0;     // of it in gaps over the threshold
  // Idle time by cause over ALL gaps, also short ones.
  std::array<int64_t, kGapCauses> by_cause_ns{};
  std::vector<GapSubject> subjects;  // most time first, then cause, then text
  uint64_t short_gaps = 0;           // under the threshold
  int64_t short_gap_ns = 0;
  std::optional<double> idle_per_step_ms;
};

struct GapOptions {
  // Gaps listed one by one. 0 = adaptive: max(20 us, 0.1 % of the median step).
  int64_t threshold_ns = 0;
  size_t max_gaps = 100000;  // longest ones are kept
};

GapSummary FindGaps(const Index& index, const Scope& scope = {}, const Steps* steps = nullptr,
                    const GapOptions& options = {});

// What a host row stands for as a reason to wait: the classification used for gap parts.
inline HostActivity ActivityOf(const Index& index, uint32_t host_row) { return index.activity(host_row); }

}  // namespace warpscope::analysis
