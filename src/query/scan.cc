#include "query/scan.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string_view>

namespace warpscope::query {
namespace {

namespace c = store::duckdb::c;

// More names than this are no enumeration: its type would cost more than it saves.
constexpr size_t kMostNames = 200'000;
constexpr uint32_t kNoCode = UINT32_MAX;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

size_t SequenceBytes(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<uint8_t>(text[i]) : uint8_t{0}; };
  const uint8_t first = byte(at), second = byte(at + 1);
  const auto tail = [&](size_t from, size_t count) {
    for (size_t i = from; i < from + count; ++i) {
      if ((byte(i) & 0xC0) != 0x80) return false;
    }
    return true;
  };
  if (first == 0) return 0;  // names of an enumeration end at a NUL
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return tail(at + 1, 1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F)) return 0;
    return tail(at + 1, 2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    if ((first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) return 0;
    return tail(at + 1, 3) ? 4 : 0;
  }
  return 0;
}

bool IsClean(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const size_t bytes = SequenceBytes(text, at);
    if (bytes == 0) return false;
    at += bytes;
  }
  return true;
}

std::string Repaired(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t bytes = SequenceBytes(text, at);
    if (bytes == 0) out += kReplacement;
    else out += text.substr(at, bytes);
    at += std::max<size_t>(bytes, 1);
  }
  return out;
}

c::String Lasting(std::string_view text) {
  c::String value{};
  value.length = static_cast<uint32_t>(std::min<size_t>(text.size(), UINT32_MAX));
  if (text.size() <= 12) {
    std::memcpy(value.prefix, text.data(), text.size());
  } else {
    std::memcpy(value.prefix, text.data(), sizeof(value.prefix));
    value.pointer = text.data();
  }
  return value;
}
// REQUIRES: a text of at most 12 bytes is read where it is, inside of `text`.
std::string_view ViewOf(const c::String& text) { return {text.length <= 12 ? text.prefix : text.pointer, text.length}; }

struct View {
  const c::Api* api;
  const Table* table;
  const SqlTexts* texts;
};

// One scan of one query.
struct Scan {
  Rows rows;
  std::atomic<uint64_t> next{0};
  std::vector<uint64_t> columns;  // those that the query names
};

template <typename T>
void Destroy(void* data) {
  std::unique_ptr<T>(static_cast<T*>(data)).reset();
}

// REQUIRES: loaded, which whoever registered the view did.
const c::Api& Api() {
  static const c::Api* const api = store::duckdb::Load().value();
  return *api;
}

c::TypeId TypeIdOf(Type type) {
  switch (type) {
    case Type::kBool: return c::kBoolean;
    case Type::kInt: return c::kBigInt;
    case Type::kUInt: return c::kUBigInt;
    case Type::kDouble: return c::kDouble;
    case Type::kText:
    case Type::kName: return c::kVarchar;
  }
  return c::kInvalid;
}

void Bind(c::BindInfo info) {
  const auto* view = static_cast<View*>(Api().bind_get_extra_info(info));
  for (const Column& column : view->table->columns) {
    const std::string name(column.name);
    if (column.type == Type::kName && view->texts->name_type() != nullptr) {
      Api().bind_add_result_column(info, name.c_str(), view->texts->name_type());
      continue;
    }
    c::LogicalType type = Api().create_logical_type(TypeIdOf(column.type));
    Api().bind_add_result_column(info, name.c_str(), type);
    Api().destroy_logical_type(&type);
  }
  if (view->table->estimate) Api().bind_set_cardinality(info, *view->table->estimate, false);
}

void Init(c::InitInfo info) {
  const auto* view = static_cast<View*>(Api().init_get_extra_info(info));
  auto scan = std::make_unique<Scan>();
  scan->rows = view->table->rows();
  const uint64_t count = Api().init_get_column_count(info);
  for (uint64_t i = 0; i < count; ++i) scan->columns.push_back(Api().init_get_column_index(info, i));
  constexpr uint64_t kRowsPerThread = 131'072;  // fewer are not worth a thread
  Api().init_set_max_threads(info, scan->rows.count / kRowsPerThread + 1);
  Api().init_set_init_data(info, scan.release(), &Destroy<Scan>);
}

uint64_t* AllValid(c::Vector vector, size_t count) {
  Api().vector_ensure_validity_writable(vector);
  uint64_t* validity = Api().vector_get_validity(vector);
  std::fill_n(validity, (count + 63) / 64, UINT64_MAX);
  return validity;
}

template <typename T>
void WriteCodes(const SqlTexts& texts, std::span<const uint32_t> ids, T* out, uint64_t* validity) {
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] == model::kNoString) out[i] = 0, detail::SetNull(validity, i);
    else out[i] = static_cast<T>(texts.code(ids[i]));
  }
}

void WriteTexts(const SqlTexts& texts, bool as_codes, std::span<const uint32_t> ids, c::Vector vector) {
  void* data = Api().vector_get_data(vector);
  const bool absent = std::find(ids.begin(), ids.end(), model::kNoString) != ids.end();
  uint64_t* validity = absent ? AllValid(vector, ids.size()) : nullptr;
  if (as_codes) {
    if (texts.code_bytes() == 1) return WriteCodes(texts, ids, static_cast<uint8_t*>(data), validity);
    if (texts.code_bytes() == 2) return WriteCodes(texts, ids, static_cast<uint16_t*>(data), validity);
    return WriteCodes(texts, ids, static_cast<uint32_t*>(data), validity);
  }
  for (size_t i = 0; i < ids.size(); ++i) {
    static_cast<c::String*>(data)[i] = texts.text(ids[i]);
    if (ids[i] == model::kNoString) detail::SetNull(validity, i);
  }
}

