// Prints analysis::Diff for people (terminal) and programs (JSON, schema "warpscope.diff/1"). [MT] Pure.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/ledger_json.h"
#include "report/terminal.h"
#include "view/diff_view.h"

namespace warpscope::report {

struct DiffInput {  // one side
  std::string path, format, producer, device;
  std::vector<model::LedgerEntry> ledger;
};

struct DiffOptions {
  bool all = false;  // every cause, difference of the environment and figure
};

std::string DiffText(const analysis::Diff& diff, const DiffInput& a, const DiffInput& b, const Terminal& terminal,
                     const DiffOptions& options);

// docs/schema/diff.md describes it. Holds everything, whatever the terminal would fold away. `say` has the last word on
// its sentences: a page in another language gives its translation; null leaves them English.
std::string DiffJson(const analysis::Diff& diff, const DiffInput& a, const DiffInput& b,
                     const std::function<std::string(const std::string&)>& say = nullptr);

}  // namespace warpscope::report
