#include "export/csv/table.h"

namespace warpscope::exporting::csv {

Table::Table(const std::string& folder, std::string_view name, std::string_view columns,
             const model::StringPool& strings)
    : strings_(strings), sink_(folder + "/" + std::string(name) + ".csv", false) {
  sink_.Add(columns);
  sink_.Add("\r\n");
}

Table& Table::Text(std::string_view text) {
  Next();
  const bool formula = !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
  const bool quoted = text.empty() || formula || text.find_first_of(",\"\r\n") != std::string_view::npos ||
                      text.front() == ' ' || text.back() == ' ';
  if (!quoted) {
    sink_.Add(text);
    return *this;
  }
  sink_.Add('"');
  if (formula) sink_.Add('\'');
  for (size_t at = 0; at < text.size();) {
    const size_t quote = text.find('"', at);
    sink_.Add(text.substr(at, quote - at));
    if (quote == std::string_view::npos) break;
    sink_.Add("\"\"");
    at = quote + 1;
  }
  sink_.Add('"');
  return *this;
}

}  // namespace warpscope::exporting::csv
