// Which kernels of a recording are worth their counters: those that hold most of the critical path. [MT] Pure function.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/loaded.h"

namespace warpscope::cli {

struct KernelsThatMatter {
  std::vector<std::string> names;  // as recorded; largest share first
  double share_pct = 0;            // of the path's kernel time that they hold
  size_t left_out = 0;             // names of other kernels
  bool by_path = false;            // else by their time: the recording cannot be replayed
};

KernelsThatMatter FindKernelsThatMatter(const Loaded& loaded);

}  // namespace warpscope::cli
