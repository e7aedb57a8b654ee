// warpscope collectives FILE...
#include "cli/command.h"
#include "cli/table_command.h"
#include "view/tables.h"

namespace warpscope::cli {
namespace {

constexpr Choice<view::CollectivesBy> kBy[] = {
    {"name", view::CollectivesBy::kName},
    {"call", view::CollectivesBy::kCall},
    {"rank", view::CollectivesBy::kRank},
};

constexpr Example kExamples[] = {
    {"warpscope collectives trace.json.gz", "communication of one rank"},
    {"warpscope collectives ranks/ --by rank", "which rank holds the others up"},
};

constexpr Flag kFlags[] = {
    {"--by", 0, FlagType::kChoice, "WHAT", "one row an operation and group (default), each call, or a rank",
     "name|call|rank"},
};

Result<view::Table> Build(const Loaded& loaded, const Args& args) {
  return OfSteps(loaded, view::CollectiveTable(StepSubjectOf(loaded), Chosen(args, "--by", kBy)));
}

}  // namespace

namespace commands {
extern const Command kCollectives;
const Command kCollectives = {
    .name = "collectives",
    .summary = "Communication between devices: time, bytes, what hides behind compute, who is late",
    .group = Group::kTables,
    .operands = "FILE...",
    .details = "Give the files of all ranks to tell waiting for a late rank from moving data.",
    .examples = kExamples,
    .shared = kTableCommand,
    .flags = kFlags,
    .run = [](const Args& args, Io& io) { return RunTable(args, io, Build); },
};
}  // namespace commands
}  // namespace warpscope::cli
