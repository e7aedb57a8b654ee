// Copies and memsets: by direction and memory kind, with bandwidth, blocking and overlap.
// [MT] Pure functions. Rows that start in the window count whole.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/index.h"
#include "analysis/window.h"

namespace warpscope::analysis {

struct CopyRow {
  bool is_memset = false;
  model::CopyKind kind = model::CopyKind::kUnknown;
  model::MemoryKind src = model::MemoryKind::kUnknown, dst = model::MemoryKind::kUnknown;
  uint64_t count = 0;
  uint64_t sized_count = 0;       // those with a recorded size
  std::optional<uint64_t> bytes;  // of the sized ones; absent if none is
  std::optional<uint64_t> min_bytes, median_bytes, max_bytes;
  int64_t total_ns = 0, min_ns = 0, max_ns = 0;
  double mean_ns = 0, median_ns = 0;
  // Over sized rows of non-zero duration; absent if there are none.
  std::optional<double> bandwidth_bytes_per_s;
  std::optional<double> best_bandwidth_bytes_per_s;  // best single copy of >= 1 MiB (of any size if none is as large)
  // Share of the best bandwidth seen in that direction, in this trace, by copies of >= 1 MiB that are not pageable
  // (those never show the link's speed); absent if there are none.
  std::optional<double> link_use_pct;
  uint64_t small_count = 0;  // < 64 KiB
  // Blocking: the call lasted until the copy's end (or a stream sync followed at once on the same thread).
  uint64_t synchronous_count = 0;
  int64_t host_blocked_ns = 0;  // host time in those calls (and syncs)
  int64_t overlapped_ns = 0;    // while a kernel ran on the same device
  double overlapped_pct = 0;
  uint32_t first_row = model::kNone, longest_row = model::kNone;  // gpu rows
};

// Most time first, then kind, src, dst.
std::vector<CopyRow> SummarizeCopies(const Index& index, const Scope& scope = {});

// Whether the host was held until the copy's end; the sync call that held it, if not the copy call itself.
struct CopyBlocking {
  bool blocked = false;
  uint32_t sync_call = model::kNone;  // host row
  int64_t blocked_ns = 0;             // host time in the call (and the sync)
};
CopyBlocking BlockingOf(const Index& index, uint32_t gpu_row);

// Whether the copy's own call did not return before the copy was over, as a rule of its form or memory kind.
bool CallHeldByCopy(const Index& index, uint32_t gpu_row);

// By who asked for the copies (operator and source line), most time first: for advice on where to change what.
struct CopyCallerRow {
  model::CopyKind kind;
  model::MemoryKind src, dst;
  std::string caller;  // CallerText of the call
  uint64_t count = 0;
  uint64_t bytes = 0;
  int64_t total_ns = 0, host_blocked_ns = 0;
  uint32_t first_row = model::kNone;  // gpu row
};
std::vector<CopyCallerRow> CopiesByCaller(const Index& index, const Scope& scope = {});

std::string_view CopyKindText(model::CopyKind kind);      // "host to device" ...; "unknown"
std::string_view MemoryKindText(model::MemoryKind kind);  // "pageable" ...; "unknown"

}  // namespace warpscope::analysis
