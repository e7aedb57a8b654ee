// The words of a verdict for the kind of program that was recorded. Rules name PyTorch's remedy first and CUDA C++'s
// behind it; for a program without Python only the latter are of use, and reasons that speak of Python frames are not.
// [MT] Pure functions.
#pragma once

#include <string_view>

#include "model/trace.h"
#include "rules/finding.h"

namespace warpscope::rules {

// Whether anything in the recording shows Python at work: frames, framework operators, kernels that a framework
// brings, the program's name.
bool IsPythonProgram(const model::Trace& trace);

// `format`: Source::format; decides which tool is named for recording again.
void SpeakOfProgram(bool python, std::string_view format, Verdict& verdict);

}  // namespace warpscope::rules
