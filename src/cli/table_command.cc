#include "cli/table_command.h"

#include "report/table_report.h"

namespace warpscope::cli {

Status PrintTable(view::Table table, const Args& args, Io& io) {
  if (args.Has("--json") && args.Has("--csv")) {
    return {StatusCode::kInvalidArgument, "--json and --csv exclude each other"};
  }
  if (const auto column = args.Text("--sort")) WS_RETURN_IF_ERROR(view::SortBy(table, *column));
  if (const auto words = args.Text("--match")) {
    view::KeepMatching(table, *words);
    // The summary speaks of all rows; without one it would seem to speak of the match.
    if (table.rows.empty()) table.summary.clear(), table.empty_text = "No row holds \"" + std::string(*words) + "\".";
  }
  const auto limit = args.Count("--limit");
  if (args.Has("--json")) io.out += report::TableJson(table, limit.value_or(0));
  else if (args.Has("--csv")) io.out += report::TableCsv(table, limit.value_or(0));
  else
    io.out +=
        report::TableText(table, io.terminal, {.limit = limit.value_or(kTerminalRows), .wide = args.Has("--wide")});
  return Status::Ok();
}

view::Subject SubjectOf(const Loaded& loaded) {
  return {*loaded.index, loaded.steps, loaded.host_scope, loaded.device_scope, loaded.origin_ns};
}

Status RunTable(const Args& args, Io& io, TableBuilder build) {
  WS_ASSIGN_OR_RETURN(const Loaded loaded, LoadInputs(args, io));
  WS_ASSIGN_OR_RETURN(view::Table table, build(loaded, args));
  table.ledger = loaded.trace->ledger.Entries();
  return PrintTable(std::move(table), args, io);
}

}  // namespace warpscope::cli
