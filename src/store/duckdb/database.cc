#include "store/duckdb/database.h"

#include <utility>

namespace warpscope::store::duckdb {
namespace {

Status Failed(const char* words) {
  return {StatusCode::kInvalidArgument, words != nullptr && *words != '\0' ? words : "DuckDB failed without a word"};
}

std::string Doubled(std::string_view text, char quote) {
  std::string out(1, quote);
  for (const char ch : text) {
    out += ch;
    if (ch == quote) out += ch;
  }
  return out += quote;
}

std::string List(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) out += (out.size() > 1 ? ", " : "") + Quote(text);
  return out + "]";
}

// Settings that close the machine to SQL come last: from then on no statement can open it again.
std::string Setup(const Options& options) {
  std::string sql =
      "SET allow_community_extensions=false; SET allow_persistent_secrets=false;"
      "SET autoinstall_known_extensions=false; SET autoload_known_extensions=false;"
      "SET enable_progress_bar=false;";
  if (options.threads > 0) sql += "SET threads=" + std::to_string(options.threads) + ";";
  if (options.memory_bytes > 0) sql += "SET memory_limit='" + std::to_string(options.memory_bytes >> 10) + "KiB';";
  sql += "SET temp_directory=" + Quote(options.spill_folder) + ";";
  sql += std::string("SET preserve_insertion_order=") + (options.keep_order ? "true" : "false") + ";";
  if (!options.files.empty()) sql += "SET allowed_paths=" + List(options.files) + ";";
  if (!options.folders.empty()) sql += "SET allowed_directories=" + List(options.folders) + ";";
  return sql + "SET enable_external_access=false; SET lock_configuration=true;";
}

}  // namespace

struct Connection::Handle {
  const c::Api* api;
  c::Database raw = nullptr;
  explicit Handle(const c::Api* table) : api(table) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (raw != nullptr) api->close(&raw);
  }
};

std::string Quote(std::string_view text) { return Doubled(text, '\''); }
std::string QuoteName(std::string_view name) { return Doubled(name, '"'); }

Chunk::Chunk(const c::Api* api, c::DataChunk chunk) : api_(api), chunk_(chunk), size_(api->data_chunk_get_size(chunk)) {
  const uint64_t columns = api->data_chunk_get_column_count(chunk);
  for (uint64_t i = 0; i < columns; ++i) {
    const c::Vector vector = api->data_chunk_get_vector(chunk, i);
    data_.push_back(api->vector_get_data(vector));
    valid_.push_back(api->vector_get_validity(vector));
  }
}

Chunk& Chunk::operator=(Chunk&& other) noexcept {
  std::swap(api_, other.api_);
  std::swap(chunk_, other.chunk_);
  std::swap(size_, other.size_);
  data_.swap(other.data_);
  valid_.swap(other.valid_);
  return *this;
}

Chunk::~Chunk() {
  if (chunk_ != nullptr) api_->destroy_data_chunk(&chunk_);
}

Rows::Rows(const c::Api* api, c::QueryResult result) : api_(api), result_(result) {
  has_rows_ = api->result_return_type(result) == c::kRows;
  if (!has_rows_) changed_ = api->rows_changed(&result_);
  const uint64_t count = has_rows_ ? api->column_count(&result_) : 0;
  for (uint64_t i = 0; i < count; ++i) {
    ColumnInfo info{api->column_name(&result_, i), api->column_type(&result_, i), 0, c::kInvalid, {}};
    c::LogicalType type = api->column_logical_type(&result_, i);
    if (info.type == c::kDecimal) {
      info.decimal_scale = api->decimal_scale(type);
      info.stored_as = api->decimal_internal_type(type);
    } else if (info.type == c::kEnum) {
      info.stored_as = api->enum_internal_type(type);
      const uint32_t texts = api->enum_dictionary_size(type);
      for (uint32_t text = 0; text < texts; ++text) {
        char* words = api->enum_dictionary_value(type, text);
        info.enum_texts.emplace_back(words);
        api->free(words);
      }
    }
    api->destroy_logical_type(&type);
    columns_.push_back(std::move(info));
  }
}

Rows::Rows(Rows&& other) noexcept
    : api_(other.api_),
      result_(other.result_),
      columns_(std::move(other.columns_)),
      has_rows_(other.has_rows_),
      changed_(other.changed_) {
  other.result_ = {};
}

Rows::~Rows() {
  if (result_.internal != nullptr) api_->destroy_result(&result_);
}

