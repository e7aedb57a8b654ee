// The files of src/query/queries/ as they are, put into the program by embed.cmake. [MT] Constants.
#pragma once

#include <span>
#include <string_view>

namespace warpscope::query {

struct EmbeddedQuery {
  std::string_view name, text;
};
std::span<const EmbeddedQuery> EmbeddedQueries();  // by name

}  // namespace warpscope::query
