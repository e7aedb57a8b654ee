// Host spans of a WhatIf: scaling and moving host work to a worker.
// [MT] Pure.
#pragma once

#include <vector>

#include "analysis/replay/edit.h"

namespace warpscope::analysis::replay {

void EditHost(const Model& model, const HostIndex& index, const std::vector<WhatIf::Host>& spans, Changed& changed);

}  // namespace warpscope::analysis::replay
