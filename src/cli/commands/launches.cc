// warpscope launches FILE...
#include "cli/command.h"
#include "cli/table_command.h"
#include "view/tables.h"

namespace warpscope::cli {
namespace {

constexpr Choice<view::LaunchesBy> kBy[] = {
    {"kernel", view::LaunchesBy::kKernel},
    {"summary", view::LaunchesBy::kSummary},
    {"queue", view::LaunchesBy::kQueue},
};

constexpr Example kExamples[] = {
    {"warpscope launches trace.json.gz", "launches by kernel, and how often the device waited"},
    {"warpscope launches trace.json.gz --by summary", "all times in distribution"},
    {"warpscope launches trace.json.gz --by queue --csv", "depth of the queue over time"},
};

constexpr Flag kFlags[] = {
    {"--by", 0, FlagType::kChoice, "WHAT", "one row a kernel (default), a kind of time, or a change of the queue",
     "kernel|summary|queue"},
};

Result<view::Table> Build(const Loaded& loaded, const Args& args) {
  return OfSteps(loaded, view::LaunchTable(StepSubjectOf(loaded), Chosen(args, "--by", kBy)));
}

}  // namespace

namespace commands {
extern const Command kLaunches;
const Command kLaunches = {
    .name = "launches",
    .summary = "Launches: cost on the host, delay until the start, depth of the queue",
    .group = Group::kTables,
    .operands = "FILE...",
    .details =
        "Shows whether the host keeps the device fed: with a full queue kernels start long after their call, with an "
        "empty one at once.",
    .examples = kExamples,
    .shared = kTableCommand,
    .flags = kFlags,
    .run = [](const Args& args, Io& io) { return RunTable(args, io, Build); },
};
}  // namespace commands
}  // namespace warpscope::cli
