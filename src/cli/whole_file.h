// A file that a command writes: a place that may be written to, and all or nothing. [one thread]
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace warpscope::cli {

struct FilePlace {
  std::string_view flag;  // that names another place: "-o"
  bool force = false;     // what stands there may be replaced
  // What files of this kind begin with: an earlier one, or an empty file, may be replaced without force. "": never.
  std::string_view own_start = {};
};

// kInvalidArgument if `path` is an input, no plain file, or exists and may not be replaced. To be asked before reading.
// "-" is no place: whoever takes it for standard output does not ask.
Status CheckFilePlace(const std::string& path, const std::vector<std::string>& inputs, const FilePlace& place);
// Under another name first, then moved there.
Status WriteWholeFile(const std::string& path, std::string_view text);

}  // namespace warpscope::cli
