#include "import/unitrace/table_row.h"

namespace warpscope::import::unitrace {

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::vector<std::string_view> FieldsOf(std::string_view line) {
  constexpr size_t kMostFields = 4096;
  std::vector<std::string_view> fields;
  while (fields.size() < kMostFields) {
    std::string_view rest = Trimmed(line);
    size_t end;
    if (!rest.empty() && rest.front() == '"') {
      const size_t close = rest.find('"', 1);
      fields.push_back(rest.substr(1, close == std::string_view::npos ? rest.size() : close - 1));
      end = close == std::string_view::npos ? std::string_view::npos : rest.find(',', close);
    } else {
      end = rest.find(',');
      fields.push_back(Trimmed(rest.substr(0, end)));
    }
    if (end == std::string_view::npos) break;
    line = rest.substr(end + 1);
  }
  return fields;
}

}  // namespace warpscope::import::unitrace
