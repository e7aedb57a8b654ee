// Pack: a finished trace, its verdict and its tables as the sections of a report (docs/formats/report.md).
// [one thread]; starts threads (parallel.h)
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analysis/index.h"
#include "analysis/steps.h"
#include "page/document.h"
#include "page/timeline.h"
#include "rules/where.h"

namespace warpscope::page {

// Strings of names and of tables are cut to this.
inline constexpr size_t kNameBytes = 4096;
// Spans that a file holds at most; `view` pages all of them.
inline constexpr uint64_t kMaxFileSpans = 3'000'000;

struct JsonTable {
  std::string name;  // of the section: "table:kernels", "env", "ledger", "diff"
  std::string json;
};

// Where the timeline shows a finding.
struct FindingPlace {
  size_t finding = 0;  // index in the verdict
  rules::Where where;
};

// What the sections are made of. References must outlive the call.
struct Content {
  const analysis::Index& index;
  const analysis::Steps& steps;
  int64_t origin_ns = 0;
  std::string title;
  std::string verdict_json;  // "": see verdict_error
  std::string verdict_error;
  std::vector<FindingPlace> places;  // by finding, best first
  std::vector<JsonTable> tables;
  std::vector<std::string> limits;   // sentences: what the caller left out already
  bool paged = false;                // spans are asked for later: mode "view"
  std::string_view language = "en";  // of the texts above, and of what the page says itself
};

struct Page {
  std::vector<Section> sections;  // head first
  std::unique_ptr<Names> names;
  std::unique_ptr<Timeline> timeline;
};

Page Pack(const Content& content);

}  // namespace warpscope::page
