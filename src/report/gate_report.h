// The result of a gate for people, programs, CI servers and pull requests. [MT] Pure functions; the same input gives
// the same bytes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/terminal.h"
#include "view/gate_view.h"

namespace warpscope::report {

struct GateInput {
  std::string baseline;  // its name
  std::vector<std::pair<std::string, std::string>> tags;
  std::vector<std::string> base_runs, next_runs;  // as they are called
  double limit_pct = 2;
};

std::string GateText(const analysis::GateResult& result, const GateInput& input, const Terminal& terminal, bool all);
// Schema warpscope.gate/1 (docs/schema/gate.md).
std::string GateJson(const analysis::GateResult& result, const GateInput& input);
// JUnit XML: one suite; the step is a case, and so is each kernel that became slower (skipped unless it fails the
// gate).
inline constexpr std::string_view kJunitStart =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"warpscope gate\"";
std::string GateJunit(const analysis::GateResult& result, const GateInput& input);
// GitHub-flavoured Markdown for a job summary or a comment.
inline constexpr std::string_view kMarkdownStart = "### warpscope gate: ";
std::string GateMarkdown(const analysis::GateResult& result, const GateInput& input);

}  // namespace warpscope::report
