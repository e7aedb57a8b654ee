// warpscope memory FILE...
#include "cli/command.h"
#include "cli/table_command.h"
#include "view/tables.h"

namespace warpscope::cli {
namespace {

constexpr Choice<view::MemoryBy> kBy[] = {
    {"device", view::MemoryBy::kDevice},
    {"step", view::MemoryBy::kStep},
    {"time", view::MemoryBy::kTime},
};

constexpr Example kExamples[] = {
    {"warpscope memory trace.json.gz", "peak and growth"},
    {"warpscope memory trace.json.gz --by time --csv", "memory in use over time"},
};

constexpr Flag kFlags[] = {
    {"--by", 0, FlagType::kChoice, "WHAT", "one row a device (default), a step, or a change", "device|step|time"},
};

Result<view::Table> Build(const Loaded& loaded, const Args& args) {
  return view::MemoryTable(SubjectOf(loaded), Chosen(args, "--by", kBy));
}

}  // namespace

namespace commands {
extern const Command kMemory;
const Command kMemory = {
    .name = "memory",
    .summary = "Memory of the framework's allocator: peak, unused reserve, growth from step to step",
    .group = Group::kTables,
    .operands = "FILE...",
    .details = "Needs a recording with memory events (PyTorch: profile_memory=True).",
    .examples = kExamples,
    .shared = kTableCommand,
    .flags = kFlags,
    .run = [](const Args& args, Io& io) { return RunTable(args, io, Build); },
};
}  // namespace commands
}  // namespace warpscope::cli
