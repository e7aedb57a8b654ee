#include "query/present.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpscope::query {
namespace {

using view::Kind;

Status Wrong(std::string message) { return {StatusCode::kInvalidArgument, std::move(message)}; }

std::string WhyEmpty(const Session& session, const NamedQuery& query) {
  for (const std::string& name : query.needs) {
    const Table* table = session.FindTable(name);
    if (table && table->rows().count == 0) return fmt::format("{} is empty. {}", name, table->record);
  }
  return "Nothing of the kind is in the recording.";
}

Result<Parameters> Filled(const NamedQuery& query, const Parameters& given) {
  Parameters parameters;
  for (const QueryParam& param : query.params) parameters[param.name] = param.value;
  for (const auto& [name, value] : given) {
    if (!parameters.contains(name)) {
      std::string known;
      for (const QueryParam& param : query.params) known += (known.empty() ? "" : ", ") + param.name;
      return Wrong(fmt::format("{} has no parameter {}; {}", query.name, name,
                               known.empty() ? "it has none" : "there are: " + known));
    }
    parameters[name] = value;
  }
  return parameters;
}

}  // namespace

Result<view::Table> RunSql(Session& session, std::string_view sql, const Parameters& parameters, uint64_t keep) {
  WS_ASSIGN_OR_RETURN(view::Table table, session.Run(sql, parameters, keep));
  table.name = "query";
  table.title = "Result";
  table.empty_text = table.columns.empty() ? "Done; the statement has no rows." : "No row.";
  table.ledger = session.recording().trace().ledger.Entries();
  return table;
}

Result<view::Table> RunNamed(Session& session, const NamedQuery& query, const Parameters& given, uint64_t keep) {
  WS_ASSIGN_OR_RETURN(const Parameters parameters, Filled(query, given));
  WS_ASSIGN_OR_RETURN(view::Table table, session.Run(query.sql, parameters, keep));
  table.name = "query." + query.name;
  table.title = query.title;
  table.notes.push_back(query.description);
  for (const auto& [name, value] : parameters) table.notes.push_back(fmt::format("--param {}={}", name, value));
  if (table.rows.empty()) table.empty_text = WhyEmpty(session, query);
  table.ledger = session.recording().trace().ledger.Entries();
  return table;
}

view::Table ListTable() {
  view::Table table;
  table.name = "query.list";
  table.title = "Named queries: warpscope query FILE NAME";
  table.columns = {{"name", "name", Kind::kText, 0},
                   {"title", "title", Kind::kName, 0},
                   {"like", "like", Kind::kName, 1},
                   {"aliases", "also", Kind::kName, view::kDataOnly},
                   {"parameters", "parameters", Kind::kName, 2},
                   {"needs", "needs", Kind::kName, view::kDataOnly}};
  for (const NamedQuery& query : NamedQueries()) {
    std::string parameters;
    for (const QueryParam& param : query.params)
      parameters += fmt::format("{}{}={}", parameters.empty() ? "" : " ", param.name, param.value);
    table.rows.push_back({view::Text(query.name), view::Text(query.title), view::Text(query.like),
                          view::Text(fmt::format("{}", fmt::join(query.aliases, " "))), view::Text(parameters),
                          view::Text(fmt::format("{}", fmt::join(query.needs, " ")))});
  }
  for (const NotCarried& reports : NotCarriedReports())
    table.notes.push_back(fmt::format("not carried: {} ({})", reports.names, reports.reason));
  return table;
}

view::Table TablesTable(const Session& session) {
  view::Table table;
  table.name = "query.tables";
  table.title = "Views";
  table.columns = {
      {"view", "view", Kind::kText, 0}, {"rows", "rows", Kind::kExact, 0}, {"meaning", "meaning", Kind::kName, 0}};
  for (const Table& known : session.tables()) {
    table.rows.push_back({view::Text(known.name), view::Int(known.rows().count), view::Text(known.meaning)});
  }
  return table;
}

view::Table ColumnsTable(const Table& described) {
  view::Table table;
  table.name = "query.columns";
  table.title = fmt::format("{}: {}", described.name, described.meaning);
  table.columns = {{"column", "column", Kind::kText, 0},
                   {"type", "type", Kind::kText, 0},
                   {"unit", "unit", Kind::kText, 0},
                   {"meaning", "meaning", Kind::kSentence, 0}};
  for (const query::Column& column : described.columns) {
    table.rows.push_back({view::Text(column.name), view::Text(SqlName(column.type)), view::Text(column.unit),
                          view::Text(column.meaning)});
  }
  return table;
}

void FitToWidth(view::Table& table, size_t columns) {
  constexpr size_t kGap = 2, kTextFloor = 24;
  size_t width = 0;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    size_t widest = table.columns[i].heading.size();
    for (const auto& row : table.rows)
      widest = std::max(widest, view::FormatCell(row[i], table.columns[i].kind).size());
    const bool text = table.columns[i].kind == Kind::kName;
    width += (text ? std::min(widest, kTextFloor) : widest) + kGap;
  }
  if (width <= columns + kGap) return;
  int rank = 0;
  for (view::Column& column : table.columns) {
    ++rank;
    if (column.kind != Kind::kName && rank > 1) column.rank = rank;
  }
}

}  // namespace warpscope::query
