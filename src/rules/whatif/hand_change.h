// HandChange: one change to the recorded steps as a person writes it ("kernel:gemm=0.5", "cause:host_sync"), and what
// it would gain. The changes themselves are those of analysis::WhatIf; docs/whatif.md says how they are replayed. [MT]
// Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "rules/context.h"
#include "rules/finding.h"

namespace warpscope::rules {

enum class HandTarget : uint8_t {
  kKernel,    // kernels whose name matches
  kOperator,  // operators whose name matches: their device work and their own host time
  kCopy,      // copies and memsets whose kind matches: h2d, d2h, d2d, p2p, memset
  kHost,      // host rows of any kind whose name matches: their host time, not what they wait for
  kCall,      // API calls whose name matches: the same; dropped: the call with its wait
  kWait,      // API calls whose name matches: only their waiting for the device
  kCause,     // what the verdict says of a cause
};

struct HandChange {
  HandTarget target = HandTarget::kKernel;
  std::string pattern;   // ECMAScript regular expression that is searched in names; a cause: its id
  double ratio = 1;      // of the time as it was: 0.5 is twice as fast; 0: gone
  bool overlap = false;  // copies: beside other work, on a stream of their own
  std::string text;      // as it was given
};

// "kernel:REGEX=RATIO" of --scale. kInvalidArgument says what is wrong with it.
Result<HandChange> ParseScale(std::string_view text);
// "kernel:REGEX" or "cause:ID" of --drop.
Result<HandChange> ParseDrop(std::string_view text);
// "copies" or "copy:REGEX" of --overlap.
Result<HandChange> ParseOverlap(std::string_view text);

struct HandOutcome {
  uint64_t rows = 0;                // of the timeline that it changes; a cause: 0
  std::optional<double> time_ms;    // that these rows take in a step, as recorded; absent: a cause
  std::optional<double> share_pct;  // of the step: of the predictions' one for device work, else of the recorded one
  // Gain if all the time saved came out of the step (Amdahl 1967): share x (1 - ratio). What the replay predicts is
  // less where that work runs beside other work.
  std::optional<double> most_pct;
  // What the interval of `predicted` cannot exceed, of the predictions' step; only of work that is made shorter and
  // stays.
  std::optional<double> bound_pct;
  std::optional<double> beside_pct;               // of the step: these device rows run while others do too
  std::optional<analysis::Prediction> predicted;  // absent: the steps cannot be replayed, or nothing matches
  analysis::WhatIf change;
  analysis::Side side = analysis::Side::kGpu;
};

// Changes one by one, in the order given. kNotFound names a cause that the verdict does not have.
Result<std::vector<HandOutcome>> TryByHand(const Context& context, const std::vector<HandChange>& changes,
                                           const std::vector<Finding>& findings);
// All of them at once; absent as in HandOutcome.
std::optional<analysis::Prediction> TryTogether(const Context& context, const std::vector<HandOutcome>& outcomes);

}  // namespace warpscope::rules
