// The words of a comparison: what the renderers of a Diff need besides its fields. [MT] Pure functions.
#pragma once

#include <string>
#include <vector>

#include "analysis/diff/diff.h"

namespace warpscope::view {

std::string_view OutcomeName(analysis::Outcome outcome);       // "faster", "slower", "no_difference", "not_comparable"
std::string_view BasisName(analysis::Basis basis);             // "median", "mean"
std::string_view StepTimesName(analysis::StepTimes times);     // "recorded", "without_recorder"
std::string_view StepSourceName(analysis::StepSource source);  // "profiler_step", "user_range" ...: stable words

// "B is 12 % slower than A: 31.2 ms -> 35.0 ms a step (between 10 and 14 %)."; `arrow` is "->" or what the terminal
// has.
// A sentence behind another one; "" if there is none.
std::string Behind(const std::string& sentence);
// A sentence to stand behind recorded times: what a recorder of unknown cost can have taken of
// them, if that is much.
std::string AsRecorded(double at_most_pct);
std::string DiffAnswer(const analysis::Diff& diff, std::string_view arrow);
// One line a cause: "matrix products and the like compute in bf16 instead of fp32, mostly aten::addmm".
std::string CauseTitle(const analysis::Cause& cause, const analysis::Diff& diff, std::string_view arrow);
// The kernels or places behind it, "" if the title says it all.
std::string CauseDetail(const analysis::Cause& cause, std::string_view arrow);
std::string PartLabel(const std::string& part);      // of PartChange::name: "idle: CPU launches work"
std::string SignedMs(double ms);                     // "+3.10 ms", "-456 us"
std::string FigureLabel(const std::string& figure);  // "launches a step"
std::string FormatFigure(const std::string& figure, double value);
// Assumptions and limits of this comparison, as sentences.
std::vector<std::string> DiffNotes(const analysis::Diff& diff);

}  // namespace warpscope::view
