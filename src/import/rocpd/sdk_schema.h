// The tables of rocpd databases of ROCprofiler-SDK by version: where times, process, thread, queue and stream of a row
// lie. [one thread] Source: rocpd_tables.sql of several commits of github.com/ROCm/rocprofiler-sdk.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "import/sqlite/database.h"

namespace warpscope::import::rocpd {

// "_<uuid>" of every set of tables, sorted; "" where the names have none.
std::vector<std::string> TableSuffixes(const Database& database);

// SELECT of `columns` over a table of timed rows ("rocpd_region"). Each is taken from the row, its track, its
// timestamps or its event (stack_id, category_id, event_extdata), wherever this version has it; NULL if nowhere.
std::string SelectTimed(Database& database, std::string_view suffix, std::string_view base,
                        std::initializer_list<std::string_view> columns);

}  // namespace warpscope::import::rocpd
