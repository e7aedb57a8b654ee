#include "import/json/json_cursor.h"

#include <algorithm>

namespace warpscope::import {
namespace {

constexpr size_t kBlockBytes = size_t{256} << 10;
constexpr size_t kMaxKeyBytes = size_t{64} << 10;

bool IsBetween(int c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',' || c == ':'; }
bool EndsScalar(int c) { return c < 0 || IsBetween(c) || c == '}' || c == ']' || c == '"' || c == '{' || c == '['; }

// Bytes of the UTF-8 sequence that `text` begins with; 0 if it begins with none (Unicode 15, table 3-7).
size_t Utf8Length(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto tail = [&](size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return tail(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool ok = tail(1) && tail(2) && !(first == 0xE0 && byte(1) < 0xA0) && !(first == 0xED && byte(1) >= 0xA0);
    return ok ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool ok =
        tail(1) && tail(2) && tail(3) && !(first == 0xF0 && byte(1) < 0x90) && !(first == 0xF4 && byte(1) >= 0x90);
    return ok ? 4 : 0;
  }
  return 0;
}

}  // namespace

bool JsonCursor::Fill() {
  if (at_end_) return false;
  buffer_.resize(kBlockBytes);
  auto got = bytes_->Read(buffer_.data(), kBlockBytes);
  if (!got.ok()) status_ = got.status();
  buffer_.resize(got.ok() ? *got : 0);
  at_end_ = buffer_.size() < kBlockBytes;
  at_ = 0;
  return !buffer_.empty();
}

char JsonCursor::Peek() {
  if (offset_ == 0 && Look() == 0xEF) {  // byte order mark
    for (int i = 0; i < 3 && Look() >= 0x80; ++i) Step();
  }
  int c = Look();
  for (; IsBetween(c); c = Look()) Step();
  return c <= 0 ? '\0' : static_cast<char>(c);
}

bool JsonCursor::Enter(char bracket) {
  if (Peek() != bracket) return false;
  Step();
  return true;
}

bool JsonCursor::SeekDocument() {
  int c = Look();
  for (; c >= 0 && c != '{' && c != '['; c = Look()) Step();
  return c >= 0;
}

bool JsonCursor::NextKey(std::string* key) {
  const char c = Peek();
  key->clear();
  if (c == '}') {
    Step();
    return false;
  }
  bool fits = true;
  if (c == '"' && ScanString(key, kMaxKeyBytes, &fits)) {
    if (key->size() >= 2) *key = key->substr(1, key->size() - 2);
    return true;
  }
  (c == '\0' || c == '"' ? cut_short_ : broken_) = true;
  return false;
}

bool JsonCursor::NextItem() {
  const char c = Peek();
  if (c == ']') {
    Step();
    return false;
  }
  if (c == '\0') cut_short_ = true;
  if (c == '}') broken_ = true;
  return c != '\0' && c != '}';
}

void JsonCursor::Put(std::string* text, size_t max_bytes, bool* fits, std::string_view bytes) {
  if (text == nullptr) return;
  if (text->size() + bytes.size() <= max_bytes) text->append(bytes);
  else *fits = false;
}

bool JsonCursor::ScanString(std::string* text, size_t max_bytes, bool* fits) {
  Put(text, max_bytes, fits, "\"");
  Step();
  while (Look() >= 0) {
    const std::string_view rest = std::string_view(buffer_).substr(at_);
    const size_t plain = std::min(rest.find_first_of("\"\\"), rest.size());
    Put(text, max_bytes, fits, rest.substr(0, plain));
    at_ += plain;
    offset_ += plain;
    const int c = Look();
    if (c < 0) break;
    if (c != '"' && c != '\\') continue;  // the next block begins with plain text
    Put(text, max_bytes, fits, std::string_view(buffer_).substr(at_, 1));
    Step();
    if (c == '"') return true;
    if (Look() < 0) break;
    Put(text, max_bytes, fits, std::string_view(buffer_).substr(at_, 1));
    Step();
  }
  cut_short_ = true;
  return false;
}

bool JsonCursor::Scan(std::string* text, size_t max_bytes) {
  if (text != nullptr) text->clear();
  bool fits = true;
  uint64_t depth = 0;
  const char first = Peek();
  if (first == '}' || first == ']') {
    broken_ = true;
    return false;
  }
  for (int c = Look(); c >= 0; c = Look()) {
    if (c == '"') {
      if (!ScanString(text, max_bytes, &fits)) return false;
    } else if (c == '{' || c == '[' || c == '}' || c == ']') {
      depth += c == '{' || c == '[' ? 1 : -1;
      Put(text, max_bytes, &fits, std::string_view(buffer_).substr(at_, 1));
      Step();
    } else {
      const size_t begin = at_;
      while (at_ < buffer_.size() &&
             (depth > 0 ? std::string_view("\"{}[]").find(buffer_[at_]) == std::string_view::npos
                        : !EndsScalar(static_cast<unsigned char>(buffer_[at_]))))
        Step();
      Put(text, max_bytes, &fits, std::string_view(buffer_).substr(begin, at_ - begin));
      if (depth == 0 && EndsScalar(Look())) return fits;
      continue;
    }
    if (depth == 0) return fits;
  }
  cut_short_ = true;
  return false;
}

std::string WithoutBadUtf8(std::string_view text) {
  std::string clean;
  clean.reserve(text.size() + 16);
  while (!text.empty()) {
    const size_t length = Utf8Length(text);
    clean += length > 0 ? text.substr(0, length) : std::string_view("\xEF\xBF\xBD");
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return clean;
}

}  // namespace warpscope::import
