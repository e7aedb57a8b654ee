// warpscope steps FILE...
#include "cli/command.h"
#include "cli/table_command.h"
#include "view/tables.h"

namespace warpscope::cli {
namespace {

constexpr Example kExamples[] = {
    {"warpscope steps trace.json.gz", "every step"},
    {"warpscope steps trace.json.gz --sort dur_ns --limit 3", "the slowest three"},
};

Result<view::Table> Build(const Loaded& loaded, const Args&) { return view::StepTable(SubjectOf(loaded)); }

}  // namespace

namespace commands {
extern const Command kSteps;
const Command kSteps = {
    .name = "steps",
    .summary = "Steps: time, busy and idle, what outliers have more of",
    .group = Group::kTables,
    .operands = "FILE...",
    .details =
        "Steps are the profiler's step marks, else a repeated range, else the repeating sequence of kernels. Start-up "
        "and "
        "other phases of a program, in which that sequence does not repeat, are no steps.",
    .examples = kExamples,
    .shared = kTableCommand,
    .flags = {},
    .run = [](const Args& args, Io& io) { return RunTable(args, io, Build); },
};
}  // namespace commands
}  // namespace warpscope::cli
