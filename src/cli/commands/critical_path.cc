// warpscope critical-path FILE...
#include "analysis/replay/simulator.h"
#include "cli/command.h"
#include "cli/table_command.h"
#include "view/tables.h"

namespace warpscope::cli {
namespace {

constexpr Example kExamples[] = {
    {"warpscope critical-path trace.json.gz", "what the path consists of"},
    {"warpscope critical-path trace.json.gz --list --limit 50", "its first fifty items in order"},
};

constexpr Flag kFlags[] = {
    {"--list", 0, FlagType::kSwitch, "", "every item in time order", ""},
};

Result<view::Table> Build(const Loaded& loaded, const Args& args) {
  analysis::SimulatorOptions options;
  options.link_domain = loaded.rank_domain;
  auto simulator = analysis::Simulator::Build(*loaded.trace, loaded.steps, options);
  if (!simulator.ok()) return simulator.status();
  const auto by = args.Has("--list") ? view::PathBy::kItem : view::PathBy::kWhat;
  return view::CriticalPathTable(SubjectOf(loaded), *simulator, by);
}

}  // namespace

namespace commands {
extern const Command kCriticalPath;
const Command kCriticalPath = {
    .name = "critical-path",
    .summary = "Critical path: the chain of host and device work that sets the step time",
    .group = Group::kTables,
    .operands = "FILE...",
    .details =
        "The path runs over host threads, launches, streams and waits of the counted steps of one rank. Only what is "
        "on it can shorten the step.",
    .examples = kExamples,
    .shared = kTableCommand,
    .flags = kFlags,
    .run = [](const Args& args, Io& io) { return RunTable(args, io, Build); },
};
}  // namespace commands
}  // namespace warpscope::cli
