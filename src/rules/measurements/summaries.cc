// What tables of totals alone show.
#include <fmt/format.h>

#include "rules/measurements/measurements.h"
#include "rules/text.h"

namespace warpscope::rules {

bool JudgeSummaries(const model::Trace& trace, const std::string&, Verdict& verdict) {
  const model::SummaryRow* largest = nullptr;
  for (const model::SummaryRow& row : trace.summaries) {
    if (row.total_ns && (largest == nullptr || *row.total_ns > *largest->total_ns)) largest = &row;
  }
  if (trace.summaries.empty()) return false;
  verdict.answer = "The file holds totals only";
  if (largest != nullptr)
    verdict.answer += fmt::format("; the largest is {} with {}", trace.Text(largest->name),
                                  Ms(static_cast<double>(*largest->total_ns) / 1e6));
  verdict.answer += ".";
  return true;
}

}  // namespace warpscope::rules
