// Text that a command reads: logs and messages, also gzip; not programs, archives or pictures. [one thread]
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace warpscope::cli {

// Hands the bytes of a file ("-": standard input), inflated, to `take` as they come. kUnsupported, with what to do, if
// its beginning is no text.
Status ReadText(const std::string& path, const std::function<void(std::string_view)>& take);

}  // namespace warpscope::cli
