// Prints rules::Verdict for people (terminal) and programs (JSON, schema "warpscope.verdict/1"). [MT] Pure.
#pragma once

#include <string>

#include "report/terminal.h"
#include "view/verdict_view.h"

namespace warpscope::report {

struct VerdictOptions {
  bool all = false;           // every finding, abstention and ledger entry
  bool explain = false;       // the concept behind each finding
  bool quiet = false;         // the answer only
  std::string file = "FILE";  // how the commands that are named refer to the input
};

inline constexpr size_t kFindingsShown = 5;
inline constexpr double kNotablePct = 5;  // of the step; smaller gains get one line

std::string VerdictText(const rules::Verdict& verdict, const Terminal& terminal, const VerdictOptions& options);

// docs/schema/verdict.md describes it. Holds everything, whatever the terminal would fold away.
std::string VerdictJson(const rules::Verdict& verdict);

}  // namespace warpscope::report
