// Questions and answers as tables ready to print. [one thread], as the session.
#pragma once

#include <string_view>

#include "base/status.h"
#include "query/named.h"
#include "query/session.h"
#include "view/table.h"

namespace warpscope::query {

// With the recording's ledger beside it. `keep` as in Session::Run.
Result<view::Table> RunSql(Session& session, std::string_view sql, const Parameters& parameters, uint64_t keep);
// With title, notes, and what to record where it has no answer. `parameters` replace defaults; unknown ones are
// refused.
Result<view::Table> RunNamed(Session& session, const NamedQuery& query, const Parameters& parameters, uint64_t keep);

view::Table ListTable();                          // the named queries
view::Table TablesTable(const Session& session);  // the views, with their rows
view::Table ColumnsTable(const Table& table);     // the columns of one

// Where the rows do not fit into `columns`, numbers may be left out, later ones first; texts stay.
void FitToWidth(view::Table& table, size_t columns);

}  // namespace warpscope::query
