// warpscope copies FILE...
#include "cli/command.h"
#include "cli/table_command.h"
#include "view/tables.h"

namespace warpscope::cli {
namespace {

constexpr Choice<view::CopiesBy> kBy[] = {
    {"kind", view::CopiesBy::kKind},
    {"caller", view::CopiesBy::kCaller},
};

constexpr Example kExamples[] = {
    {"warpscope copies trace.json.gz", "copies by direction and memory"},
    {"warpscope copies trace.json.gz --by caller", "the operators and lines that asked for them"},
};

constexpr Flag kFlags[] = {
    {"--by", 0, FlagType::kChoice, "WHAT", "one row a direction and kind of memory (default), or a caller",
     "kind|caller"},
};

Result<view::Table> Build(const Loaded& loaded, const Args& args) {
  return view::CopyTable(SubjectOf(loaded), Chosen(args, "--by", kBy));
}

}  // namespace

namespace commands {
extern const Command kCopies;
const Command kCopies = {
    .name = "copies",
    .summary = "Copies and fills: bytes, rate, which block the host, which run beside kernels",
    .group = Group::kTables,
    .operands = "FILE...",
    .details =
        "By direction and by kind of memory: copies from pageable memory are slow and block the host, pinned ones can "
        "run beside kernels.",
    .examples = kExamples,
    .shared = kTableCommand,
    .flags = kFlags,
    .run = [](const Args& args, Io& io) { return RunTable(args, io, Build); },
};
}  // namespace commands
}  // namespace warpscope::cli
