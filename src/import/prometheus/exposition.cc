#include "import/prometheus/exposition.h"

#include <charconv>
#include <cmath>

#include "import/monitor/value.h"

namespace warpscope::import::prometheus {
namespace {

constexpr size_t kMaxLabels = 64;

bool IsNameChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':';
}

size_t NameEnd(std::string_view line, size_t at) {
  while (at < line.size() && IsNameChar(line[at])) ++at;
  return at;
}

size_t SkipBlanks(std::string_view line, size_t at) {
  while (at < line.size() && (line[at] == ' ' || line[at] == '\t')) ++at;
  return at;
}

// From behind the opening quote to behind the closing one; npos if it is missing.
size_t ReadQuoted(std::string_view line, size_t at, std::string& text) {
  for (; at < line.size(); ++at) {
    if (line[at] == '"') return at + 1;
    if (line[at] != '\\' || at + 1 == line.size()) {
      text.push_back(line[at]);
      continue;
    }
    ++at;
    text.push_back(line[at] == 'n' ? '\n' : line[at]);
  }
  return std::string_view::npos;
}

// From behind '{' to behind '}'; npos if the labels are broken.
size_t ReadLabels(std::string_view line, size_t at, SeriesPoint& point) {
  for (;;) {
    at = SkipBlanks(line, at);
    if (at < line.size() && line[at] == '}') return at + 1;
    const size_t end = NameEnd(line, at);
    if (end == at || point.labels.size() >= kMaxLabels) return std::string_view::npos;
    const std::string_view name = line.substr(at, end - at);
    at = SkipBlanks(line, end);
    if (at >= line.size() || line[at] != '=') return std::string_view::npos;
    at = SkipBlanks(line, at + 1);
    if (at >= line.size() || line[at] != '"') return std::string_view::npos;
    std::string value;
    at = ReadQuoted(line, at + 1, value);
    if (at == std::string_view::npos) return at;
    point.labels.emplace_back(name, std::move(value));
    at = SkipBlanks(line, at);
    if (at < line.size() && line[at] == ',') ++at;
  }
}

}  // namespace

std::string_view SeriesPoint::Label(std::string_view wanted) const {
  for (const auto& [label, text] : labels) {
    if (label == wanted) return text;
  }
  return {};
}

std::optional<SeriesPoint> ParseSeries(std::string_view line) {
  line = monitor::Trimmed(line);
  SeriesPoint point;
  size_t at = NameEnd(line, 0);
  if (at == 0 || (line[0] >= '0' && line[0] <= '9')) return std::nullopt;
  point.name = line.substr(0, at);
  at = SkipBlanks(line, at);
  if (at < line.size() && line[at] == '{') {
    at = ReadLabels(line, at + 1, point);
    if (at == std::string_view::npos) return std::nullopt;
  }
  point.identity = line.substr(0, at);
  at = SkipBlanks(line, at);
  const std::string_view rest = line.substr(at);
  const size_t blank = std::min(rest.find_first_of(" \t"), rest.size());
  const std::string_view number = rest.substr(0, blank);
  if (number.empty()) return std::nullopt;
  double value = 0;
  const char* const begin = number.data() + (number.front() == '+' ? 1 : 0);
  const auto [end, error] = std::from_chars(begin, number.data() + number.size(), value);
  if (end != number.data() + number.size()) return std::nullopt;
  if (error == std::errc() && std::isfinite(value)) point.value = value;
  const std::string_view time = monitor::Trimmed(rest.substr(blank));
  if (!time.empty()) {
    int64_t time_ms = 0;
    const auto [time_end, time_error] = std::from_chars(time.data(), time.data() + time.size(), time_ms);
    if (time_error != std::errc() || time_end != time.data() + time.size()) return std::nullopt;
    point.time_ms = time_ms;
  }
  return point;
}

}  // namespace warpscope::import::prometheus
