#include "import/csv/csv_reader.h"

#include <algorithm>

namespace warpscope::import {
namespace {

constexpr size_t kBlockBytes = size_t{256} << 10;

bool EqualNoCase(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [&](char x, char y) { return lower(x) == lower(y); });
}

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

}  // namespace

int CsvReader::Peek() {
  if (at_ == buffer_.size()) {
    if (at_end_) return -1;
    buffer_.resize(kBlockBytes);
    auto got = bytes_->Read(buffer_.data(), kBlockBytes);
    buffer_.resize(got.ok() ? *got : 0);
    at_ = 0;
    at_end_ = buffer_.size() < kBlockBytes;
    if (!got.ok()) status_ = got.status();
    if (buffer_.empty()) return -1;
  }
  return static_cast<unsigned char>(buffer_[at_]);
}

int CsvReader::Get() {
  const int c = Peek();
  if (c < 0) return c;
  ++at_;
  ++offset_;
  if (c == '\n') ++line_;
  return c;
}

// The one that occurs most often outside quotes in the first line; a comma if none does.
void CsvReader::DetectSeparator() {
  started_ = true;
  if (Peek() < 0) return;
  if (std::string_view(buffer_).substr(0, 3) == "\xEF\xBB\xBF") {
    at_ = 3;
    offset_ = 3;
  }
  size_t commas = 0, semicolons = 0, tabs = 0;
  bool in_quotes = false;
  for (size_t i = at_; i < buffer_.size() && (in_quotes || buffer_[i] != '\n'); ++i) {
    if (buffer_[i] == '"') in_quotes = !in_quotes;
    if (in_quotes) continue;
    commas += buffer_[i] == ',' ? 1 : 0;
    semicolons += buffer_[i] == ';' ? 1 : 0;
    tabs += buffer_[i] == '\t' ? 1 : 0;
  }
  if (semicolons > commas) separator_ = ';';
  if (tabs > std::max(commas, semicolons)) separator_ = '\t';
}

// False for a record that is broken; it was read to its end.
bool CsvReader::ReadRow() {
  row_text_.clear();
  spans_.clear();
  quoted_.clear();
  bool fits = true;
  for (;;) {
    while (Peek() >= 0 && IsBlank(static_cast<char>(Peek())) && Peek() != separator_) Get();
    const size_t begin = row_text_.size();
    bool was_quoted = false;
    size_t end_of_quoted = begin;
    if (Peek() == '"') {
      was_quoted = true;
      Get();
      for (;;) {
        const int c = Get();
        if (c < 0) {
          cut_short_ = true;
          return false;
        }
        if (c == '"') {
          if (Peek() != '"') break;
          Get();
        }
        if (row_text_.size() - begin < kMaxFieldBytes) row_text_.push_back(static_cast<char>(c));
        else fits = false;
      }
      end_of_quoted = row_text_.size();
    }
    int c = Get();
    for (; c >= 0 && c != '\n' && c != separator_; c = Get()) {
      if (row_text_.size() - begin < kMaxFieldBytes) row_text_.push_back(static_cast<char>(c));
      else fits = false;
    }
    size_t end = row_text_.size();
    while (end > end_of_quoted && (IsBlank(row_text_[end - 1]) || row_text_[end - 1] == '\r')) --end;
    if (spans_.size() < kMaxFields) {
      spans_.emplace_back(begin, end);
      quoted_.push_back(was_quoted);
    } else {
      fits = false;
      row_text_.resize(begin);
    }
    if (c != separator_) return fits;
  }
}

Result<bool> CsvReader::Next() {
  if (!started_) DetectSeparator();
  for (;;) {
    if (Peek() < 0) {
      if (!status_.ok()) return status_;
      return false;
    }
    row_offset_ = offset_;
    row_line_ = line_;
    if (!ReadRow()) {
      ++broken_records_;
      continue;
    }
    fields_.clear();
    for (const auto& [begin, end] : spans_) fields_.push_back(std::string_view(row_text_).substr(begin, end - begin));
    if (fields_.size() > 1 || !fields_[0].empty() || quoted_[0]) return true;
  }
}

void CsvReader::TakeHeader() { header_.assign(fields_.begin(), fields_.end()); }

std::optional<size_t> CsvReader::Column(std::string_view names) const {
  while (!names.empty()) {
    const size_t bar = std::min(names.find('|'), names.size());
    for (size_t i = 0; i < header_.size(); ++i) {
      if (EqualNoCase(header_[i], names.substr(0, bar))) return i;
    }
    names.remove_prefix(std::min(bar + 1, names.size()));
  }
  return std::nullopt;
}

}  // namespace warpscope::import
