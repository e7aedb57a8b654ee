// Registers keep warps away from an SM that could use them.
#include "rules/measurements/kernel/occupancy.h"

namespace warpscope::rules {

extern const KernelCause kOccupancyRegistersCause;
const KernelCause kOccupancyRegistersCause = {
    .id = "occupancy_registers",
    .dimension = Dimension::kLatency,
    .judge = [](const KernelCase& kernel) { return JudgeOccupancy(kernel, Resource::kRegisters); },
    .tool_rules = "TheoreticalOccupancy",
    .concept_text =
        "An SM hides waiting by switching to another warp. How many it holds depends on the registers, the shared "
        "memory and the size of the blocks. Few warps cost time only where the kernel waits and nothing is busy.",
};

}  // namespace warpscope::rules
