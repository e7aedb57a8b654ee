#include "doctor/read/line_reader.h"

#include <algorithm>
#include <cctype>

namespace warpscope::doctor::read {

std::string_view Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::vector<std::string_view> Words(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  std::vector<std::string_view> words;
  constexpr size_t kUsual = 16;
  words.reserve(kUsual);
  for (size_t at = 0; at < text.size();) {
    while (at < text.size() && is_blank(text[at])) ++at;
    const size_t begin = at;
    while (at < text.size() && !is_blank(text[at])) ++at;
    if (at > begin) words.push_back(text.substr(begin, at - begin));
  }
  return words;
}

std::optional<std::string_view> Behind(std::string_view text, std::string_view key) {
  const size_t at = text.find(key);
  return at == std::string_view::npos ? std::nullopt : std::optional(Trim(text.substr(at + key.size())));
}

std::optional<uint64_t> Count(std::string_view digits) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc() && end == digits.data() + digits.size() && !digits.empty() ? std::optional(value)
                                                                                         : std::nullopt;
}

std::string VersionIn(std::string_view text) {
  constexpr size_t kLongest = 32;
  for (size_t at = 0; at < text.size(); ++at) {
    const bool begins = std::isdigit(static_cast<unsigned char>(text[at])) != 0 &&
                        (at == 0 || (std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0 &&
                                     text[at - 1] != '.' && text[at - 1] != '_'));
    if (!begins) continue;
    const size_t end = std::min(text.find_first_not_of("0123456789.", at), text.size());
    std::string version(text.substr(at, std::min(end - at, kLongest)));
    while (!version.empty() && version.back() == '.') version.pop_back();
    if (version.find('.') != std::string::npos) return version;
    at = end;
  }
  return {};
}

std::optional<uint64_t> BytesOf(std::string_view text) {
  text = Trim(text);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 0) return std::nullopt;
  const std::string_view unit = Trim(text.substr(static_cast<size_t>(end - text.data())));
  constexpr double kMebibyte = 1u << 20, kMost = 1e15;
  const double factor = unit.starts_with("G")                            ? 1024 * kMebibyte
                        : unit.starts_with("K") || unit.starts_with("k") ? 1024
                        : unit == "B"                                    ? 1
                                                                         : kMebibyte;
  return value * factor < kMost ? std::optional(static_cast<uint64_t>(value * factor)) : std::nullopt;
}

}  // namespace warpscope::doctor::read
