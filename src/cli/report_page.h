// The page that `report` and `view` put data into, and the comparison that a report of two recordings holds.
// [one thread]
#pragma once

#include <string>

#include "cli/report_content.h"

namespace warpscope::cli {

// --page FILE, else the built-in page. kUnsupported, with how to get it, if the program was built without.
Result<std::string> PageText(const Args& args);

// Adds the section "diff": {"own": "b", "a", "b": titles, "diff": the document of `diff --json`, "flame": of A, with
// names as texts}. A is the recording at `path`, B the report's own.
Status AddComparison(const std::string& path, const Args& args, Io& io, ReportContent* content);

}  // namespace warpscope::cli
