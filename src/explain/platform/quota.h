// Quotas of clouds: limit, use and need as the message tells them. [MT] Pure.
#pragma once

#include <span>

#include "explain/entry.h"

namespace warpscope::explain {

void WorkQuota(std::span<const Match> matches, Answer* answer);

}  // namespace warpscope::explain
