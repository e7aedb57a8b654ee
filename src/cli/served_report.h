// The report as `view` serves it: the page with its head alone, sections as they are asked for, spans by range.
// [MT] Immutable once made.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "cli/report_content.h"
#include "page/pager.h"
#include "serve/loopback.h"

namespace warpscope::cli {

class ServedReport {
 public:
  explicit ServedReport(std::string token) : token_(std::move(token)) {}  // use Make()
  // kCorrupt as FillTemplate().
  static Result<std::unique_ptr<ServedReport>> Make(const ReportContent& content, const std::string& page_text,
                                                    std::string token);

  const std::string& token() const { return token_; }
  // "/TOKEN/", "/TOKEN/section/NAME", "/TOKEN/spans?track=ID&from=NS&to=NS&px=N".
  serve::Answer Handle(std::string_view target) const;

 private:
  serve::Answer Spans(std::string_view query) const;

  std::string token_, policy_;
  std::shared_ptr<const std::string> html_;
  std::map<std::string, std::shared_ptr<const std::string>, std::less<>> sections_;
  page::Page page_;
  std::unique_ptr<page::Pager> pager_;
};

}  // namespace warpscope::cli
