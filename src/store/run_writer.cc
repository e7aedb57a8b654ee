#include "store/run_writer.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>
#include <vector>

#include "store/manifest.h"
#include "store/schema.h"

namespace warpscope::store {
namespace {

namespace fs = std::filesystem;

// Large enough that dictionaries pay, small enough that two threads share the reading of a million rows.
constexpr uint64_t kRowGroupRows = 245760;

duckdb::Table MakeTable(const TableSchema& schema, const Writing& from) {
  duckdb::Table table{"run_" + schema.name, schema.rows(from.trace), {}, /*in_order=*/true};
  for (const Field& field : schema.fields) {
    table.columns.push_back(
        {field.name, field.type, [&from, &write = field.write](uint64_t begin, size_t count, duckdb::ColumnWriter& to) {
           write(from, begin, count, to);
         }});
  }
  return table;
}

std::string CopySql(const TableSchema& schema, const std::string& path) {
  return "COPY (SELECT * FROM run_" + schema.name + "()) TO " + duckdb::Quote(path) +
         " (FORMAT parquet, COMPRESSION zstd, PARQUET_VERSION v2, ROW_GROUP_SIZE " + std::to_string(kRowGroupRows) +
         ", STRING_DICTIONARY_PAGE_SIZE_LIMIT 16777216)";
}

Status WriteTable(const duckdb::Database& database, const TableSchema& schema, const Writing& from,
                  const std::string& path) {
  WS_ASSIGN_OR_RETURN(duckdb::Connection connection, database.Connect());
  WS_RETURN_IF_ERROR(duckdb::RegisterTable(connection, MakeTable(schema, from)));
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  const Status status = connection.Run(CopySql(schema, path));
  if (status.ok()) return status;
  return {StatusCode::kOutput, path + ": could not be written: " + status.message()};
}

Status WriteManifest(const Manifest& manifest, const std::string& path) {
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  std::ofstream file(path, std::ios::binary);
  file << ToJson(manifest);
  file.close();
  return file ? Status::Ok() : Status(StatusCode::kOutput, path + ": could not be written. Is the disk full?");
}

// The tables that have rows, the largest first: the last one to end should be small.
std::vector<const TableSchema*> InOrderOfSize(const model::Trace& trace) {
  std::vector<const TableSchema*> tables;
  for (const TableSchema& schema : Schema()) {
    if (schema.rows(trace) > 0) tables.push_back(&schema);
  }
  std::stable_sort(tables.begin(), tables.end(),
                   [&](const auto* a, const auto* b) { return a->rows(trace) > b->rows(trace); });
  return tables;
}

}  // namespace

Result<WrittenRun> WriteRun(const model::Trace& trace, const RunPlace& place, const WriteOptions& options) {
  std::error_code error;
  const fs::path folder = fs::absolute(place.folder, error);
  duckdb::Options database_options;
  database_options.threads = 1;  // rows of a table come in order; the tables are written side by side
  database_options.folders = {folder.string()};
  WS_ASSIGN_OR_RETURN(const duckdb::Database database, duckdb::Database::Open(database_options));
  const WritableTexts texts(trace.strings);
  const Writing from{trace, texts, trace.ledger.Entries()};
  const std::vector<const TableSchema*> tables = InOrderOfSize(trace);
  Manifest manifest;
  uint64_t all_rows = 0;
  for (const TableSchema* table : tables) all_rows += manifest.rows[table->name] = table->rows(trace);

  std::atomic<size_t> next{0};
  std::atomic<uint64_t> done_rows{0};
  std::mutex mutex;
  Status failure;
  const auto work = [&](bool reports) {
    for (size_t i = next++; i < tables.size(); i = next++) {
      Status status = WriteTable(database, *tables[i], from, (folder / place.TableFile(tables[i]->name)).string());
      done_rows += tables[i]->rows(trace);
      if (reports && options.progress) options.progress(static_cast<double>(done_rows) / static_cast<double>(all_rows));
      if (status.ok()) continue;
      const std::lock_guard lock(mutex);
      if (failure.ok()) failure = std::move(status);
      next = tables.size();
    }
  };
  const unsigned cores = options.threads > 0 ? options.threads : std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> others;
  for (size_t i = 1; i < std::min<size_t>(cores, tables.size()); ++i) others.emplace_back(work, false);
  work(true);
  for (std::thread& thread : others) thread.join();
  WS_RETURN_IF_ERROR(failure);
  WS_RETURN_IF_ERROR(WriteManifest(manifest, (folder / place.ManifestFile()).string()));
  return WrittenRun{texts.repaired_count()};
}

}  // namespace warpscope::store
