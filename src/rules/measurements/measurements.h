// Verdicts on inputs without a timeline: counter reports, tables of totals, monitoring logs. Each judge looks at one
// kind of measurement, says what it shows, and claims nothing about the time of a step, which such files do not carry.
// [MT] Pure functions.
#pragma once

#include <string>

#include "model/trace.h"
#include "rules/finding.h"

namespace warpscope::rules {

// REQUIRES: the trace has no timeline. Each returns false, and leaves the verdict alone, if the trace has none of its
// rows; else it sets the answer, findings and notes. `file`: how queries name the input.
bool JudgeProfiles(const model::Trace& trace, const std::string& file, Verdict& verdict);   // kernel_profiles
bool JudgeSummaries(const model::Trace& trace, const std::string& file, Verdict& verdict);  // summaries
bool JudgeReadings(const model::Trace& trace, const std::string& file, Verdict& verdict);   // readings

}  // namespace warpscope::rules
