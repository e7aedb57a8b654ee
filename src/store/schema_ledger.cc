// The ledger as a table.
#include "store/schema.h"

namespace warpscope::store {
namespace {

using model::LedgerEntry;

// `get(entry)`: std::optional of int64_t or of a text; `set(entry, value)` false if the value cannot be.
template <typename Get, typename Set>
Field Cell(std::string name, duckdb::Type type, std::string doc, bool needed, Get get, Set set) {
  Field field{std::move(name), type, std::move(doc), nullptr, nullptr, needed};
  field.write = [get](const Writing& from, uint64_t begin, size_t count, duckdb::ColumnWriter& to) {
    for (size_t i = 0; i < count; ++i) {
      const auto value = get(from.ledger[begin + i]);
      if (!value) {
        to.SetNull(i);
      } else if constexpr (std::is_same_v<decltype(value), const std::optional<std::string_view>>) {
        to.SetText(i, IsUtf8(*value) ? *value : ToUtf8(*value));
      } else {
        to.Data<int64_t>()[i] = static_cast<int64_t>(*value);
      }
    }
  };
  if constexpr (std::is_same_v<Set, std::nullptr_t>) return field;
  else {
    field.read = [set, needed](const Cells& in, uint64_t row, Reading& reading) {
      for (size_t i = 0; i < in.count; ++i) {
        if (in.Null(i) ? needed : !set((*reading.ledger)[row + i], in, i)) return i;
      }
      return in.count;
    };
    return field;
  }
}

using Phrase = std::optional<std::string_view>;
using Count = std::optional<uint64_t>;

Phrase NotEmpty(const std::string& text) { return text.empty() ? Phrase() : Phrase(text); }

bool SetCode(LedgerEntry& entry, const Cells& in, size_t i) {
  const std::string_view name = duckdb::Chunk::View(in.Text(i));
  for (size_t code = 0; code < static_cast<size_t>(model::LedgerCode::kCount); ++code) {
    entry.code = static_cast<model::LedgerCode>(code);
    if (model::Ledger::Name(entry.code) == name) return true;
  }
  return false;
}

}  // namespace

TableSchema LedgerTable() {
  using duckdb::Type;
  return {"ledger",
          "What is wrong, missing or repaired in the recorded data.",
          [](const model::Trace& trace) { return uint64_t{trace.ledger.Entries().size()}; },
          nullptr,
          {
              Cell(
                  "code", Type::kText, "name of the entry", true, [](const LedgerEntry& e) { return Phrase(e.name); },
                  SetCode),
              Cell(
                  "severity", Type::kText, "info, warning or loss", false,
                  [](const LedgerEntry& e) { return Phrase(model::SeverityName(e.severity)); }, nullptr),
              Cell(
                  "count", Type::kInt64, "occurrences", true, [](const LedgerEntry& e) { return Count(e.count); },
                  [](LedgerEntry& e, const Cells& in, size_t i) {
                    e.count = static_cast<uint64_t>(in.Integer(i));
                    return in.Integer(i) > 0;
                  }),
              Cell(
                  "first_offset_bytes", Type::kInt64, "where in the input the first one is", false,
                  [](const LedgerEntry& e) { return e.first_offset_bytes; },
                  [](LedgerEntry& e, const Cells& in, size_t i) {
                    e.first_offset_bytes = static_cast<uint64_t>(in.Integer(i));
                    return true;
                  }),
              Cell(
                  "file", Type::kText, "input of the first one", false,
                  [](const LedgerEntry& e) { return NotEmpty(e.file); },
                  [](LedgerEntry& e, const Cells& in, size_t i) {
                    e.file = duckdb::Chunk::View(in.Text(i));
                    return true;
                  }),
              Cell(
                  "detail", Type::kText, "words on the first one", false,
                  [](const LedgerEntry& e) { return NotEmpty(e.detail); },
                  [](LedgerEntry& e, const Cells& in, size_t i) {
                    e.detail = duckdb::Chunk::View(in.Text(i));
                    return true;
                  }),
              Cell(
                  "message", Type::kText, "the sentence for people", false,
                  [](const LedgerEntry& e) { return Phrase(e.message); }, nullptr),
          }};
}

}  // namespace warpscope::store
