#include "import/nsys_stats/table.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace warpscope::import::nsys_stats {
namespace {

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

std::string_view Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

bool Has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool StartsWithAny(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.substr(0, word.size()) == word; });
}

std::string WithoutSeparators(std::string_view text) {
  std::string plain;
  for (const char c : Trim(text)) {
    if (c != ',') plain += c;
  }
  return plain;
}

}  // namespace

std::optional<model::SummaryKind> KindOf(std::string_view title) {
  const std::string text = Lower(title);
  // Reports that put two things into one row (API + kernel), sizes, and single events are no totals of one kind.
  if (Has(text, "size") || Has(text, "kern_exec") || Has(text, "kernexec") || Has(text, "launch & exec") ||
      Has(text, "trace") || Has(text, "api_gpu") || Has(text, "gpu_sum") || Has(text, "gpusum") ||
      Has(text, "kernel_grid")) {
    return std::nullopt;
  }
  if (Has(text, "nvtx")) {
    const bool kernels = Has(text, "kern") || Has(text, "gpu_proj") || Has(text, "gpuproj");
    return kernels ? std::nullopt : std::optional(model::SummaryKind::kAnnotation);
  }
  if (Has(text, "kern")) return model::SummaryKind::kKernel;
  if (Has(text, "mem") && (Has(text, "gpu") || Has(text, "cuda") || Has(text, "operation")))
    return model::SummaryKind::kCopy;
  if (Has(text, "os runtime") || Has(text, "osrt") || Has(text, "operating system")) return model::SummaryKind::kOsCall;
  if (Has(text, "cuda api") || Has(text, "cuda_api") || Has(text, "cudaapi")) return model::SummaryKind::kApiCall;
  return std::nullopt;
}

std::optional<Ruler> ParseRuler(std::string_view line) {
  Ruler ruler;
  for (size_t at = 0; at < line.size();) {
    if (line[at] == ' ' || line[at] == '\r') {
      ++at;
      continue;
    }
    const size_t end = std::min(line.find_first_not_of('-', at), line.size());
    if (end == at) return std::nullopt;
    ruler.columns.push_back({at, end});
    at = end;
  }
  return ruler.columns.size() >= 2 ? std::optional<Ruler>(std::move(ruler)) : std::nullopt;
}

std::vector<std::string> SplitByRuler(std::string_view line, const Ruler& ruler) {
  std::vector<std::string> cells;
  for (size_t i = 0; i < ruler.columns.size(); ++i) {
    const auto span = ruler.columns[i];
    const size_t begin = std::min(span.begin, line.size());
    // The last column is text and may be wider in bytes than in characters.
    const size_t end = i + 1 == ruler.columns.size() ? line.size() : std::min(span.end, line.size());
    cells.emplace_back(Trim(line.substr(begin, end - begin)));
  }
  return cells;
}

std::vector<std::string> SplitByCommas(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') cells.back() += line[++i];
    else if (c == '"') quoted = !quoted;
    else if (c == ',' && !quoted) cells.emplace_back();
    else if (c != '\r') cells.back() += c;
  }
  return cells;
}

std::optional<Layout> ParseHeader(const std::vector<std::string>& header) {
  Layout layout;
  for (size_t i = 0; i < header.size(); ++i) {
    const std::string name = Lower(Trim(header[i]));
    if (StartsWithAny(name, {"total time", "total ("})) {
      layout.total = i;
      if (Has(name, "(us)") || Has(name, "(\xC2\xB5s)")) layout.unit_ns = 1e3;
      else if (Has(name, "(ms)")) layout.unit_ns = 1e6;
      else if (Has(name, "(s)") || Has(name, "(sec)")) layout.unit_ns = 1e9;
      else if (Has(name, "mb") || Has(name, "kib") || Has(name, "bytes")) return std::nullopt;
    } else if (StartsWithAny(
                   name, {"num calls", "instances", "calls", "count", "operations", "range instances", "instance"})) {
      layout.count = i;
    } else if (StartsWithAny(name, {"min"})) {
      layout.min = i;
    } else if (StartsWithAny(name, {"max"})) {
      layout.max = i;
    } else if (name == "name" || name == "operation" || name == "range" || name == "event") {
      layout.name = i;
    } else if (name == "style") {
      layout.style = i;
    }
  }
  if (!layout.total || !layout.name) return std::nullopt;
  return layout;
}

std::optional<int64_t> Nanoseconds(std::string_view text, double unit_ns) {
  const std::string plain = WithoutSeparators(text);
  if (unit_ns == 1) {
    int64_t whole = 0;
    const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), whole);
    if (error == std::errc() && end == plain.data() + plain.size()) return whole;
  }
  double value = 0;
  const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
  if (error != std::errc() || end != plain.data() + plain.size() || !std::isfinite(value)) return std::nullopt;
  const double ns = value * unit_ns;
  if (ns < 0 || ns > 9e18) return std::nullopt;
  return static_cast<int64_t>(std::llround(ns));
}

std::optional<uint64_t> Whole(std::string_view text) {
  const std::string plain = WithoutSeparators(text);
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
  if (error != std::errc() || end != plain.data() + plain.size()) return std::nullopt;
  return value;
}

}  // namespace warpscope::import::nsys_stats
