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
};

// A folder stands for the traces directly inside it (.json, .json.gz, .tar.gz ...), by rank number, then by name.
Result<std::vector<InputFile>> ExpandInputs(const std::vector<std::string>& inputs);

// "rank3", "rank-3", "rank_3" anywhere in a file's name.
std::optional<int64_t> RankInName(const std::string& path);

}  // namespace warpscope::import
