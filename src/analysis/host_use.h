// Host use: where the time of the host's threads went, by function, whether or not a device worked meanwhile. Of a
// program that uses no device it is the answer.
// [MT] Pure function of a finished trace.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/index.h"
#include "analysis/window.h"

namespace warpscope::analysis {

enum class HostUseBy : uint8_t {
  kLine,      // the innermost frame of the program's own code: libraries count for who called them
  kFunction,  // the innermost frame
};

// Own time of a function: of the moments that it answers for. Time in system calls and other rows belongs to the frame
// around them; rows without any frame stand for themselves.
struct FunctionUse {
  model::StringId function = model::kNoString;
  int64_t runs_ns = 0, waits_ns = 0;  // own; waits: in a system call that waits
  int64_t total_ns = 0;               // with what it calls; a recursive call counts once
  uint32_t threads = 0;
  model::StringId inner = model::kNoString;   // what it was mostly in: a library's function, a call; none: itself
  model::StringId caller = model::kNoString;  // frame of the program's own code above it with most of that time
};

struct ThreadUse {
  uint32_t thread = 0;               // row of threads
  int64_t begin_ns = 0, end_ns = 0;  // first to last row
  int64_t runs_ns = 0, waits_ns = 0;
  model::StringId mostly = model::kNoString;  // frame (own time) or system call that took most of it
};

struct HostUse {
  std::vector<FunctionUse> functions;  // most running time first, then waiting, then by name
  std::vector<ThreadUse> threads;      // the same
  int64_t runs_ns = 0, waits_ns = 0;   // of all threads together
};

// Threads with rows in the scope (its domain and window).
HostUse HostUseOf(const Index& index, HostUseBy by, const Scope& scope = {});

}  // namespace warpscope::analysis
