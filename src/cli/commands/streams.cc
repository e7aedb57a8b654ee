// warpscope streams FILE...
#include "cli/command.h"
#include "cli/table_command.h"
#include "view/tables.h"

namespace warpscope::cli {
namespace {

constexpr Example kExamples[] = {
    {"warpscope streams trace.json.gz", "who runs where"},
};

Result<view::Table> Build(const Loaded& loaded, const Args&) {
  return WithStartUp(loaded, view::StreamTable(SubjectOf(loaded)));
}

}  // namespace

namespace commands {
extern const Command kStreams;
const Command kStreams = {
    .name = "streams",
    .summary = "Streams: items and busy time of each",
    .group = Group::kTables,
    .operands = "FILE...",
    .details = "Work of one stream runs in order; only work of different streams can overlap.",
    .examples = kExamples,
    .shared = kTableCommand,
    .flags = {},
    .run = [](const Args& args, Io& io) { return RunTable(args, io, Build); },
};
}  // namespace commands
}  // namespace warpscope::cli
