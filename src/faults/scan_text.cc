#include "faults/scan_text.h"

#include <algorithm>
#include <charconv>

namespace warpscope::faults {
namespace {

std::optional<uint64_t> Take(std::string_view& text, int base) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc()) return {};
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return value;
}

}  // namespace

bool HasNoCase(std::string_view text, std::string_view part) {
  const auto same = [](char left, char right) { return Lower(left) == Lower(right); };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end() || part.empty();
}

bool Skip(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

void SkipSpaces(std::string_view& text) {
  while (!text.empty() && (text[0] == ' ' || text[0] == '\t')) text.remove_prefix(1);
}

std::string_view Trim(std::string_view text) {
  SkipSpaces(text);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

std::optional<uint64_t> TakeNumber(std::string_view& text) {
  if (text.empty() || !IsDigit(text[0])) return {};
  return Take(text, 10);
}

std::optional<uint64_t> TakeHex(std::string_view& text) {
  if (text.empty() || !IsHex(text[0])) return {};
  return Take(text, 16);
}

std::optional<std::string_view> TakeUntil(std::string_view& text, std::string_view end) {
  const size_t at = text.find(end);
  if (at == std::string_view::npos) return {};
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at + end.size());
  return taken;
}

std::string_view TakeWord(std::string_view& text) {
  const size_t size = std::min(text.find_first_of(" \t"), text.size());
  const std::string_view word = text.substr(0, size);
  text.remove_prefix(size);
  SkipSpaces(text);
  return word;
}

std::optional<std::string_view> After(std::string_view text, std::string_view part) {
  const size_t at = text.find(part);
  if (at == std::string_view::npos) return {};
  return text.substr(at + part.size());
}

std::optional<uint64_t> NumberAfter(std::string_view text, std::string_view part) {
  auto rest = After(text, part);
  return rest ? TakeNumber(*rest) : std::nullopt;
}

}  // namespace warpscope::faults
