#include "store/table_reader.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace warpscope::store {
namespace {

namespace c = duckdb::c;

Status Corrupt(const TableFile& file, const std::string& what) {
  return {StatusCode::kCorrupt, file.name + ": " + what + ". Convert the recording again."};
}

const char* SqlType(duckdb::Type type) {
  switch (type) {
    case duckdb::Type::kDouble: return "DOUBLE";
    case duckdb::Type::kBool: return "BOOLEAN";
    case duckdb::Type::kText: return "VARCHAR";
    default: return "BIGINT";
  }
}

// What one query stores through; lives as long as the query.
class Sink {
 public:
  Sink(const c::Api* api, const TableFile& file, std::vector<const Field*> fields, uint64_t first_row,
       const Reading& reading, bool may_intern)
      : api_(api),
        file_(file),
        fields_(std::move(fields)),
        first_row_(first_row),
        reading_(reading),
        may_intern_(may_intern) {}

  // [MT] Stores a chunk: column 0 is the row's number in the file, then the fields. "" or what is wrong.
  std::string Store(c::DataChunk chunk);
  uint64_t stored_rows() const { return stored_rows_; }

 private:
  std::string StoreFields(c::DataChunk chunk, uint64_t number, size_t rows, Reading& reading);
  std::unique_ptr<Texts> TakeTexts();
  void GiveBack(std::unique_ptr<Texts> texts);

  const c::Api* api_;
  const TableFile& file_;
  std::vector<const Field*> fields_;
  uint64_t first_row_;
  const Reading& reading_;
  bool may_intern_;
  std::atomic<uint64_t> stored_rows_{0};
  std::mutex mutex_;
  std::vector<std::unique_ptr<Texts>> idle_;
};

std::unique_ptr<Texts> Sink::TakeTexts() {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) return std::make_unique<Texts>(&reading_.trace->strings, may_intern_);
  auto texts = std::move(idle_.back());
  idle_.pop_back();
  return texts;
}

void Sink::GiveBack(std::unique_ptr<Texts> texts) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(texts));
}

std::string Sink::StoreFields(c::DataChunk chunk, uint64_t number, size_t rows, Reading& reading) {
  for (size_t i = 0; i < fields_.size(); ++i) {
    const c::Vector vector = api_->data_chunk_get_vector(chunk, i + 1);
    const Cells cells{api_->vector_get_data(vector), api_->vector_get_validity(vector), rows};
    const size_t bad = fields_[i]->read(cells, first_row_ + number, reading);
    if (bad < cells.count) {
      return "row " + std::to_string(number + bad) + ", column " + fields_[i]->name +
             (cells.Null(bad) ? ": no value where one is needed" : ": this value cannot be");
    }
  }
  return {};
}

std::string Sink::Store(c::DataChunk chunk) {
  const size_t rows = api_->data_chunk_get_size(chunk);
  if (rows == 0) return {};
  const auto* numbers = static_cast<const int64_t*>(api_->vector_get_data(api_->data_chunk_get_vector(chunk, 0)));
  for (size_t i = 0; i < rows; ++i) {
    if (numbers[i] != numbers[0] + static_cast<int64_t>(i)) return "its rows do not follow each other";
  }
  if (numbers[0] < 0 || static_cast<uint64_t>(numbers[0]) + rows > file_.rows) return "it has more rows than it says";
  auto texts = TakeTexts();
  Reading reading = reading_;
  reading.texts = texts.get();
  std::string wrong = StoreFields(chunk, static_cast<uint64_t>(numbers[0]), rows, reading);
  GiveBack(std::move(texts));
  stored_rows_ += rows;
  return wrong;
}

void Body(c::FunctionInfo info, c::DataChunk input, c::Vector output) {
  static const c::Api* const api = duckdb::Load().value();
  auto* sink = static_cast<Sink*>(api->scalar_function_get_extra_info(info));
  const std::string wrong = sink->Store(input);
  if (!wrong.empty()) {
    api->scalar_function_set_error(info, wrong.c_str());
    return;
  }
  auto* out = static_cast<int64_t*>(api->vector_get_data(output));
  const size_t rows = api->data_chunk_get_size(input);
  for (size_t i = 0; i < rows; ++i) out[i] = 0;
}

Status Register(duckdb::Connection& connection, const std::string& name, const std::vector<const Field*>& fields,
                Sink* sink) {
  const c::Api* api = connection.api();
  c::ScalarFunction function = api->create_scalar_function();
  api->scalar_function_set_name(function, name.c_str());
  const auto add = [&](c::TypeId id, bool result) {
    c::LogicalType type = api->create_logical_type(id);
    result ? api->scalar_function_set_return_type(function, type) : api->scalar_function_add_parameter(function, type);
    api->destroy_logical_type(&type);
  };
  add(c::kBigInt, false);
  for (const Field* field : fields) add(duckdb::TypeIdOf(field->type), false);
  add(c::kBigInt, true);
  api->scalar_function_set_special_handling(function);  // NULLs come in too
  api->scalar_function_set_volatile(function);
  api->scalar_function_set_extra_info(function, sink, [](void*) {});
  api->scalar_function_set_function(function, &Body);
  const c::State state = api->register_scalar_function(connection.raw(), function);
  api->destroy_scalar_function(&function);
  return state == c::kSuccess ? Status::Ok() : Status(StatusCode::kInvalidArgument, "DuckDB refused " + name);
}

// The columns that are in the file and are read; kCorrupt if a needed one is not.
Result<std::vector<const Field*>> Present(duckdb::Connection& connection, const TableSchema& schema,
                                          const TableFile& file) {
  auto described = connection.Query("SELECT * FROM read_parquet(" + duckdb::Quote(file.path) + ") LIMIT 0");
  if (!described.ok()) return Corrupt(file, "not a readable Parquet file: " + described.status().message());
  std::map<std::string, bool> columns;
  for (const duckdb::ColumnInfo& column : described->columns()) columns[column.name] = true;
  std::vector<const Field*> fields;
  for (const Field& field : schema.fields) {
    if (!field.read) continue;
    if (columns.contains(field.name)) {
      fields.push_back(&field);
    } else if (field.needed) {
      return Corrupt(file, "column " + field.name + " is missing");
    }
  }
  return fields;
}

}  // namespace

Status ReadTable(duckdb::Connection& connection, const TableSchema& schema, const TableFile& file, uint64_t first_row,
                 const Reading& reading, bool may_intern) {
  WS_ASSIGN_OR_RETURN(const std::vector<const Field*> fields, Present(connection, schema, file));
  Sink sink(connection.api(), file, fields, first_row, reading, may_intern);
  const std::string name = "store_" + schema.name;
  WS_RETURN_IF_ERROR(Register(connection, name, fields, &sink));
  std::string sql = "SELECT max(" + name + "(file_row_number";
  for (const Field* field : fields) sql += ", " + duckdb::QuoteName(field->name) + "::" + SqlType(field->type);
  sql += ")) FROM read_parquet(" + duckdb::Quote(file.path) + ", file_row_number = true)";
  const Status status = connection.Run(sql);
  if (!status.ok()) return Corrupt(file, status.message());
  if (sink.stored_rows() != file.rows)
    return Corrupt(file, "it has " + std::to_string(sink.stored_rows()) + " rows, not " + std::to_string(file.rows));
  return Status::Ok();
}

}  // namespace warpscope::store
