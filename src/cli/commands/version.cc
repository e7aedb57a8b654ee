// warpscope version
#include "base/version.h"

#include <fmt/format.h>

#include "cli/args.h"
#include "cli/command.h"
#include "cli/io.h"

namespace warpscope::cli {
namespace {

constexpr Example kExamples[] = {
    {"warpscope version", "for a bug report"},
};

}  // namespace

namespace commands {
extern const Command kVersionCommand;
const Command kVersionCommand = {
    .name = "version",
    .summary = "Print the version",
    .group = Group::kProgram,
    .operands = "",
    .details = "",
    .examples = kExamples,
    .shared = 0,
    .flags = {},
    .run =
        [](const Args&, Io& io) {
          io.out += fmt::format("{} {}\n", kProductName, kVersion);
          return Status::Ok();
        },
};
}  // namespace commands
}  // namespace warpscope::cli
