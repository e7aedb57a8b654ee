// The sentences of a report in the language that it was not written in, so that its page can be read in both.
// [one thread]
#pragma once

#include <string>
#include <vector>

#include "analysis/diff/diff.h"
#include "lang/language.h"
#include "rules/finding.h"
#include "view/table.h"

namespace warpscope::cli {

// Appends the English texts of a verdict, of a table (title, summary, notes), of a comparison's JSON: what
// lang::Translate turns.
void CollectTexts(const rules::Verdict& verdict, std::vector<std::string>* english);
void CollectTexts(const view::Table& table, std::vector<std::string>* english);
void CollectTexts(const analysis::Diff& diff, std::vector<std::string>* english);

// {"lang": "zh", "texts": {"text as in the report": "the same in the other language", ...}}, sorted, each once; without
// those that are alike in both. "" if there are none. `own`: the language of the report.
std::string TextsJson(lang::Language own, const std::vector<std::string>& english);

}  // namespace warpscope::cli
