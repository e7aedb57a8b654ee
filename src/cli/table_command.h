// What every table command does around its table: load, sort, filter, cut, print as asked. [one thread]
#pragma once

#include "base/status.h"
#include "cli/args.h"
#include "cli/io.h"
#include "cli/loaded.h"
#include "view/table.h"

namespace warpscope::cli {

inline constexpr uint8_t kTableCommand = kInput | kSelect | kJson | kTable;

// Prints a finished table by --json, --csv, --limit, --sort, --match, --wide.
Status PrintTable(view::Table table, const Args& args, Io& io);

using TableBuilder = Result<view::Table> (*)(const Loaded& loaded, const Args& args);
// Loads the inputs, builds, adds the ledger, prints.
Status RunTable(const Args& args, Io& io, TableBuilder build);

}  // namespace warpscope::cli
