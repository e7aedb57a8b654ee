// warpscope ledger FILE...
#include "cli/command.h"
#include "cli/table_command.h"
#include "view/tables.h"

namespace warpscope::cli {
namespace {

constexpr Example kExamples[] = {
    {"warpscope ledger trace.json.gz", "what was dropped, repaired or odd"},
};

Status RunLedger(const Args& args, Io& io) {
  WS_ASSIGN_OR_RETURN(const auto trace, LoadTrace(args, io));
  return PrintTable(view::LedgerTable(*trace), args, io);
}

}  // namespace

namespace commands {
extern const Command kLedger;
const Command kLedger = {
    .name = "ledger",
    .summary = "How far the recording can be trusted: everything dropped, repaired or odd in it",
    .group = Group::kTables,
    .operands = "FILE...",
    .details =
        "Each kind of fault with its count and the byte at which it first occurs. Every other command shows the "
        "warnings and losses too.",
    .examples = kExamples,
    .shared = kInput | kJson | kTable,
    .flags = {},
    .run = RunLedger,
};
}  // namespace commands
}  // namespace warpscope::cli
