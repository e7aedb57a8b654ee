// Named queries: ready questions, one file each in src/query/queries/. A file begins with a header of comment lines
//     -- title: CUDA API summary
//     -- like: nsys stats cuda_api_sum          the report of another tool whose question it answers
//     -- alias: cudaapisum                      other names, separated by spaces (optional)
//     -- needs: api_calls                       tables without rows of which it has no answer
//     -- param: threshold_ns=1000  what it is   with its default (any number of lines)
//     -- then sentences on what it shows and how its columns are to be read
// and then holds one SELECT with a total order. [MT] Constants.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace warpscope::query {

struct QueryParam {
  std::string name, value, meaning;
};

struct NamedQuery {
  std::string name, title, like, description;
  std::vector<std::string> aliases, needs;
  std::vector<QueryParam> params;
  std::string sql;  // with its header: line numbers are those of the file
};

// Sorted by name.
const std::vector<NamedQuery>& NamedQueries();
const NamedQuery* FindNamedQuery(std::string_view name_or_alias);  // null if there is none

// Reports of other tools that are not carried, and why.
struct NotCarried {
  std::string_view names, reason;
};
std::span<const NotCarried> NotCarriedReports();
const NotCarried* FindNotCarried(std::string_view name);

// kCorrupt says what the header lacks.
Result<NamedQuery> ParseNamedQuery(std::string_view name, std::string_view text);

std::string QueriesPage();  // docs/queries.md

}  // namespace warpscope::query
