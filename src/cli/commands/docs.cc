// warpscope docs commands|queries|views
#include "cli/args.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/io.h"
#include "query/catalog.h"
#include "query/named.h"

namespace warpscope::cli {
namespace {

constexpr Example kExamples[] = {
    {"warpscope docs commands > docs/commands.md", "rewrite the page"},
};

}  // namespace

namespace commands {
extern const Command kDocs;
const Command kDocs = {
    .name = "docs",
    .summary = "Print a page of docs/",
    .group = Group::kProgram,
    .operands = "commands|queries|views",
    .details = "",
    .examples = kExamples,
    .shared = 0,
    .flags = {},
    .run =
        [](const Args& args, Io& io) {
          const std::string page = args.operands().size() == 1 ? args.operands()[0] : "";
          if (page == "commands") io.out += CommandsPage();
          else if (page == "queries") io.out += query::QueriesPage();
          else if (page == "views") io.out += query::SchemaPage();
          else return Status(StatusCode::kInvalidArgument, "name one page: warpscope docs commands|queries|views");
          return Status::Ok();
        },
    .hidden = true,
};
}  // namespace commands
}  // namespace warpscope::cli
