// Stall samples of a run: what they add to its counter plan before, and the text of the sampled instructions after.
// [one thread]
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace warpscope::cli {

// `period_log2`: a sample of each SM every so many cycles; absent: the agent's default.
void AddStallsToPlan(std::optional<uint64_t> period_log2, std::vector<std::pair<std::string, std::string>>* plan);

// Disassembles the sampled functions of the run's code into its folder, where nvdisasm is installed, and then removes
// the code that carries no source lines. What cannot be done is told in the status; the recording is whole without it.
Status DisassembleSampled(const std::string& run_folder);

}  // namespace warpscope::cli
