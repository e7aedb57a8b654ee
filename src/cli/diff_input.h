// What a comparison says about one side. [MT] Pure.
#pragma once

#include <string>

#include "model/trace.h"
#include "report/diff_report.h"

namespace warpscope::cli {

report::DiffInput DiffInputOf(const model::Trace& trace, const std::string& path);

}  // namespace warpscope::cli
