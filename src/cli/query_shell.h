// The interactive shell of `warpscope query`: lines from the terminal, statements to the session, tables back.
// [one thread]
#pragma once

#include "base/status.h"
#include "cli/io.h"
#include "query/session.h"

namespace warpscope::cli {

// Reads statements until .quit or the end of input. Ctrl-C stops what runs.
Status RunQueryShell(query::Session& session, Io& io);

}  // namespace warpscope::cli
