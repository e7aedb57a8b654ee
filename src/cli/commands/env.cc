// warpscope env [FILE...]
#include "cli/command.h"
#include "cli/table_command.h"
#include "device/nvml.h"
#include "record/environment.h"
#include "report/table_report.h"
#include "view/tables.h"

namespace warpscope::cli {
namespace {

constexpr Example kExamples[] = {
    {"warpscope env", "this machine now: devices, driver, CUDA, Python packages, processor, limits, variables"},
    {"warpscope env trace.json.gz", "producer and devices of a recording"},
    {"warpscope env run1", "what a run of warpscope record was made with"},
};

Result<view::Table> Build(const Loaded& loaded, const Args&) { return view::EnvironmentTable(SubjectOf(loaded)); }

// This machine, in the columns of a recording's table.
view::Table MachineTable() {
  const auto nvml = device::Nvml::OpenTried();
  const record::RealSystem system;
  view::Table table = view::EmptyEnvironmentTable("This machine now");
  for (const record::EnvironmentFact& fact :
       record::CollectEnvironment(system, {}, nvml.ok() ? &nvml.value() : nullptr))
    view::AddRecordedFact(table, fact.device, fact.name, fact.value);
  if (!nvml.ok()) table.notes.push_back("No readings of devices: " + nvml.status().message() + ".");
  return table;
}

Status RunEnv(const Args& args, Io& io) {
  if (!args.operands().empty()) return RunTable(args, io, Build);
  for (const char* flag : {"--rank", "--device", "--step", "--from", "--to"}) {
    if (args.Has(flag))
      return {StatusCode::kInvalidArgument, std::string(flag) + " selects a part of a recording; give its file"};
  }
  for (const char* flag : {"--limit", "--json", "--csv", "--sort", "--match"}) {
    if (args.Has(flag)) return PrintTable(MachineTable(), args, io);
  }
  io.out += report::TableText(MachineTable(), io.terminal, {.limit = 0, .wide = args.Has("--wide")});  // all of it
  return Status::Ok();
}

}  // namespace

namespace commands {
extern const Command kEnv;
const Command kEnv = {
    .name = "env",
    .summary = "What the recording says about itself, or this machine now: devices, versions, options",
    .group = Group::kTables,
    .operands = "[FILE...]",
    .details =
        "With files: producer, options, devices, ranks, and the facts that warpscope record wrote down. Without: the "
        "same "
        "facts of this machine, read without starting anything; Python packages are those of the Python that the shell "
        "would start here. Values of secrets are hidden.",
    .examples = kExamples,
    .shared = kTableCommand,
    .flags = {},
    .run = RunEnv,
};
}  // namespace commands
}  // namespace warpscope::cli
