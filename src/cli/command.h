// Command: one verb of the program as data. Parsing, help, man page, completion and docs/commands.md all read it, so
// they cannot disagree. [MT] Constants.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"

namespace warpscope::cli {

class Args;
struct Io;

enum class FlagType : uint8_t {
  kSwitch,
  kCount,     // integer >= 0
  kNumber,    // > 0
  kDuration,  // 500ms, 2s, 1m; without a unit: seconds
  kTime,      // 12.5ms, 300us, 2s, 500ns; without a unit: ms
  kText,
  kTexts,   // text; may be given several times
  kChoice,  // one of `choices`
  kFile,
};

struct Flag {
  std::string_view name;  // "--limit"
  char letter = 0;        // 'n' for -n
  FlagType type = FlagType::kSwitch;
  std::string_view value;    // "N"; for choices "WHAT"
  std::string_view help;     // one line
  std::string_view choices;  // "op|module|line"
};

struct Example {
  std::string_view line;     // "warpscope kernels trace.json.gz --limit 10"
  std::string_view meaning;  // what it shows
};

enum class Group : uint8_t { kVerdict, kTables, kExchange, kWithoutFile, kProgram };
std::string_view GroupTitle(Group group);

// Which shared flags a command takes (bits).
enum Shared : uint8_t {
  kInput = 1,   // FILE... --threads
  kSelect = 2,  // --rank --device --step --from --to
  kJson = 4,    // --json
  kTable = 8,   // --csv --limit --sort --match --wide --lang
  kLang = 16,   // --lang
};

struct Command {
  std::string_view name;
  std::string_view summary;  // one line, no full stop
  Group group = Group::kTables;
  std::string_view operands;  // "FILE...", "bash|zsh|fish", ""
  std::string_view details;   // paragraphs for --help and the manual
  std::span<const Example> examples;
  uint8_t shared = 0;
  std::span<const Flag> flags;  // own ones
  Status (*run)(const Args& args, Io& io) = nullptr;
  std::string (*words)() = nullptr;  // further words, separated by spaces, that an operand may be: for completion
  int usage_exit = 2;                // status of a wrong command line: kExitUsage, but where 2 is an answer
  bool hidden = false;               // not in help, manual and completion
};

// All, in the order of commands.def (by name).
std::span<const Command* const> AllCommands();
const Command* FindCommand(std::string_view name);
// The shared flags that `command` takes, then its own, then --no-color and --help; one row each.
void ForEachFlag(const Command& command, void (*visit)(const Flag& flag, void* context), void* context);
template <typename F>
void VisitFlags(const Command& command, F visit) {
  ForEachFlag(
      command, [](const Flag& flag, void* context) { (*static_cast<F*>(context))(flag); }, &visit);
}

}  // namespace warpscope::cli
