// warpscope kernels FILE...
#include "cli/command.h"
#include "cli/table_command.h"
#include "view/tables.h"

namespace warpscope::cli {
namespace {

constexpr Choice<view::KernelsBy> kBy[] = {
    {"name", view::KernelsBy::kName},
    {"geometry", view::KernelsBy::kGeometry},
    {"category", view::KernelsBy::kCategory},
};

constexpr Example kExamples[] = {
    {"warpscope kernels trace.json.gz", "the kernels that take the device's time"},
    {"warpscope kernels trace.json.gz --by geometry --match gemm", "matrix products, one row a grid and block size"},
    {"warpscope kernels trace.json.gz --sort count --limit 5", "the most frequent ones"},
};

constexpr Flag kFlags[] = {
    {"--by", 0, FlagType::kChoice, "WHAT",
     "one row a kernel name (default), a name and launch geometry, or a kind of kernel", "name|geometry|category"},
};

Result<view::Table> Build(const Loaded& loaded, const Args& args) {
  return WithStartUp(loaded, view::KernelTable(SubjectOf(loaded), Chosen(args, "--by", kBy)));
}

}  // namespace

namespace commands {
extern const Command kKernels;
const Command kKernels = {
    .name = "kernels",
    .summary = "Kernels: count, times, share, launch geometry, theoretical occupancy",
    .group = Group::kTables,
    .operands = "FILE...",
    .details =
        "One row a kernel name, most device time first. Times are the device's own. Occupancy is computed from the "
        "recorded block size, "
        "registers and shared memory; it is absent where the file does not tell them.",
    .examples = kExamples,
    .shared = kTableCommand,
    .flags = kFlags,
    .run = [](const Args& args, Io& io) { return RunTable(args, io, Build); },
};
}  // namespace commands
}  // namespace warpscope::cli
