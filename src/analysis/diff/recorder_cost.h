// RecorderCost: how much of a recorded step the recorder took, and how sure that is, so that two recordings are
// compared by what their programs take. The estimate is the verdict's: the replay with the recorder's cost taken out
// (replay/dilation.h, docs/whatif.md). [MT] Pure functions.
#pragma once

#include <cstdint>
#include <optional>

#include "analysis/diff/profile.h"
#include "analysis/index.h"
#include "analysis/steps.h"

namespace warpscope::analysis {

struct RecorderCost {
  // The cost is known. False: another recorder, or no host rows to replay; then the ratios are 1.
  bool known = false;
  // Step without the recorder over the recorded one, in (0, 1]; the same if the recorder cost half as much as is taken,
  // and one and a half times as much. less_ratio >= left_ratio >= more_ratio.
  double left_ratio = 1, less_ratio = 1, more_ratio = 1;
  double cost_ms = 0;      // a step: what is taken out
  double at_most_pct = 0;  // where it is not known: of the step, no recorder takes more than the device stands idle
  // Mean host time of a kernel launch call as recorded; 0 where not known. Tells how quick this run's host was.
  double launch_call_ns = 0;
};

// The share of a step from which a recorder's cost is worth an estimate. Below, the estimate's own spread from run to
// run (1 to 2 % of the step on repeats of one program, H200) would be most of it.
inline constexpr double kLeastRecorderPct = 5;

// Of the rank with link domain `domain`; `parts` are its. Absent without counted steps.
std::optional<RecorderCost> RecorderCostOf(const Index& index, const Steps& steps, uint32_t domain,
                                           const StepParts& parts);

// Where nothing is known of the recorder but how long the device stood idle beside it.
RecorderCost UnknownRecorderCost(const StepParts& parts);

// From the estimate of an earlier version, which kept no doubt: half of the cost either way, as docs/whatif.md takes
// it. REQUIRES: both > 0.
RecorderCost HalfSureRecorderCost(double base_step_ms, double recorded_step_ms);

// From a step that was measured without a recorder. REQUIRES: both > 0.
RecorderCost GivenRecorderCost(double true_step_ms, double recorded_step_ms);

// The parts of steps that are `left_ratio` as long. Recorders slow the host: idle time and waiting for other ranks
// shrink in proportion, work of the device stays; only if those do not suffice, all shrinks.
void TakeOutRecorder(double left_ratio, StepParts* parts);

}  // namespace warpscope::analysis
