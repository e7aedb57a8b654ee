#include "query/session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "query/catalog.h"
#include "query/cells.h"
#include "query/text.h"

namespace warpscope::query {
namespace {

namespace duckdb = store::duckdb;

// The ids that columns of Type::kName yield: names of rows, and all words that are no text of the trace.
std::vector<bool> NamesOf(const Recording& r) {
  const model::Trace& t = r.trace();
  std::vector<bool> names(r.texts.size(), false);
  const auto mark = [&](model::StringId id) { names[id] = true; };
  std::fill(names.begin() + t.strings.size(), names.end(), true);
  for (const model::StringId id : t.host.name) mark(id);
  for (const model::StringId id : t.gpu.name) mark(id);
  for (const auto& row : t.gpu_annotations) mark(row.name);
  for (const auto& row : t.counters) mark(row.name);
  for (const auto& row : t.collectives) mark(row.name);
  for (const auto& row : t.threads) mark(row.name);
  for (const auto& row : t.kernel_profiles) mark(row.name);
  for (const auto& row : t.metrics) mark(row.name), mark(row.unit);
  for (const auto& row : t.advice) mark(row.section), mark(row.rule);
  for (const auto& row : t.summaries) mark(row.name), mark(row.group);
  for (const auto& row : t.pc_samples) mark(row.function), mark(row.file), mark(row.reason);
  for (const auto& row : t.readings) mark(row.name), mark(row.unit);
  // Words that are texts of the trace as well.
  for (const uint32_t id : r.texts.words_of_pool()) mark(id);
  return names;
}

uint64_t MemoryLimitBytes() {
  const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || page_bytes <= 0) return 0;
  return static_cast<uint64_t>(pages) * static_cast<uint64_t>(page_bytes) / 2;
}

template <typename T>
std::optional<T> Whole(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

duckdb::Parameter ValueOf(const std::string& text) {
  if (const auto whole = Whole<int64_t>(text)) return *whole;
  if (const auto number = Whole<double>(text)) return *number;
  return text;
}

}  // namespace

Result<std::unique_ptr<Session>> Session::Open(const analysis::Index& index, const SessionOptions& options) {
  std::unique_ptr<Session> session(new Session(index));
  session->tables_ = BuildCatalog(session->recording_);
  duckdb::Options settings;
  settings.threads = options.threads > 0 ? options.threads : 1;
  settings.memory_bytes = MemoryLimitBytes();
  WS_ASSIGN_OR_RETURN(auto database, duckdb::Database::Open(settings));
  session->database_ = std::make_unique<duckdb::Database>(std::move(database));
  WS_ASSIGN_OR_RETURN(auto connection, session->database_->Connect());
  session->connection_ = std::make_unique<duckdb::Connection>(std::move(connection));
  session->texts_ =
      std::make_unique<SqlTexts>(*session->connection_->api(), session->recording_, NamesOf(session->recording_));
  for (const Table& table : session->tables_) {
    WS_RETURN_IF_ERROR(RegisterView(*session->connection_, table, *session->texts_));
  }
  return session;
}

const Table* Session::FindTable(std::string_view name) const {
  const auto found =
      std::find_if(tables_.begin(), tables_.end(), [&](const Table& table) { return table.name == name; });
  return found == tables_.end() ? nullptr : &*found;
}

Result<view::Table> Session::Run(std::string_view sql, const Parameters& parameters, uint64_t keep) {
  const Numbered numbered = NumberParameters(sql);
  std::vector<duckdb::Parameter> values;
  for (const std::string& name : numbered.names) {
    const auto found = parameters.find(name);
    if (found == parameters.end()) {
      return Status(StatusCode::kInvalidArgument,
                    fmt::format("${} has no value; give it with --param {}=VALUE", name, name));
    }
    values.push_back(ValueOf(found->second));
  }
  for (const auto& [name, value] : parameters) {
    if (std::find(numbered.names.begin(), numbered.names.end(), name) == numbered.names.end()) {
      return Status(StatusCode::kInvalidArgument, fmt::format("--param {}: the SQL has no ${}", name, name));
    }
  }
  const std::vector<std::string> statements = SplitStatements(numbered.sql);
  for (size_t i = 0; i + 1 < statements.size(); ++i) {
    const Status status = connection_->Run(statements[i]);
    if (!status.ok()) return Status(status.code(), ExplainError(status.message(), statements[i]));
  }
  const std::string& last = statements.empty() ? numbered.sql : statements.back();
  auto table = Fetch(last, values, keep);
  if (!table.ok()) return Status(table.status().code(), ExplainError(table.status().message(), last));
  return table;
}

Result<view::Table> Session::Fetch(const std::string& sql, const std::vector<duckdb::Parameter>& values,
                                   uint64_t keep) {
  WS_ASSIGN_OR_RETURN(duckdb::Rows rows, connection_->Query(sql, values, duckdb::Connection::Mode::kStreamed));
  const CellReader reader(rows.columns());
  if (reader.reads_all()) return Collect(rows, keep);
  // Lists, structures, times: DuckDB writes them as text.
  WS_ASSIGN_OR_RETURN(duckdb::Rows texts,
                      connection_->Query(reader.WithTexts(sql), values, duckdb::Connection::Mode::kStreamed));
  return Collect(texts, keep);
}

Result<view::Table> Session::Collect(duckdb::Rows& rows, uint64_t keep) {
  view::Table table;
  table.name = "query";
  const CellReader reader(rows.columns());
  for (const duckdb::ColumnInfo& column : rows.columns()) {
    table.columns.push_back({column.name, column.name, reader.KindOf(table.columns.size()), 0});
  }
  for (;;) {
    WS_ASSIGN_OR_RETURN(const std::optional<duckdb::Chunk> chunk, rows.Next());
    if (!chunk) return table;
    for (size_t row = 0; row < chunk->size(); ++row) {
      if (keep > 0 && table.rows.size() == keep) {
        table.rows_left_out += chunk->size() - row;
        break;
      }
      table.rows.push_back(reader.Read(*chunk, row));
    }
  }
}

}  // namespace warpscope::query
