// warpscope syncs FILE...
#include "cli/command.h"
#include "cli/table_command.h"
#include "view/tables.h"

namespace warpscope::cli {
namespace {

constexpr Choice<view::SyncsBy> kBy[] = {
    {"caller", view::SyncsBy::kCaller},
    {"call", view::SyncsBy::kCall},
};

constexpr Example kExamples[] = {
    {"warpscope syncs trace.json.gz", "waiting calls by who made them"},
    {"warpscope syncs trace.json.gz --by call", "each of them in time order"},
};

constexpr Flag kFlags[] = {
    {"--by", 0, FlagType::kChoice, "WHAT", "one row a caller (default), or each call", "caller|call"},
};

Result<view::Table> Build(const Loaded& loaded, const Args& args) {
  return OfSteps(loaded, view::SyncTable(StepSubjectOf(loaded), Chosen(args, "--by", kBy)));
}

}  // namespace

namespace commands {
extern const Command kSyncs;
const Command kSyncs = {
    .name = "syncs",
    .summary = "Calls that made the host wait for the device, and the idle time that they caused",
    .group = Group::kTables,
    .operands = "FILE...",
    .details =
        "Waiting for work that had to be done costs nothing; what costs is the device standing idle afterwards because "
        "the host could not run ahead.",
    .examples = kExamples,
    .shared = kTableCommand,
    .flags = kFlags,
    .run = [](const Args& args, Io& io) { return RunTable(args, io, Build); },
};
}  // namespace commands
}  // namespace warpscope::cli
