// The list of commands and the flags that they share.
#include <algorithm>
#include <array>

#include "cli/command.h"

namespace warpscope::cli {
namespace commands {
#define WS_COMMAND(file, constant) extern const Command constant;
#include "cli/commands.def"
#undef WS_COMMAND
}  // namespace commands

namespace {

constexpr const Command* kCommands[] = {
#define WS_COMMAND(file, constant) &commands::constant,
#include "cli/commands.def"
#undef WS_COMMAND
};

constexpr std::array<Flag, 1> kInputFlags = {{
    {"--threads", 0, FlagType::kCount, "N", "threads for reading (default: all cores)", ""},
}};
constexpr std::array<Flag, 5> kSelectFlags = {{
    {"--rank", 0, FlagType::kCount, "N", "only this rank (default: all; steps and critical-path: the first)", ""},
    {"--device", 0, FlagType::kCount, "N", "only this device, as the file numbers it", ""},
    {"--step", 0, FlagType::kCount, "N", "only this step, as `warpscope steps` numbers them", ""},
    {"--from", 0, FlagType::kTime, "TIME", "from this time after the start of the trace (12.5ms, 2s)", ""},
    {"--to", 0, FlagType::kTime, "TIME", "up to this time after the start of the trace", ""},
}};
constexpr std::array<Flag, 1> kJsonFlags = {{
    {"--json", 0, FlagType::kSwitch, "", "print JSON (docs/schema/)", ""},
}};
constexpr std::array<Flag, 5> kTableFlags = {{
    {"--csv", 0, FlagType::kSwitch, "", "print CSV", ""},
    {"--limit", 'n', FlagType::kCount, "N", "at most N rows; 0 = all (default: 20 on a terminal, all in JSON and CSV)",
     ""},
    {"--sort", 0, FlagType::kText, "COLUMN", "sort by a column of --csv; COLUMN:asc or COLUMN:desc", ""},
    {"--match", 0, FlagType::kText, "TEXT", "only rows in which a name contains TEXT", ""},
    {"--wide", 0, FlagType::kSwitch, "", "every column and full names, however wide", ""},
}};
constexpr std::array<Flag, 1> kLangFlags = {{
    {"--lang", 0, FlagType::kChoice, "WHICH", "language of texts (also: WARPSCOPE_LANG; JSON: only this flag)",
     "en|zh"},
}};
constexpr std::array<Flag, 2> kEveryFlags = {{
    {"--no-color", 0, FlagType::kSwitch, "", "no colour (also: NO_COLOR=1, or output that is no terminal)", ""},
    {"--help", 'h', FlagType::kSwitch, "", "this help", ""},
}};

}  // namespace

std::span<const Command* const> AllCommands() { return kCommands; }

const Command* FindCommand(std::string_view name) {
  const auto found = std::find_if(std::begin(kCommands), std::end(kCommands),
                                  [&](const Command* command) { return command->name == name; });
  return found == std::end(kCommands) ? nullptr : *found;
}

void ForEachFlag(const Command& command, void (*visit)(const Flag& flag, void* context), void* context) {
  const auto each = [&](std::span<const Flag> flags) {
    for (const Flag& flag : flags) visit(flag, context);
  };
  each(command.flags);
  if (command.shared & kSelect) each(kSelectFlags);
  if (command.shared & kJson) each(kJsonFlags);
  if (command.shared & kTable) each(kTableFlags);
  if (command.shared & kInput) each(kInputFlags);
  if (command.shared & (kLang | kTable)) each(kLangFlags);
  each(kEveryFlags);
}

std::string_view GroupTitle(Group group) {
  switch (group) {
    case Group::kVerdict: return "The verdict";
    case Group::kTables: return "The evidence, as tables";
    case Group::kExchange: return "For other tools";
    case Group::kWithoutFile: return "Without a file";
    case Group::kProgram: return "The program itself";
  }
  return "";
}

}  // namespace warpscope::cli
