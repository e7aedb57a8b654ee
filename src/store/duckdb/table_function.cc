#include "store/duckdb/table_function.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>

namespace warpscope::store::duckdb {
namespace {

struct Registered {
  const c::Api* api;
  Table table;
};

// One scan of one query.
struct Scan {
  std::atomic<uint64_t> next_row{0};
  std::vector<uint64_t> columns;  // those that the query names
};

template <typename T>
void Destroy(void* data) {
  std::unique_ptr<T>(static_cast<T*>(data)).reset();
}

// REQUIRES: loaded, which whoever registered the table did.
const c::Api& Functions() {
  static const c::Api* const api = Load().value();
  return *api;
}

void Bind(c::BindInfo info) {
  const auto* self = static_cast<Registered*>(Functions().bind_get_extra_info(info));
  for (const Column& column : self->table.columns) {
    c::LogicalType type = Functions().create_logical_type(TypeIdOf(column.type));
    Functions().bind_add_result_column(info, column.name.c_str(), type);
    Functions().destroy_logical_type(&type);
  }
  Functions().bind_set_cardinality(info, self->table.rows, true);
}

void Init(c::InitInfo info) {
  const auto* self = static_cast<Registered*>(Functions().init_get_extra_info(info));
  auto scan = std::make_unique<Scan>();
  const uint64_t count = Functions().init_get_column_count(info);
  for (uint64_t i = 0; i < count; ++i) scan->columns.push_back(Functions().init_get_column_index(info, i));
  const uint64_t batches = self->table.rows / 65536 + 1;
  Functions().init_set_max_threads(info, self->table.in_order ? 1 : batches);
  Functions().init_set_init_data(info, scan.release(), &Destroy<Scan>);
}

void Fill(c::FunctionInfo info, c::DataChunk output) {
  const auto* self = static_cast<Registered*>(Functions().function_get_extra_info(info));
  auto* scan = static_cast<Scan*>(Functions().function_get_init_data(info));
  static const uint64_t kBatch = Functions().vector_size();
  const uint64_t begin = scan->next_row.fetch_add(kBatch);
  const uint64_t rows = begin < self->table.rows ? std::min(kBatch, self->table.rows - begin) : 0;
  for (size_t i = 0; rows > 0 && i < scan->columns.size(); ++i) {
    // SELECT count(*) names a column that is none.
    if (scan->columns[i] >= self->table.columns.size()) continue;
    ColumnWriter writer(&Functions(), Functions().data_chunk_get_vector(output, i));
    self->table.columns[scan->columns[i]].fill(begin, rows, writer);
  }
  Functions().data_chunk_set_size(output, rows);
}

}  // namespace

void ColumnWriter::SetLastingText(size_t row, std::string_view text) {
  constexpr size_t kInside = 12;
  if (text.size() <= kInside || text.size() > UINT32_MAX) {
    SetText(row, text);
    return;
  }
  c::String value{};
  value.length = static_cast<uint32_t>(text.size());
  std::memcpy(value.prefix, text.data(), sizeof(value.prefix));
  value.pointer = text.data();
  Data<c::String>()[row] = value;
}

void ColumnWriter::SetNull(size_t row) {
  if (valid_ == nullptr) {
    api_->vector_ensure_validity_writable(vector_);
    valid_ = api_->vector_get_validity(vector_);
  }
  valid_[row / 64] &= ~(uint64_t{1} << (row % 64));
}

c::TypeId TypeIdOf(Type type) {
  switch (type) {
    case Type::kBool: return c::kBoolean;
    case Type::kInt32: return c::kInteger;
    case Type::kInt64: return c::kBigInt;
    case Type::kUInt8: return c::kUTinyInt;
    case Type::kUInt16: return c::kUSmallInt;
    case Type::kUInt32: return c::kUInteger;
    case Type::kUInt64: return c::kUBigInt;
    case Type::kDouble: return c::kDouble;
    case Type::kText: return c::kVarchar;
  }
  return c::kInvalid;
}

Status RegisterTable(Connection& connection, Table table) {
  const c::Api* api = connection.api();
  const std::string name = table.name;
  c::TableFunction function = api->create_table_function();
  api->table_function_set_name(function, name.c_str());
  auto self = std::make_unique<Registered>(Registered{api, std::move(table)});
  api->table_function_set_extra_info(function, self.release(), &Destroy<Registered>);
  api->table_function_set_bind(function, &Bind);
  api->table_function_set_init(function, &Init);
  api->table_function_set_function(function, &Fill);
  api->table_function_supports_projection_pushdown(function, true);
  const c::State state = api->register_table_function(connection.raw(), function);
  api->destroy_table_function(&function);
  if (state == c::kSuccess) return Status::Ok();
  return {StatusCode::kInvalidArgument, "DuckDB refused the table " + name};
}

}  // namespace warpscope::store::duckdb
