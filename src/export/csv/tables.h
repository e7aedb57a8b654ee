// The tables of a trace as CSV files of one folder.
// [one thread]. Row numbers are the trace's: column `row` of one file is what other files refer to.
#pragma once

#include <string>

#include "base/status.h"
#include "model/trace.h"

namespace warpscope::exporting::csv {

Status WriteTimeline(const model::Trace& trace, const std::string& folder);      // host, gpu, syncs ...
Status WriteDimensions(const model::Trace& trace, const std::string& folder);    // sources, devices, threads ...
Status WriteMeasurements(const model::Trace& trace, const std::string& folder);  // profiles, summaries, readings

}  // namespace warpscope::exporting::csv
