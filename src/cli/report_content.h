// What `report` and `view` show of a recording: everything that analysis says of it, ready to be packed.
// [one thread]
#pragma once

#include <string>
#include <vector>

#include "cli/loaded.h"
#include "lang/language.h"
#include "page/pack.h"
#include "rules/finding.h"

namespace warpscope::cli {

struct ReportContent {
  Loaded loaded;
  analysis::Steps steps;                               // of the rank that was judged
  lang::Language language = lang::Language::kEnglish;  // of every text below
  std::string title;
  std::string verdict_json, verdict_error;
  rules::Verdict verdict;
  std::vector<page::FindingPlace> places;
  std::vector<page::JsonTable> tables;
  std::vector<std::string> english;  // sentences of all of these, for the page in the other language
  std::vector<std::string> limits;

  // After a change of `english`: the table of sentences in the other language.
  void SetTexts();
  page::Content Content() const;
};

// --rank and --step-ms as analyze has them. A recording that cannot be judged has an error in place of a verdict.
Result<ReportContent> LoadReport(const std::vector<std::string>& paths, const Args& args, Io& io);

}  // namespace warpscope::cli
