// Step time and model error of a replayed timeline.
// [MT] Pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/replay/build.h"
#include "analysis/replay/simulator.h"

namespace warpscope::analysis::replay {

// Ends of all items (of a replay, or the recorded ones) -> ns per step. With several steps the mean distance of the
// steps' last device items. If the host's step begins are clearly further apart, the device was catching up with a lead
// that the host had when the window opened, and the host's pace is the lasting one. With one step the whole window.
double StepNs(const Model& model, const std::vector<int64_t>& end);

// Structural replay against the recording.
ModelError ErrorOf(const Model& model, const std::vector<int64_t>& end);

}  // namespace warpscope::analysis::replay