void FillColumn(c::FunctionInfo info, const View& view, const Column& column, std::span<const uint32_t> rows,
                c::Vector vector) {
  if (column.type != Type::kText && column.type != Type::kName) {
    uint64_t* validity = column.nullable ? AllValid(vector, rows.size()) : nullptr;
    column.fill(rows, Api().vector_get_data(vector), validity);
    return;
  }
  std::vector<uint32_t> ids(rows.size());
  column.fill(rows, ids.data(), nullptr);
  const bool as_codes = column.type == Type::kName && view.texts->name_type() != nullptr;
  if (as_codes && std::any_of(ids.begin(), ids.end(),
                              [&](uint32_t id) { return id != model::kNoString && view.texts->code(id) == kNoCode; })) {
    const std::string words =
        "internal fault: a name of " + std::string(column.name) + " was not expected; please report it";
    Api().function_set_error(info, words.c_str());
    return;
  }
  WriteTexts(*view.texts, as_codes, ids, vector);
}

void FillChunk(c::FunctionInfo info, c::DataChunk output) {
  const auto* view = static_cast<View*>(Api().function_get_extra_info(info));
  auto* scan = static_cast<Scan*>(Api().function_get_init_data(info));
  static const uint64_t kBatch = Api().vector_size();
  const uint64_t begin = scan->next.fetch_add(kBatch);
  const uint64_t count = begin < scan->rows.count ? std::min(kBatch, scan->rows.count - begin) : 0;
  if (count > 0) {
    std::vector<uint32_t> counted;
    std::span<const uint32_t> rows;
    if (scan->rows.list != nullptr) {
      rows = {scan->rows.list + begin, count};
    } else {
      counted.resize(count);
      for (uint64_t i = 0; i < count; ++i) counted[i] = static_cast<uint32_t>(begin + i);
      rows = counted;
    }
    for (size_t i = 0; i < scan->columns.size(); ++i) {
      // SELECT count(*) names a column that is none.
      if (scan->columns[i] >= view->table->columns.size()) continue;
      FillColumn(info, *view, view->table->columns[scan->columns[i]], rows, Api().data_chunk_get_vector(output, i));
    }
  }
  Api().data_chunk_set_size(output, count);
}

}  // namespace

std::string_view SqlName(Type type) {
  switch (type) {
    case Type::kBool: return "BOOLEAN";
    case Type::kInt: return "BIGINT";
    case Type::kUInt: return "UBIGINT";
    case Type::kDouble: return "DOUBLE";
    case Type::kText:
    case Type::kName: return "VARCHAR";
  }
  return "";
}

SqlTexts::SqlTexts(const c::Api& api, const Recording& recording, const std::vector<bool>& names) : api_(api) {
  const uint32_t count = recording.texts.size();
  std::vector<std::pair<uint32_t, size_t>> repaired;  // (id, position in repaired_)
  texts_.reserve(count);
  for (uint32_t id = 0; id < count; ++id) {
    const std::string_view text = recording.texts.Get(id);
    if (!IsClean(text)) {
      repaired.emplace_back(id, repaired_.size());
      repaired_.push_back(Repaired(text));
    }
    texts_.push_back(Lasting(text));
  }
  for (const auto& [id, at] : repaired) texts_[id] = Lasting(repaired_[at]);
  MakeNameType(recording, names);
}

void SqlTexts::MakeNameType(const Recording& recording, const std::vector<bool>& names) {
  std::vector<uint32_t> ids;
  for (uint32_t id = 1; id < recording.texts.size() && id < names.size(); ++id) {
    if (names[id]) ids.push_back(id);
  }
  if (ids.empty() || ids.size() > kMostNames) return;
  const auto view = [this](uint32_t id) { return ViewOf(texts_[id]); };
  // In the order of the texts, so that ORDER BY sorts names as it sorts texts.
  std::sort(ids.begin(), ids.end(), [&](uint32_t a, uint32_t b) { return view(a) < view(b); });
  codes_.assign(recording.texts.size(), kNoCode);
  std::vector<std::string> members;
  for (const uint32_t id : ids) {
    if (members.empty() || members.back() != view(id)) members.emplace_back(view(id));
    codes_[id] = static_cast<uint32_t>(members.size() - 1);
  }
  std::vector<const char*> pointers;
  for (const std::string& member : members) pointers.push_back(member.c_str());
  name_type_ = api_.create_enum_type(pointers.data(), pointers.size());
  if (name_type_ == nullptr) return;
  const c::TypeId stored = api_.enum_internal_type(name_type_);
  code_bytes_ = stored == c::kUTinyInt ? 1 : stored == c::kUSmallInt ? 2 : 4;
}

SqlTexts::~SqlTexts() {
  if (name_type_ != nullptr) api_.destroy_logical_type(&name_type_);
}

Status RegisterView(store::duckdb::Connection& connection, const Table& table, const SqlTexts& texts) {
  const c::Api& api = *connection.api();
  const std::string function_name = "recorded_" + std::string(table.name);
  c::TableFunction function = api.create_table_function();
  api.table_function_set_name(function, function_name.c_str());
  api.table_function_set_extra_info(function, std::make_unique<View>(View{&api, &table, &texts}).release(),
                                    &Destroy<View>);
  api.table_function_set_bind(function, &Bind);
  api.table_function_set_init(function, &Init);
  api.table_function_set_function(function, &FillChunk);
  api.table_function_supports_projection_pushdown(function, true);
  const c::State state = api.register_table_function(connection.raw(), function);
  api.destroy_table_function(&function);
  if (state != c::kSuccess)
    return {StatusCode::kInvalidArgument, "DuckDB refused the table " + std::string(table.name)};
  return connection.Run("CREATE VIEW " + store::duckdb::QuoteName(table.name) + " AS FROM " + function_name + "()");
}

}  // namespace warpscope::query
