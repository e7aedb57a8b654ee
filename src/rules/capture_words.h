// The words of a verdict on a run of `warpscope record`: what to record instead is told in its options, not in those of
// other recorders. [MT] Pure function.
#pragma once

#include "rules/finding.h"

namespace warpscope::rules {

// `python`: IsPythonProgram(). To be called before SpeakOfProgram(), which takes out what has no meaning without
// Python.
void SpeakOfCapture(bool python, Verdict& verdict);

}  // namespace warpscope::rules
