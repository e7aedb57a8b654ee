// Prints faults::Report for people and for programs, and entries of the catalogue. [MT] Pure.
#pragma once

#include <span>
#include <string>

#include "faults/report.h"
#include "faults/run_join.h"
#include "report/terminal.h"

namespace warpscope::report {

struct FaultsOptions {
  bool all = false;                      // every incident in full, and the whole timeline
  const faults::RunJoin* run = nullptr;  // beside which run the faults came; null without one
};

std::string FaultsText(const faults::Report& report, const Terminal& terminal, const FaultsOptions& options);
// docs/schema/faults.md. `exit_code`: what the program will end with.
std::string FaultsJson(const faults::Report& report, int exit_code, const faults::RunJoin* run = nullptr);

std::string EntriesText(std::span<const faults::Entry* const> entries, const Terminal& terminal);
std::string EntriesJson(std::span<const faults::Entry* const> entries);

}  // namespace warpscope::report
