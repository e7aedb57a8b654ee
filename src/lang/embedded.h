// The texts of src/lang/zh/*.tsv, put into the program by CMake. [MT] Constants.
#pragma once

#include <span>
#include <string_view>

namespace warpscope::lang {

struct EmbeddedCatalogue {
  std::string_view name;  // the file's, without .tsv
  std::string_view text;
};

std::span<const EmbeddedCatalogue> ChineseCatalogues();  // by name

}  // namespace warpscope::lang
