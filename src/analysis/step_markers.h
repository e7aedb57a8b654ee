// Markers: the moments at which steps begin, from annotations, Python frames, or the repeating launch sequence.
// Internal to steps.cc. [MT] Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/index.h"
#include "analysis/steps.h"

namespace warpscope::analysis {

struct Marker {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;           // of the marker's own span
  uint32_t row = model::kNone;  // host row; kNone if the item has no call
  uint32_t thread = model::kNone;
  bool missing = false;  // no marker: a stretch between two that stand apart
};

struct Markers {
  StepSource source = StepSource::kWholeWindow;
  std::vector<Marker> markers;  // in time order, from one thread
  // The last step runs to the end of its own span; else to the end of what was recorded.
  bool own_end = false;
  // End of the last step where the launch sequence tells it: what follows is another phase, or the end of the program.
  std::optional<int64_t> end_ns;
};

// Device work in the order in which the host issued it; a graph launch is one item.
struct IssuedItem {
  int64_t issue_ns = 0;    // start of the call; start of the item if the call is unknown
  int64_t end_ns = 0;      // last end of its rows
  uint32_t first_row = 0;  // gpu row
  uint32_t rows = 1;
  uint32_t call = model::kNone;
};
std::vector<IssuedItem> IssueOrder(const Index& index, uint32_t link_domain);

// Each empty (no markers) if there is nothing fit.
Markers ProfilerStepMarkers(const Index& index, uint32_t link_domain);
Markers UserRangeMarkers(const Index& index, uint32_t link_domain);
Markers SequenceMarkers(const Index& index, uint32_t link_domain, const std::vector<IssuedItem>& items);

}  // namespace warpscope::analysis
