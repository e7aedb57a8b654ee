// Verify for counter reports: kernel by kernel, the time before and after, and what became of each finding.
// [MT] Pure function of its inputs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/trace.h"

namespace warpscope::rules {

struct VerifiedKernel {
  std::string name, new_name;  // new_name: "" unless the kernel is called otherwise in the second report
  std::optional<int64_t> before_ns,
      after_ns;  // of the launch of median time; absent if it was not timed or not measured
  uint64_t launches_before = 0, launches_after = 0;
  std::vector<std::string> gone, remaining, added;  // ids of findings
  // Old time over new one that the first report's findings promised for the one most worthwhile of those that are gone.
  std::optional<double> promised;
};

// Kernels of the first report by time, most first; then those that only the second holds. Kernels go by their names;
// a single one left over on either side is taken to be the same.
std::vector<VerifiedKernel> VerifyKernels(const model::Trace& before, const model::Trace& after);

}  // namespace warpscope::rules
