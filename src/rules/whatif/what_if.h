// What a person's own changes would gain: `warpscope whatif`. [MT] Pure function of its inputs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "model/trace.h"
#include "rules/engine.h"
#include "rules/whatif/hand_change.h"

namespace warpscope::rules {

struct WhatIfReport {
  std::vector<HandChange> changes;
  std::vector<HandOutcome> outcomes;             // one a change
  std::optional<analysis::Prediction> together;  // absent for a single change
  std::string rank;                              // which one it is about; "" if there is only one
  uint32_t step_count = 0;                       // counted
  std::vector<std::string> notes;                // assumptions of the replay
};

// Without changes: every cause of the verdict. kUnsupported, with the reason, if the steps cannot be replayed;
// kNotFound if a change matches nothing.
Result<WhatIfReport> TryChanges(const model::Trace& trace, const AnalyzeOptions& options,
                                std::vector<HandChange> changes);

}  // namespace warpscope::rules
