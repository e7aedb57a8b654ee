// The ledger as every JSON document carries it: "ledger": [{name, severity, count, first_offset, message, file}].
// [one thread]
#pragma once

#include <vector>

#include "report/json_writer.h"
#include "view/table.h"

namespace warpscope::report {

void WriteLedger(JsonWriter& json, const std::vector<model::LedgerEntry>& entries);

}  // namespace warpscope::report
