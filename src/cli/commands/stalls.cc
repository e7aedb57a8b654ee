// warpscope stalls FILE...
#include "cli/command.h"
#include "cli/kernel_regex.h"
#include "cli/table_command.h"
#include "view/tables.h"

namespace warpscope::cli {
namespace {

constexpr Choice<view::StallsBy> kBy[] = {
    {"kernel", view::StallsBy::kKernel},
    {"line", view::StallsBy::kLine},
    {"instruction", view::StallsBy::kInstruction},
};

constexpr Example kExamples[] = {
    {"warpscope record --stalls -o run1 -- python train.py", "samples where warps wait, beside the timeline"},
    {"warpscope stalls run1", "what each kernel waits for, and where"},
    {"warpscope stalls run1 --kernel '^gemm'", "the source lines of the kernels of that name"},
    {"warpscope stalls run1 --by instruction --limit 50", "single instructions, with their text where nvdisasm is"},
};

constexpr Flag kFlags[] = {
    {"--by", 0, FlagType::kChoice, "WHAT",
     "one row a kernel (default; with --kernel: a line), a source line, or an instruction", "kernel|line|instruction"},
    {"--kernel", 'k', FlagType::kText, "REGEX", "only kernels whose name the regular expression is found in", ""},
};

Result<view::Table> Build(const Loaded& loaded, const Args& args) {
  view::StallsQuery query{[](std::string_view) { return true; }};
  view::StallsBy by = Chosen(args, "--by", kBy);
  if (const auto text = args.Text("--kernel")) {
    WS_ASSIGN_OR_RETURN(query.wants_kernel, KernelMatcher(*text));
    if (!args.Has("--by")) by = view::StallsBy::kLine;
  }
  return view::StallTable(SubjectOf(loaded), by, query);
}

}  // namespace

namespace commands {
extern const Command kStalls;
const Command kStalls = {
    .name = "stalls",
    .summary = "Why kernels wait and at which line, from samples",
    .group = Group::kTables,
    .operands = "FILE...",
    .details =
        "Recorded by `warpscope record --stalls`: every so many cycles each SM tells where one of its warps stands and "
        "why it does not go on. One row a kernel: its samples, its share of the time, what its warps wait for most and "
        "the source line that has most of it. Lines need code that carries them (nvcc -lineinfo; Triton's does), "
        "instructions their text from nvdisasm, which `record` runs where it is installed.",
    .examples = kExamples,
    .shared = kTableCommand,
    .flags = kFlags,
    .run = [](const Args& args, Io& io) { return RunTable(args, io, Build); },
};
}  // namespace commands
}  // namespace warpscope::cli
