// TableJson and TableCsv: the raw cells.
#include <fmt/format.h>

#include <algorithm>

#include "report/json_writer.h"
#include "report/ledger_json.h"
#include "report/table_report.h"
#include "report/text.h"

namespace warpscope::report {
namespace {

size_t RowsShown(const view::Table& table, size_t limit) {
  return limit == 0 ? table.rows.size() : std::min(limit, table.rows.size());
}

void WriteCell(JsonWriter& json, const view::Cell& cell) {
  if (const auto* integer = std::get_if<int64_t>(&cell)) return json.Int(*integer);
  if (const auto* number = std::get_if<double>(&cell)) return json.Double(*number);
  if (const auto* text = std::get_if<std::string>(&cell)) return json.String(*text);
  json.Null();
}

void WriteTexts(JsonWriter& json, std::string_view key, const std::vector<std::string>& texts) {
  json.Key(key);
  json.BeginArray();
  for (const std::string& text : texts) json.String(text);
  json.EndArray();
}

std::string CsvField(std::string text) {
  // Names come from other people's files: a leading = + - @ or tab would be run as a formula by spreadsheets.
  if (!text.empty() && std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos) text.insert(0, "'");
  std::erase(text, '\0');
  if (text.find_first_of("\",\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string CsvCell(const view::Cell& cell) {
  if (const auto* integer = std::get_if<int64_t>(&cell)) return fmt::format("{}", *integer);
  if (const auto* number = std::get_if<double>(&cell)) return fmt::format("{}", *number);
  if (const auto* text = std::get_if<std::string>(&cell))
    return CsvField(Clean(*text, true));  // it may land on a terminal
  return {};
}

}  // namespace

std::string TableJson(const view::Table& table, size_t limit) {
  using Layout = JsonWriter::Layout;
  JsonWriter json;
  json.BeginObject();
  json.Key("schema");
  json.String(table.schema());
  json.Key("title");
  json.String(table.title);
  WriteTexts(json, "summary", table.summary);
  json.Key("columns");
  json.BeginArray();
  for (const view::Column& column : table.columns) {
    json.BeginObject(Layout::kCompact);
    json.Key("name");
    json.String(column.name);
    json.Key("unit");
    json.String(view::UnitName(column.kind));
    json.EndObject();
  }
  json.EndArray();
  json.Key("rows");
  json.BeginArray();
  for (size_t row = 0; row < RowsShown(table, limit); ++row) {
    json.BeginArray(Layout::kCompact);
    for (const view::Cell& cell : table.rows[row]) WriteCell(json, cell);
    json.EndArray();
  }
  json.EndArray();
  json.Key("row_count");
  json.UInt(table.rows.size() + table.rows_left_out);
  WriteTexts(json, "notes", table.notes);
  WriteLedger(json, table.ledger);
  json.EndObject();
  return json.Take();
}

std::string TableCsv(const view::Table& table, size_t limit) {
  std::string out;
  const auto line = [&](const auto& items, auto field) {
    bool first = true;
    for (const auto& item : items) {
      if (!first) out += ',';
      out += field(item);
      first = false;
    }
    out += "\r\n";
  };
  line(table.columns, [](const view::Column& column) { return CsvField(column.name); });
  for (size_t row = 0; row < RowsShown(table, limit); ++row) line(table.rows[row], CsvCell);
  return out;
}

}  // namespace warpscope::report
