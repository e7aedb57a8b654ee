// Phases of a recording that begins with the process: start-up, the steady loop, what follows it. Positions are those
// of the launch sequence (step_sequence.cc). [MT] Pure functions. Internal to steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpscope::analysis {

struct Stretch {
  size_t begin = 0, end = 0;  // [begin, end); empty: there is none
  size_t size() const { return end - begin; }
};

// The longest stretch, by device work, in which nothing is launched for the first time but its first token: start-up
// launches what it never launches again, a loop does not. Empty unless it holds most of the device work: what does not
// repeat is not left out. Keys of 0 (waits) are never new. REQUIRES: keys and work_ns (device time of the token) of
// equal size.
Stretch SteadyStretch(const std::vector<uint64_t>& keys, const std::vector<int64_t>& work_ns);

// The longest run of positions that lie no farther apart than twice their usual distance: between two runs lies another
// phase (an evaluation, a checkpoint). All of them where no run holds enough to be judged alone. Indices into `at`.
Stretch LongestRun(const std::vector<uint32_t>& at);

}  // namespace warpscope::analysis
