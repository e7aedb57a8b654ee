// Opens an address in the user's browser. [one thread]
#pragma once

#include <string>

namespace warpscope::cli {

// Starts `xdg-open ADDRESS` and does not wait for it. False where there is no desktop or no such program.
bool OpenBrowser(const std::string& address);

}  // namespace warpscope::cli
