// What the user named -> the files to read, in order.
// [one thread]
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

namespace warpscope::import {

struct InputFile {
  std::string path;
  std::optional<int64_t> rank_hint;  // from its name, where several files are read together
  bool found = false;                // in a folder; false: the user named the file itself
};

// A folder stands for the files inside it and its folders that are named like recordings (.json.gz, .sqlite, .csv ...),
// by rank number, then by name. What they are is told by their content later.
Result<std::vector<InputFile>> ExpandInputs(const std::vector<std::string>& inputs);

// "rank3", "rank-3", "rank_3" anywhere in a file's name.
std::optional<int64_t> RankInName(const std::string& path);

}  // namespace warpscope::import
