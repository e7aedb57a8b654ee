// What a verdict says about its input. [MT] Pure.
#pragma once

#include <string>
#include <vector>

#include "model/trace.h"
#include "report/verdict_report.h"

namespace warpscope::cli {

// What the files hold: to be asked before anything that is concluded is added to the trace.
report::Input VerdictInputOf(const model::Trace& trace);
// How evidence commands name the input, so that they can be pasted.
std::string FileArgument(const std::vector<std::string>& paths);

}  // namespace warpscope::cli