Result<std::optional<Chunk>> Rows::Next() {
  if (!has_rows_) return std::optional<Chunk>();
  const c::DataChunk chunk = api_->fetch_chunk(result_);
  if (chunk != nullptr) return std::optional<Chunk>(Chunk(api_, chunk));
  const char* error = api_->result_error(&result_);
  if (error != nullptr && *error != '\0') return Failed(error);
  return std::optional<Chunk>();
}

Connection::~Connection() {
  if (raw_ != nullptr) api_->disconnect(&raw_);
}

Result<c::Prepared> Connection::Prepare(c::Extracted extracted, uint64_t index) {
  c::Prepared prepared = nullptr;
  if (api_->prepare_extracted_statement(raw_, extracted, index, &prepared) == c::kSuccess) return prepared;
  Status status = Failed(api_->prepare_error(prepared));
  api_->destroy_prepare(&prepared);
  return status;
}

Status Connection::Bind(c::Prepared prepared, std::span<const Parameter> parameters) {
  for (uint64_t i = 0; i < parameters.size(); ++i) {
    c::State state = c::kSuccess;
    if (const auto* number = std::get_if<int64_t>(&parameters[i])) {
      state = api_->bind_int64(prepared, i + 1, *number);
    } else if (const auto* real = std::get_if<double>(&parameters[i])) {
      state = api_->bind_double(prepared, i + 1, *real);
    } else if (const auto* text = std::get_if<std::string>(&parameters[i])) {
      state = api_->bind_varchar_length(prepared, i + 1, text->data(), text->size());
    } else {
      state = api_->bind_null(prepared, i + 1);
    }
    if (state != c::kSuccess) return Failed(api_->prepare_error(prepared));
  }
  return Status::Ok();
}

Result<Rows> Connection::Query(const std::string& sql, std::span<const Parameter> parameters, Mode mode) {
  struct Cleanup {
    const c::Api* api;
    c::Extracted extracted = nullptr;
    c::Prepared prepared = nullptr;
    c::Pending pending = nullptr;
    ~Cleanup() {
      if (pending != nullptr) api->destroy_pending(&pending);
      if (prepared != nullptr) api->destroy_prepare(&prepared);
      if (extracted != nullptr) api->destroy_extracted(&extracted);
    }
  } held{api_};
  const uint64_t count = api_->extract_statements(raw_, sql.c_str(), &held.extracted);
  if (count == 0) {
    const char* error = held.extracted != nullptr ? api_->extract_statements_error(held.extracted) : nullptr;
    return Failed(error != nullptr ? error : "there is no statement in this SQL");
  }
  for (uint64_t i = 0; i < count; ++i) {
    const bool last = i + 1 == count;
    WS_ASSIGN_OR_RETURN(held.prepared, Prepare(held.extracted, i));
    if (last) WS_RETURN_IF_ERROR(Bind(held.prepared, parameters));
    const bool streamed = last && mode == Mode::kStreamed;
    const c::State pending = streamed ? api_->pending_prepared_streaming(held.prepared, &held.pending)
                                      : api_->pending_prepared(held.prepared, &held.pending);
    if (pending != c::kSuccess) return Failed(api_->pending_error(held.pending));
    c::QueryResult result{};
    if (api_->execute_pending(held.pending, &result) != c::kSuccess) {
      Status status = Failed(api_->result_error(&result));
      api_->destroy_result(&result);
      return status;
    }
    Rows rows(api_, result);
    api_->destroy_pending(&held.pending);
    api_->destroy_prepare(&held.prepared);
    if (last) return rows;
  }
  return Failed(nullptr);
}

Status Connection::Run(const std::string& sql, std::span<const Parameter> parameters) {
  return Query(sql, parameters).status();
}

Result<Database> Database::Open(const Options& options) {
  WS_ASSIGN_OR_RETURN(const c::Api* api, Load());
  auto handle = std::make_shared<Connection::Handle>(api);
  char* error = nullptr;
  if (api->open_ext(":memory:", &handle->raw, nullptr, &error) != c::kSuccess) {
    Status status = Failed(error);
    api->free(error);
    return status;
  }
  Database database(api, std::move(handle));
  WS_ASSIGN_OR_RETURN(Connection connection, database.Connect());
  WS_RETURN_IF_ERROR(connection.Run(Setup(options)));
  return database;
}

Result<Connection> Database::Connect() const {
  c::Connection raw = nullptr;
  if (api_->connect(handle_->raw, &raw) != c::kSuccess) return Failed("DuckDB gave no connection");
  return Connection(api_, handle_, raw);
}

}  // namespace warpscope::store::duckdb
