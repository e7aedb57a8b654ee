// Model loading: the stretch of a start-up in which weights are read and uploaded one after another.
// [MT] Pure function.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "rules/context.h"
#include "rules/framework/host_copies.h"

namespace warpscope::rules {

struct ModelLoad {
  std::vector<HostCopy> copies;      // uploads, in order
  int64_t begin_ns = 0, end_ns = 0;  // from the end of the work before the first upload (reading) to the last
  uint64_t bytes = 0;
  int64_t copy_ns = 0;
  uint32_t thread = model::kNone;  // that uploads
};

// Absent unless the recording is of a start-up: no marked steps that repeat, many uploads that follow each other
// without work between them, and little kernel time meanwhile.
std::optional<ModelLoad> FindModelLoad(const Context& context);

}  // namespace warpscope::rules
