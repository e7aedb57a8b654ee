// The man page and docs/commands.md.
#include <fmt/format.h>

#include "base/version.h"
#include "cli/help.h"

namespace warpscope::cli {
namespace {

// roff reads a leading dot or quote as a request, and a backslash or hyphen as its own.
std::string Roff(std::string_view text) {
  std::string out;
  if (!text.empty() && (text[0] == '.' || text[0] == '\'')) out += "\\&";
  for (const char c : text) {
    if (c == '\\') out += "\\e";
    else if (c == '-') out += "\\-";
    else out += c;
  }
  return out;
}

constexpr std::string_view kDescription =
    "warpscope reads what a GPU profiler recorded and says in its first line where the time of one step went, why, and "
    "what to change. Every predicted gain comes from replaying the recorded dependencies with the cause removed. What "
    "the recording cannot carry is said, not guessed.";

void ManualCommand(std::string& out, const Command& command) {
  out += fmt::format(".SS \"{}{}{}\"\n{}.\n", Roff(command.name), command.operands.empty() ? "" : " ",
                     Roff(command.operands), Roff(command.summary));
  if (!command.details.empty()) out += fmt::format(".PP\n{}\n", Roff(command.details));
  for (const Flag& flag : command.flags) out += fmt::format(".TP\n.B {}\n{}\n", Roff(FlagUsage(flag)), Roff(flag.help));
  for (const Example& example : command.examples) {
    out += fmt::format(".PP\n{}:\n.RS\n.nf\n{}\n.fi\n.RE\n", Roff(example.meaning), Roff(example.line));
  }
}

// A command with every shared flag and none of its own, to list the shared ones once.
Command SharedFlagsOnly() {
  Command command;
  command.shared = kInput | kSelect | kJson | kTable;
  return command;
}

std::string Cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

void PageFlags(std::string& out, const Command& command, bool own_only) {
  const auto row = [&](const Flag& flag) {
    out += fmt::format("| `{}` | {} |\n", Cell(FlagUsage(flag)), Cell(flag.help));
  };
  out += "\n| option | meaning |\n|---|---|\n";
  if (own_only) {
    for (const Flag& flag : command.flags) row(flag);
  } else {
    VisitFlags(command, row);
  }
}

void PageCommand(std::string& out, const Command& command) {
  out += fmt::format("\n### `warpscope {}{}{}`\n\n{}.\n", command.name, command.operands.empty() ? "" : " ",
                     command.operands, command.summary);
  if (!command.details.empty()) out += fmt::format("\n{}\n", command.details);
  if (!command.flags.empty()) PageFlags(out, command, true);
  if (!command.examples.empty()) out += "\n";
  for (const Example& example : command.examples) out += fmt::format("- `{}`: {}\n", example.line, example.meaning);
}

}  // namespace

std::string ManualPage() {
  std::string out = fmt::format(".TH WARPSCOPE 1 \"\" \"warpscope {}\" \"User Commands\"\n", kVersion);
  out += ".SH NAME\nwarpscope \\- where the time of a GPU program goes, why, and what a change would gain\n";
  out += ".SH SYNOPSIS\n.B warpscope\n[\\fICOMMAND\\fR] \\fIFILE\\fR... [\\fIOPTIONS\\fR]\n";
  out += fmt::format(".SH DESCRIPTION\n{}\n", Roff(kDescription));
  out += ".SH OPTIONS OF ALL COMMANDS THAT READ FILES\n";
  const Command shared = SharedFlagsOnly();
  VisitFlags(shared,
             [&](const Flag& flag) { out += fmt::format(".TP\n.B {}\n{}\n", Roff(FlagUsage(flag)), Roff(flag.help)); });
  out += ".SH COMMANDS\n";
  for (const Command* command : AllCommands()) {
    if (!command->hidden) ManualCommand(out, *command);
  }
  out += ".SH EXIT STATUS\n";
  for (const ExitCodeRow& row : ExitCodes()) out += fmt::format(".TP\n.B {}\n{}\n", row.code, Roff(row.meaning));
  out += ".SH ENVIRONMENT\n";
  for (const EnvironmentRow& row : Environment())
    out += fmt::format(".TP\n.B {}\n{}\n", Roff(row.name), Roff(row.meaning));
  return out;
}

std::string CommandsPage() {
  std::string out =
      "# Commands\n\nThis page is written by the program from its own command list (`warpscope docs commands`); a test "
      "compares "
      "them.\n";
  out +=
      "\n`warpscope FILE...` is `warpscope analyze FILE...`. `FILE` is a recording, several of them, a folder of "
      "ranks, or `-` for\n"
      "standard input; it is recognised by its content. The answer comes first, details on request.\n";
  out +=
      "\n## Options of all commands that read files\n\nThe table options apply to all of these commands but "
      "`analyze`.\n";
  PageFlags(out, SharedFlagsOnly(), false);
  for (const Group group : {Group::kVerdict, Group::kTables, Group::kExchange, Group::kWithoutFile, Group::kProgram}) {
    out += fmt::format("\n## {}\n", GroupTitle(group));
    for (const Command* command : AllCommands()) {
      if (command->group == group && !command->hidden) PageCommand(out, *command);
    }
  }
  out += "\n## Exit codes\n\n| code | meaning |\n|---|---|\n";
  for (const ExitCodeRow& row : ExitCodes()) out += fmt::format("| {} | {} |\n", row.code, row.meaning);
  out += "\nA reader that closes the pipe early (`| head`) is no error.\n";
  out += "\n## Environment\n\n| variable | meaning |\n|---|---|\n";
  for (const EnvironmentRow& row : Environment()) out += fmt::format("| `{}` | {} |\n", row.name, row.meaning);
  return out;
}

}  // namespace warpscope::cli
