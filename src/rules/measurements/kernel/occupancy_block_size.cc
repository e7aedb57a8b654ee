// Small blocks: an SM holds a limited number of them, whatever their size.
#include "rules/measurements/kernel/occupancy.h"

namespace warpscope::rules {

extern const KernelCause kOccupancyBlockSizeCause;
const KernelCause kOccupancyBlockSizeCause = {
    .id = "occupancy_block_size",
    .dimension = Dimension::kLatency,
    .judge = [](const KernelCase& kernel) { return JudgeOccupancy(kernel, Resource::kBlocks); },
    .tool_rules = "TheoreticalOccupancy",
    .concept_text =
        "An SM hides waiting by switching to another warp. How many it holds depends on the registers, the shared "
        "memory and the size of the blocks. Few warps cost time only where the kernel waits and nothing is busy.",
};

}  // namespace warpscope::rules
