// The tables that a report holds: those of the table commands, with the rows that they would print.
// [one thread]; starts threads that end with the call: a table each, kept in their order.
#pragma once

#include <vector>

#include "cli/loaded.h"
#include "lang/language.h"
#include "page/pack.h"

namespace warpscope::cli {

// Rows of a table that a report holds.
inline constexpr size_t kReportRows = 5000;

// Only those with rows, in display order, named "table:kernels", "table:kernels:geometry" (a command and what its --by
// says), then "env" and "ledger". Afterwards the trace also holds what follows from sampled counters
// (AddSampledProfiles). Adds a sentence to `limits` for each that was cut, and their texts to `english`.
std::vector<page::JsonTable> ReportTables(const Loaded& loaded, lang::Language language,
                                          std::vector<std::string>* limits, std::vector<std::string>* english);

}  // namespace warpscope::cli
