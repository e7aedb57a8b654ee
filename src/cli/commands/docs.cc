// warpscope docs
#include "cli/args.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/io.h"

namespace warpscope::cli {
namespace {

constexpr Example kExamples[] = {
    {"warpscope docs > docs/commands.md", "rewrite the page"},
};

}  // namespace

namespace commands {
extern const Command kDocs;
const Command kDocs = {
    .name = "docs",
    .summary = "Print docs/commands.md",
    .group = Group::kProgram,
    .operands = "",
    .details = "",
    .examples = kExamples,
    .shared = 0,
    .flags = {},
    .run =
        [](const Args&, Io& io) {
          io.out += CommandsPage();
          return Status::Ok();
        },
    .hidden = true,
};
}  // namespace commands
}  // namespace warpscope::cli
