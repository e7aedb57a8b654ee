// SQL as text: statements, named parameters, and what DuckDB says about it. [MT] Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpscope::query {

// $name, outside of texts, names in quotes and comments, becomes $1, $2 ... in order of first appearance.
struct Numbered {
  std::string sql;
  std::vector<std::string> names;
};
Numbered NumberParameters(std::string_view sql);

// At each ; outside of texts, names in quotes and comments. Statements keep their place in the text (what stood before
// becomes spaces and line ends), so that a line and column in one are those in the whole. Nothing but spaces and
// comments is no statement.
std::vector<std::string> SplitStatements(std::string_view sql);

// Whether the text ends inside of a statement: the next line belongs to it.
bool IsUnfinished(std::string_view sql);

// A message of DuckDB as one line: where, what is wrong, and near names. `sql` is what it was given.
std::string ExplainError(std::string_view message, std::string_view sql);

// "ENUM('a', 'b', ...)", as DuckDB writes the type of names, becomes VARCHAR.
std::string WithoutEnumLists(std::string_view text);

}  // namespace warpscope::query
