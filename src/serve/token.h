// The secret part of a served page's address. [MT]
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace warpscope::serve {

// 128 random bits as 32 hexadecimal digits, from the kernel.
Result<std::string> MakeToken();
// Takes as long whatever differs, so that answers do not tell how much of a guess was right.
bool SameToken(std::string_view a, std::string_view b);

}  // namespace warpscope::serve
