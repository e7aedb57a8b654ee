// warpscope man
#include "cli/args.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/io.h"

namespace warpscope::cli {
namespace {

constexpr Example kExamples[] = {
    {"warpscope man | man -l -", "read it"},
};

}  // namespace

namespace commands {
extern const Command kMan;
const Command kMan = {
    .name = "man",
    .summary = "Print the manual page (roff)",
    .group = Group::kProgram,
    .operands = "",
    .details = "",
    .examples = kExamples,
    .shared = 0,
    .flags = {},
    .run =
        [](const Args&, Io& io) {
          io.out += ManualPage();
          return Status::Ok();
        },
    .hidden = false,
};
}  // namespace commands
}  // namespace warpscope::cli
