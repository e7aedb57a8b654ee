// warpscope host FILE...
#include "cli/command.h"
#include "cli/table_command.h"
#include "view/tables.h"

namespace warpscope::cli {
namespace {

constexpr Choice<view::HostBy> kBy[] = {
    {"line", view::HostBy::kLine}, {"function", view::HostBy::kFunction}, {"thread", view::HostBy::kThread}};

constexpr Example kExamples[] = {
    {"warpscope host run", "which lines of the program keep the CPU busy, and which wait"},
    {"warpscope host run --by function", "the same by function, those of libraries too"},
    {"warpscope host run --by thread", "what each thread did"},
};

constexpr Flag kFlags[] = {
    {"--by", 0, FlagType::kChoice, "WHAT",
     "one row a piece of the program's own code (default), a function, or a thread", "line|function|thread"},
};

Result<view::Table> Build(const Loaded& loaded, const Args& args) {
  return view::HostTable(SubjectOf(loaded), Chosen(args, "--by", kBy));
}

}  // namespace

namespace commands {
extern const Command kHost;
const Command kHost = {
    .name = "host",
    .summary = "Host: where the time of its threads went, by line, function or thread",
    .group = Group::kTables,
    .operands = "FILE...",
    .details =
        "What the threads did, whether or not a device worked meanwhile: of a program that uses no device, where its "
        "time went. Whether it cost anything is another question: gaps tells what the device waited for. Lines need a "
        "recording with stacks: warpscope record, or torch.profiler with with_stack=True.",
    .examples = kExamples,
    .shared = kTableCommand,
    .flags = kFlags,
    .run = [](const Args& args, Io& io) { return RunTable(args, io, Build); },
};
}  // namespace commands
}  // namespace warpscope::cli
