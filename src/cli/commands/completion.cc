// warpscope completion bash|zsh|fish
#include <fmt/format.h>

#include "cli/args.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/io.h"

namespace warpscope::cli {
namespace {

constexpr Example kExamples[] = {
    {"source <(warpscope completion bash)", "for this shell; add the line to ~/.bashrc to keep it"},
    {"source <(warpscope completion zsh)", "the same for zsh (~/.zshrc, after compinit)"},
    {"warpscope completion fish > ~/.config/fish/completions/warpscope.fish", "for fish"},
};

Status RunCompletion(const Args& args, Io& io) {
  const std::string shell = args.operands().size() == 1 ? args.operands()[0] : "";
  if (shell == "bash") io.out += CompletionScript(Shell::kBash);
  else if (shell == "zsh") io.out += CompletionScript(Shell::kZsh);
  else if (shell == "fish") io.out += CompletionScript(Shell::kFish);
  else return {StatusCode::kInvalidArgument, "name one shell: warpscope completion bash|zsh|fish"};
  return Status::Ok();
}

}  // namespace

namespace commands {
extern const Command kCompletion;
const Command kCompletion = {
    .name = "completion",
    .summary = "Print the completion script of a shell",
    .group = Group::kProgram,
    .operands = "bash|zsh|fish",
    .details = "",
    .examples = kExamples,
    .shared = 0,
    .flags = {},
    .run = RunCompletion,
};
}  // namespace commands
}  // namespace warpscope::cli
