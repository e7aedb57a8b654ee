#include "explain/entry.h"

namespace warpscope::explain {

std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (!line.empty()) lines.push_back(line);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::vector<Step> StepsOf(std::string_view checks) {
  std::vector<Step> steps;
  for (const std::string_view line : Lines(checks)) {
    const size_t at = line.find(" $ ");
    if (at == std::string_view::npos) steps.push_back({std::string(line), ""});
    else steps.push_back({std::string(line.substr(0, at)), std::string(line.substr(at + 3))});
  }
  return steps;
}

std::vector<std::string> TextsOf(std::string_view lines) {
  std::vector<std::string> texts;
  for (const std::string_view line : Lines(lines)) texts.emplace_back(line);
  return texts;
}

}  // namespace warpscope::explain
