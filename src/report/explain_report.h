// The diagnosis of an error text on a terminal and as JSON (docs/schema/explain.md). [MT] Pure.
#pragma once

#include <string>

#include "explain/explain.h"
#include "report/terminal.h"

namespace warpscope::report {

struct ExplainOptions {
  std::string source;  // what was read, as told: "run.log", "standard input"; empty for words of the command line
  bool all = false;    // the whole answer for every finding, not only the first cause
};

std::string ExplainText(const explain::Diagnosis& diagnosis, const Terminal& terminal, const ExplainOptions& options);
std::string ExplainJson(const explain::Diagnosis& diagnosis, const ExplainOptions& options);

}  // namespace warpscope::report
