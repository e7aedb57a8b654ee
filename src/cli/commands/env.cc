// warpscope env FILE...
#include "cli/command.h"
#include "cli/table_command.h"
#include "view/tables.h"

namespace warpscope::cli {
namespace {

constexpr Example kExamples[] = {
    {"warpscope env trace.json.gz", "producer and devices"},
};

Result<view::Table> Build(const Loaded& loaded, const Args&) { return view::EnvironmentTable(SubjectOf(loaded)); }

}  // namespace

namespace commands {
extern const Command kEnv;
const Command kEnv = {
    .name = "env",
    .summary = "What the recording says about itself: producer, options, devices, ranks",
    .group = Group::kTables,
    .operands = "FILE...",
    .details = "Helps to see what was recorded before asking why something is missing.",
    .examples = kExamples,
    .shared = kTableCommand,
    .flags = {},
    .run = [](const Args& args, Io& io) { return RunTable(args, io, Build); },
};
}  // namespace commands
}  // namespace warpscope::cli
