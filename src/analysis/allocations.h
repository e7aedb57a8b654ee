// Allocations: each block of memory from its allocation to its release, with the stack that asked for it; who holds
// memory at a moment. [MT] Pure functions. FindAllocations: O(n log n) in memory events.
// A stack is what the host rows say that the thread was in at the moment of the allocation: annotations (not step
// markers), Python frames, operators, calls.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/index.h"
#include "analysis/window.h"

namespace warpscope::analysis {

inline constexpr int64_t kNotFreed = INT64_MAX;

struct Allocation {
  uint32_t device = model::kNone;  // row of devices; kNone: host memory
  uint32_t stack = model::kNone;   // innermost node of AllocationsOf::nodes; kNone: not known
  int64_t begin_ns = 0;            // of one from before: the first moment of the device's memory events
  int64_t end_ns = kNotFreed;
  int64_t bytes = 0;
  bool from_before = false;
};

struct StackNode {
  model::StringId name = model::kNoString;
  uint32_t parent = model::kNone;  // an earlier node; kNone: outermost
};

struct Allocations {
  std::vector<Allocation> rows;  // by begin
  std::vector<StackNode> nodes;  // callers before callees
  bool has_stacks = false;       // some allocation has one
};

// All devices, or the scope's; its window plays no part. What was in use before the first event, as far as the
// recorder's totals and later releases tell, is there as rows from before, so that the rows alive at a moment sum up to
// the level.
Allocations FindAllocations(const Index& index, const Scope& scope = {});

// What one group of allocations holds at a moment.
struct Holder {
  uint32_t device = model::kNone;
  std::string where;  // innermost Python frame, with the operator called from it; without Python the outermost operator
  std::string caller;  // innermost frame of the user's own files; "" if none or the same
  std::string stack;   // of the group's largest allocation, innermost first, " < " between
  int64_t bytes = 0;
  uint64_t count = 0;
  int64_t oldest_ns = 0;     // begin of its oldest allocation
  bool from_before = false;  // one of them is older than the recording
};

// Allocations alive at `time_ns` (begin <= time < end) of a device by where they were made; most bytes first.
std::vector<Holder> HoldersAt(const Index& index, const Allocations& allocations, uint32_t device, int64_t time_ns);

}  // namespace warpscope::analysis
