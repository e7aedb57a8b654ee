// The report as a file: a template of the web part with the data put in as sections. [MT] Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace warpscope::page {

enum class Encoding : uint8_t { kJson, kDeflate };

struct Section {
  std::string name;  // letters, digits, ':', '-' and '_'
  Encoding encoding = Encoding::kDeflate;
  std::string content;  // kJson: escaped JSON text; kDeflate: raw deflate stream
};

// JSON text or bytes as a section.
Section JsonSection(std::string name, std::string_view json);
Section PackedSection(std::string name, std::string_view bytes);

// The line of the template that the sections replace.
inline constexpr std::string_view kDataMark = "<!--WARPSCOPE-DATA-->";

// kCorrupt if the template does not hold the mark exactly once.
Result<std::string> FillTemplate(std::string_view page, const std::vector<Section>& sections);

}  // namespace warpscope::page
