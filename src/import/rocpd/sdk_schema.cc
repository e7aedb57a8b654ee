#include "import/rocpd/sdk_schema.h"

#include <set>

namespace warpscope::import::rocpd {

std::vector<std::string> TableSuffixes(const Database& database) {
  std::set<std::string> found;
  for (const std::string& table : database.tables()) {
    for (const std::string_view base :
         {"rocpd_kernel_dispatch", "rocpd_region", "rocpd_memory_copy", "rocpd_info_process"}) {
      if (table.rfind(base, 0) == 0) found.insert(table.substr(base.size()));
    }
  }
  // Plain names are views over the sets then.
  if (found.size() > 1) found.erase("");
  return {found.begin(), found.end()};
}

std::string SelectTimed(Database& database, std::string_view suffix, std::string_view base,
                        std::initializer_list<std::string_view> columns) {
  const auto name = [&](std::string_view start) { return std::string(start) + std::string(suffix); };
  const std::string table = name(base), track = name("rocpd_track"), event = name("rocpd_event"),
                    stamps = QuoteName(name("rocpd_timestamp"));
  const bool has_track = database.HasColumn(table, "track_id") && database.HasTable(track);
  const bool has_event = database.HasColumn(table, "event_id") && database.HasTable(event);
  std::string sql = "SELECT ";
  for (const std::string_view column : columns) {
    const std::string_view of_event = column == "event_extdata" ? std::string_view("extdata") : column;
    const bool is_event = column == "stack_id" || column == "category_id" || column == "event_extdata";
    if (sql.size() > 7) sql += ", ";
    if (is_event) sql += has_event && database.HasColumn(event, of_event) ? "V." + QuoteName(of_event) : "NULL";
    else if (database.HasColumn(table, column)) sql += "R." + QuoteName(column);
    else if (has_track && database.HasColumn(track, column)) sql += "T." + QuoteName(column);
    else if (column == "start" && database.HasColumn(table, "start_id")) sql += "B.value";
    else if (column == "end" && database.HasColumn(table, "end_id")) sql += "E.value";
    else if (column == "timestamp" && database.HasColumn(table, "timestamp_id")) sql += "B.value";
    else sql += "NULL";
  }
  sql += " FROM " + QuoteName(table) + " R";
  if (has_track) sql += " LEFT JOIN " + QuoteName(track) + " T ON T.id = R.track_id";
  for (const auto& [column, alias] :
       {std::pair("start_id", "B"), std::pair("timestamp_id", "B"), std::pair("end_id", "E")}) {
    if (database.HasColumn(table, column))
      sql += " LEFT JOIN " + stamps + " " + alias + " ON " + alias + ".id = R." + column;
  }
  if (has_event) sql += " LEFT JOIN " + QuoteName(event) + " V ON V.id = R.event_id";
  return sql;
}

}  // namespace warpscope::import::rocpd
