#include "import/monitor/line_reader.h"

namespace warpscope::import::monitor {
namespace {

constexpr size_t kBlockBytes = size_t{64} << 10;

void AppendUtf8(uint32_t code, std::string& to) {
  if (code < 0x80) {
    to.push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    to.push_back(static_cast<char>(0xC0 | code >> 6));
    to.push_back(static_cast<char>(0x80 | (code & 0x3F)));
  } else if (code < 0x10000) {
    to.push_back(static_cast<char>(0xE0 | code >> 12));
    to.push_back(static_cast<char>(0x80 | (code >> 6 & 0x3F)));
    to.push_back(static_cast<char>(0x80 | (code & 0x3F)));
  } else {
    to.push_back(static_cast<char>(0xF0 | code >> 18));
    to.push_back(static_cast<char>(0x80 | (code >> 12 & 0x3F)));
    to.push_back(static_cast<char>(0x80 | (code >> 6 & 0x3F)));
    to.push_back(static_cast<char>(0x80 | (code & 0x3F)));
  }
}

}  // namespace

int LineReader::Byte() {
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
  ++offset_;
  return static_cast<unsigned char>(buffer_[at_++]);
}

void LineReader::DetectEncoding() {
  encoding_ = Encoding::kBytes;
  if (Byte() < 0) return;
  --at_, --offset_;
  const std::string_view head = std::string_view(buffer_).substr(0, 3);
  size_t mark = 0;
  if (head.substr(0, 2) == "\xFF\xFE") encoding_ = Encoding::kUtf16Le, mark = 2;
  else if (head.substr(0, 2) == "\xFE\xFF") encoding_ = Encoding::kUtf16Be, mark = 2;
  else if (head == "\xEF\xBB\xBF") mark = 3;
  at_ += mark, offset_ += mark;
}

int32_t LineReader::Unit() {
  const int first = Byte();
  if (first < 0 || encoding_ == Encoding::kBytes) return first;
  const int second = Byte();
  if (second < 0) return -1;
  return encoding_ == Encoding::kUtf16Le ? second << 8 | first : first << 8 | second;
}

void LineReader::Append(int32_t unit) {
  if (text_.size() >= kMaxLineBytes) return;
  if (encoding_ == Encoding::kBytes) return text_.push_back(static_cast<char>(unit));
  if (unit >= 0xD800 && unit < 0xDC00) {
    high_surrogate_ = unit;
    return;
  }
  const bool is_low = unit >= 0xDC00 && unit < 0xE000;
  uint32_t code = static_cast<uint32_t>(unit);
  if (is_low)
    code = high_surrogate_ != 0
               ? 0x10000U + ((code - 0xDC00U) | (static_cast<uint32_t>(high_surrogate_) - 0xD800U) << 10)
               : 0xFFFDU;
  high_surrogate_ = 0;
  AppendUtf8(code, text_);
}

Result<bool> LineReader::Next(Line* line) {
  if (encoding_ == Encoding::kUnknown) DetectEncoding();
  text_.clear();
  const uint64_t begin = offset_;
  int32_t unit = Unit();
  if (unit < 0) {
    if (!status_.ok()) return status_;
    return false;
  }
  for (; unit >= 0 && unit != '\n'; unit = Unit()) Append(unit);
  if (text_.size() >= kMaxLineBytes) ++cut_lines_;
  if (!text_.empty() && text_.back() == '\r') text_.pop_back();
  *line = {text_, begin, ++number_, unit >= 0};
  return true;
}

std::string PlainText(std::string_view head, size_t max_bytes) {
  const auto source = OpenMemory(head.substr(0, max_bytes));
  LineReader reader(source.get());
  std::string text;
  Line line;
  for (auto more = reader.Next(&line); more.ok() && *more; more = reader.Next(&line)) {
    text += line.text;
    text.push_back('\n');
  }
  return text;
}

}  // namespace warpscope::import::monitor
