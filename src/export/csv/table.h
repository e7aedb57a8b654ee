// Table: one CSV file (RFC 4180: CRLF, quotes doubled), cell by cell.
// Texts that a spreadsheet would take for a formula (beginning with = + - @, tab or carriage return) get an apostrophe
// in front, as OWASP's page on CSV injection advises; numbers never do. [one thread]
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "export/text/sink.h"
#include "model/trace.h"

namespace warpscope::exporting::csv {

class Table {
 public:
  // `columns`: names by commas.
  Table(const std::string& folder, std::string_view name, std::string_view columns, const model::StringPool& strings);

  Table& Text(std::string_view text);
  Table& Name(model::StringId id) { return id == model::kNoString ? Absent() : Text(strings_.Get(id)); }
  template <typename T>
  Table& Number(T value) {
    Next();
    sink_.Number(value);
    return *this;
  }
  template <typename T>
  Table& Maybe(const std::optional<T>& value) {
    return value ? Number(*value) : Absent();
  }
  Table& Row(uint32_t row) { return row == model::kNone ? Absent() : Number(row); }
  Table& Id(uint64_t id) { return id == model::kNoId ? Absent() : Number(id); }
  Table& Flag(const std::optional<bool>& value) { return value ? Text(*value ? "true" : "false") : Absent(); }
  Table& Absent() {
    Next();
    return *this;
  }
  void End() {
    sink_.Add("\r\n");
    first_ = true;
    ++rows_;
  }
  uint64_t rows() const { return rows_; }
  Status Close() { return sink_.Close(); }

 private:
  void Next() {
    if (!first_) sink_.Add(',');
    first_ = false;
  }

  const model::StringPool& strings_;
  Sink sink_;
  bool first_ = true;
  uint64_t rows_ = 0;
};

}  // namespace warpscope::exporting::csv
