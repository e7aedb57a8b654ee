// CsvReader: rows of a comma, semicolon or tab separated text (RFC 4180: quoted fields, doubled quotes, line ends
// inside quotes), read as a stream. Columns are found by their header's name. [one thread]. Views of a row hold until
// the next Next(). Memory is bounded: a field of more than kMaxFieldBytes or a row of more than kMaxFields fields is a
// broken record, which is counted and skipped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "import/container/byte_source.h"

namespace warpscope::import {

inline constexpr size_t kMaxFieldBytes = size_t{1} << 20;
inline constexpr size_t kMaxFields = 1 << 16;

class CsvReader {
 public:
  // `bytes` must outlive the reader. The separator is told from the first line; a byte order mark is passed over.
  explicit CsvReader(ByteSource* bytes) : bytes_(bytes) {}

  // The next row that is not blank; false at the end. Fields are trimmed of spaces and tabs outside quotes.
  Result<bool> Next();
  const std::vector<std::string_view>& fields() const { return fields_; }
  std::string_view field(size_t column) const { return column < fields_.size() ? fields_[column] : std::string_view(); }
  bool quoted(size_t column) const { return column < quoted_.size() && quoted_[column]; }

  // Where the row began: line (from 1) and byte (from 0).
  uint64_t line() const { return row_line_; }
  uint64_t offset_bytes() const { return row_offset_; }
  char separator() const { return separator_; }
  uint64_t broken_records() const { return broken_records_; }  // too long, or a quote that is never closed
  bool cut_short() const { return cut_short_; }                // the last row ended inside quotes

  // Takes the current row as the header.
  void TakeHeader();
  const std::vector<std::string>& header() const { return header_; }
  // Column by any of the names, which differ by the tool's version ("Start_Timestamp|BeginNs"); ASCII case does not
  // matter. Absent if there is none.
  std::optional<size_t> Column(std::string_view names) const;

 private:
  int Peek();
  int Get();
  bool ReadRow();
  void DetectSeparator();

  ByteSource* bytes_;
  Status status_;
  std::string buffer_;
  size_t at_ = 0;
  bool at_end_ = false, started_ = false;
  char separator_ = ',';
  uint64_t offset_ = 0, line_ = 1, row_offset_ = 0, row_line_ = 1;
  uint64_t broken_records_ = 0;
  bool cut_short_ = false;
  std::string row_text_;
  std::vector<std::pair<size_t, size_t>> spans_;
  std::vector<bool> quoted_;
  std::vector<std::string_view> fields_;
  std::vector<std::string> header_;
};

// "9,495.42", "9.495,42", "9 495,42", "1.2e3", "12" -> 9495.42 ...; absent for words without a value (formats.md 13:
// "N/A",
// "-", "n/a", "[Not Supported]" ...) and anything else that is no number. `decimal`: '.' or ',' where the file's locale
// is known; 0: told from the text (with both marks the last is the decimal one; a lone mark with three digits behind it
// is a thousands mark only if it occurs more than once or is a comma).
std::optional<double> ParseNumber(std::string_view text, char decimal = 0);
// Whole numbers exactly, with thousands separators; absent for anything else.
std::optional<uint64_t> ParseCount(std::string_view text);
std::optional<int64_t> ParseSigned(std::string_view text);
// Decimal text in `unit_ns` units (1000 for microseconds) to nanoseconds, without a double on the way; digits below 1
// ns are dropped. Trailing tabs and spaces are passed over.
std::optional<int64_t> ParseTimeNs(std::string_view text, int64_t unit_ns);

}  // namespace warpscope::import
