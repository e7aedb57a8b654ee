// warpscope devices FILE...
#include "cli/command.h"
#include "cli/table_command.h"
#include "view/tables.h"

namespace warpscope::cli {
namespace {

constexpr Example kExamples[] = {
    {"warpscope devices ranks/", "all devices of all ranks"},
};

Result<view::Table> Build(const Loaded& loaded, const Args&) {
  return WithStartUp(loaded, view::DeviceTable(SubjectOf(loaded)));
}

}  // namespace

namespace commands {
extern const Command kDevices;
const Command kDevices = {
    .name = "devices",
    .summary = "Devices: busy, idle, compute, copies and communication, and their overlap",
    .group = Group::kTables,
    .operands = "FILE...",
    .details = "Busy time is a union: work that overlaps counts once.",
    .examples = kExamples,
    .shared = kTableCommand,
    .flags = {},
    .run = [](const Args& args, Io& io) { return RunTable(args, io, Build); },
};
}  // namespace commands
}  // namespace warpscope::cli
