// `warpscope counters --list-metrics [PATTERN]`. [one thread]
#pragma once

#include "base/status.h"
#include "cli/args.h"
#include "cli/io.h"

namespace warpscope::cli {

Status ListMetrics(const Args& args, Io& io);

}  // namespace warpscope::cli
