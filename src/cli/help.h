// Everything that is said about commands, from the command list alone. [MT] Pure.
#pragma once

#include <string>

#include "cli/command.h"
#include "report/terminal.h"

namespace warpscope::cli {

std::string ShortHelp(const report::Terminal& terminal);  // one screen: what it is, three examples, where to go on
std::string FullHelp(const report::Terminal& terminal);   // every command, exit codes, environment
std::string CommandHelp(const Command& command, const report::Terminal& terminal);

std::string ManualPage();    // roff, man(7)
std::string CommandsPage();  // docs/commands.md

enum class Shell : uint8_t { kBash, kZsh, kFish };
std::string CompletionScript(Shell shell);

// "-n, --limit N"
std::string FlagUsage(const Flag& flag);

struct ExitCodeRow {
  int code;
  std::string_view meaning;
};
std::span<const ExitCodeRow> ExitCodes();

struct EnvironmentRow {
  std::string_view name, meaning;
};
std::span<const EnvironmentRow> Environment();

}  // namespace warpscope::cli
