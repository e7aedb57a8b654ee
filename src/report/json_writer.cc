#include "report/json_writer.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "report/utf8.h"

namespace warpscope::report {
namespace {

void AppendEscaped(std::string& out, std::string_view value) {
  out += '"';
  for (size_t at = 0; at < value.size();) {
    const CodePoint c = DecodeUtf8(value, at);
    if (c.value == '"' || c.value == '\\') {
      out += '\\';
      out += static_cast<char>(c.value);
    } else if (c.value == '\n') {
      out += "\\n";
    } else if (c.value == '\t') {
      out += "\\t";
    } else if (c.value < 0x20 || (c.value >= 0x7F && c.value < 0xA0) || c.value == 0x2028 || c.value == 0x2029) {
      // C1 controls and line separators are legal JSON, but not harmless where the text is pasted or shown.
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<uint32_t>(c.value));
    } else if (!c.valid) {
      out += "\\ufffd";
    } else {
      out += value.substr(at, c.size_bytes);
    }
    at += c.size_bytes;
  }
  out += '"';
}

}  // namespace

void JsonWriter::NewLine() {
  text_ += '\n';
  text_.append(2 * levels_.size(), ' ');
}

void JsonWriter::BeforeValue() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (levels_.empty()) return;
  Level& level = levels_.back();
  if (!level.empty) text_ += level.compact ? ", " : ",";
  if (!level.compact) NewLine();
  level.empty = false;
}

void JsonWriter::Begin(char bracket, Layout layout) {
  BeforeValue();
  const bool compact = layout == Layout::kCompact || (!levels_.empty() && levels_.back().compact);
  levels_.push_back({compact, true});
  text_ += bracket;
}

void JsonWriter::End(char bracket) {
  const Level level = levels_.back();
  levels_.pop_back();
  if (!level.empty && !level.compact) NewLine();
  text_ += bracket;
  if (levels_.empty()) text_ += '\n';
}

void JsonWriter::Key(std::string_view name) {
  BeforeValue();
  AppendEscaped(text_, name);
  text_ += ": ";
  after_key_ = true;
}

void JsonWriter::Raw(std::string_view token) {
  BeforeValue();
  text_ += token;
}

void JsonWriter::Int(int64_t value) { Raw(fmt::format("{}", value)); }
void JsonWriter::UInt(uint64_t value) { Raw(fmt::format("{}", value)); }

void JsonWriter::Double(double value) {
  if (!std::isfinite(value)) return Null();
  if (value == 0) value = 0;  // no "-0"
  Raw(fmt::format("{}", value));
}

void JsonWriter::String(std::string_view value) {
  BeforeValue();
  AppendEscaped(text_, value);
}

void JsonWriter::Document(std::string_view json) {
  while (json.ends_with('\n')) json.remove_suffix(1);
  Raw(json);
}

}  // namespace warpscope::report
