// warpscope gaps FILE...
#include "cli/command.h"
#include "cli/table_command.h"
#include "view/tables.h"

namespace warpscope::cli {
namespace {

constexpr Choice<view::GapsBy> kBy[] = {
    {"cause", view::GapsBy::kCause},
    {"subject", view::GapsBy::kSubject},
};

constexpr Example kExamples[] = {
    {"warpscope gaps trace.json.gz", "idle time by cause"},
    {"warpscope gaps trace.json.gz --by subject", "the operators, calls and lines behind it"},
    {"warpscope gaps trace.json.gz --list --sort dur_ns --limit 10", "the ten longest gaps"},
};

constexpr Flag kFlags[] = {
    {"--by", 0, FlagType::kChoice, "WHAT", "one row a cause (default), or an operator, call or line", "cause|subject"},
    {"--list", 0, FlagType::kSwitch, "", "every long gap by itself, in time order", ""},
};

Result<view::Table> Build(const Loaded& loaded, const Args& args) {
  if (args.Has("--list")) return OfSteps(loaded, view::GapTable(StepSubjectOf(loaded), view::GapsBy::kGap));
  return OfSteps(loaded, view::GapTable(StepSubjectOf(loaded), Chosen(args, "--by", kBy)));
}

}  // namespace

namespace commands {
extern const Command kGaps;
const Command kGaps = {
    .name = "gaps",
    .summary = "Why the device was idle: what the host did meanwhile",
    .group = Group::kTables,
    .operands = "FILE...",
    .details =
        "A gap is a stretch in which nothing runs on a device. Its time is split by what the thread that launches the "
        "next work was doing.",
    .examples = kExamples,
    .shared = kTableCommand,
    .flags = kFlags,
    .run = [](const Args& args, Io& io) { return RunTable(args, io, Build); },
};
}  // namespace commands
}  // namespace warpscope::cli
