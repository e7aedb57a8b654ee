// The words of a gate's result: what its renderers need besides the fields. [MT] Pure functions.
#pragma once

#include <string>
#include <vector>

#include "analysis/gate/gate.h"

namespace warpscope::view {

std::string_view GateOutcomeName(analysis::GateOutcome outcome);  // "pass", "regression", "inconclusive", ...
std::string_view GateReasonName(analysis::GateReason reason);     // "within_limit", "slower_step" ...: stable words

// The first line: "Pass: no regression beyond 2 %: 31.2 ms -> 31.3 ms a step (+0.3 %, between -0.4 and +1.0 %)."
std::string GateAnswer(const analysis::GateResult& result, double limit_pct, std::string_view arrow);
// One sentence on where the noise comes from and how large it is.
std::string GateNoise(const analysis::GateResult& result);
// What to know and what to do next, as sentences; most important first.
std::vector<std::string> GateNotes(const analysis::GateResult& result, double limit_pct);
std::string KernelName(const analysis::KernelShift& shift);  // "aten::mm, gemm_kernel"
// "aten::mm, gemm_kernel: +3.10 ms a step (+12 %)"
std::string KernelShiftText(const analysis::KernelShift& shift);
// "driver_version of the device: 570 -> 580"
std::string EnvironmentText(const analysis::EnvironmentChange& change, std::string_view arrow);

}  // namespace warpscope::view
