// warpscope ops FILE...
#include "cli/command.h"
#include "cli/table_command.h"
#include "view/tables.h"

namespace warpscope::cli {
namespace {

constexpr Choice<view::OpsBy> kBy[] = {
    {"op", view::OpsBy::kOp},     {"shape", view::OpsBy::kShape},           {"module", view::OpsBy::kModule},
    {"line", view::OpsBy::kLine}, {"annotation", view::OpsBy::kAnnotation},
};

constexpr Example kExamples[] = {
    {"warpscope ops trace.json.gz", "operators by own device time"},
    {"warpscope ops trace.json.gz --by line", "the same by line of your own code"},
    {"warpscope ops trace.json.gz --sort self_host_ns", "what keeps the CPU busy"},
};

constexpr Flag kFlags[] = {
    {"--by", 0, FlagType::kChoice, "WHAT",
     "one row an operator (default), operator and input sizes, module, source line, or annotated range",
     "op|shape|module|line|annotation"},
};

Result<view::Table> Build(const Loaded& loaded, const Args& args) {
  return view::OperatorTable(SubjectOf(loaded), Chosen(args, "--by", kBy));
}

}  // namespace

namespace commands {
extern const Command kOps;
const Command kOps = {
    .name = "ops",
    .summary = "Operators: calls, own and total time on host and device, memory",
    .group = Group::kTables,
    .operands = "FILE...",
    .details =
        "Device time is credited to the operator that launched the work, as torch.profiler's own tables do. Modules "
        "and source lines need a "
        "recording with stacks.",
    .examples = kExamples,
    .shared = kTableCommand,
    .flags = kFlags,
    .run = [](const Args& args, Io& io) { return RunTable(args, io, Build); },
};
}  // namespace commands
}  // namespace warpscope::cli
