// Shell completion scripts. They hold every command and option as text, so completing never starts the program.
#include <fmt/format.h>

#include "cli/help.h"

namespace warpscope::cli {
namespace {

std::string Joined(std::string_view choices, char separator) {
  std::string out(choices);
  for (char& c : out) {
    if (c == '|') c = separator;
  }
  return out;
}

template <typename F>
void ForEachShown(F visit) {
  for (const Command* command : AllCommands()) {
    if (!command->hidden) visit(*command);
  }
}

// What a command's operands may be, by the words that its help shows: "RUN start|stop", "[capture] [-- PROGRAM]".
struct Operands {
  std::string words;     // fixed ones, separated by spaces
  bool files = false;    // of a file's or a program's name
  bool folders = false;  // only folders: runs
};

Operands OperandsOf(const Command& command) {
  Operands operands;
  std::string_view rest = command.operands;
  while (!rest.empty()) {
    std::string_view token = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), token.size() + 1));
    while (!token.empty() && token.front() == '[') token.remove_prefix(1);
    while (!token.empty() && (token.back() == ']' || token.back() == '.')) token.remove_suffix(1);
    if (token.empty() || token == "|" || token.front() == '-') continue;
    if (token.front() >= 'A' && token.front() <= 'Z') {
      const bool is_run = token == "RUN" && (command.shared & kInput) == 0;
      (is_run ? operands.folders : operands.files) = true;
    } else {
      operands.words += (operands.words.empty() ? "" : " ") + Joined(token, ' ');
    }
  }
  operands.folders &= !operands.files;
  return operands;
}

std::string Bash() {
  std::string names, cases;
  ForEachShown([&](const Command& command) {
    names += fmt::format("{}{}", names.empty() ? "" : " ", command.name);
    std::string flags, values;
    VisitFlags(command, [&](const Flag& flag) {
      flags += fmt::format("{}{}", flags.empty() ? "" : " ", flag.name);
      if (flag.type == FlagType::kChoice) {
        values += fmt::format("        {}) COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); return ;;\n", flag.name,
                              Joined(flag.choices, ' '));
      } else if (flag.type != FlagType::kSwitch && flag.type != FlagType::kFile) {
        values += fmt::format("        {}) return ;;\n", flag.name);
      }
    });
    cases += fmt::format("    {})\n      flags=\"{}\"\n", command.name, flags);
    const Operands operands = OperandsOf(command);
    if (!operands.words.empty()) cases += fmt::format("      words=\"{}\"\n", operands.words);
    if (operands.folders) cases += "      files=folders\n";
    else if (!operands.files) cases += "      files=\n";
    if (command.words) cases += fmt::format("      words=\"{}\"\n", command.words());
    if (!values.empty()) cases += fmt::format("      case \"$before\" in\n{}      esac\n", values);
    cases += "      ;;\n";
  });
  return fmt::format(
      R"(# bash completion of warpscope; install as completions/warpscope, or: source <(warpscope completion bash)
_warpscope() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" flags="" words="" files=yes
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ] && [[ "$word" != -* ]]; then
    COMPREPLY=($(compgen -W "{} help" -- "$word") $(compgen -f -- "$word"))
    return
  fi
  case "${{COMP_WORDS[1]}}" in
    help) COMPREPLY=($(compgen -W "{}" -- "$word")); return ;;
{}    *) flags="--help --version" ;;
  esac
  if [[ "$word" == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$word"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$word"))
    case "$files" in
      yes) COMPREPLY+=($(compgen -f -- "$word")) ;;
      folders) COMPREPLY+=($(compgen -d -- "$word")) ;;
    esac
  fi
}}
complete -o filenames -F _warpscope warpscope
)",
      names, names, cases);
}

// Within single quotes of zsh and fish.
std::string Quoted(std::string_view text, std::string_view quote_as) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') out += quote_as;
    else out += c;
  }
  return out;
}

// Text inside [...] of a zsh _arguments spec, where : and ] have a meaning.
std::string ZshHelp(std::string_view text) {
  std::string out;
  for (const char c : Quoted(text, "'\\''")) {
    if (c == ':' || c == '[' || c == ']') out += '\\';
    out += c;
  }
  return out;
}

std::string Zsh() {
  std::string names, cases;
  ForEachShown([&](const Command& command) {
    names += fmt::format("    '{}:{}'\n", command.name, ZshHelp(command.summary));
    cases += fmt::format("    {})\n      _arguments", command.name);
    VisitFlags(command, [&](const Flag& flag) {
      cases += fmt::format(" \\\n        '{}[{}]", flag.name, ZshHelp(flag.help));
      if (flag.type == FlagType::kChoice) cases += fmt::format(":value:({})", Joined(flag.choices, ' '));
      else if (flag.type == FlagType::kFile) cases += ":file:_files";
      else if (flag.type != FlagType::kSwitch) cases += fmt::format(":{}:", flag.value);
      cases += '\'';
    });
    const Operands operands = OperandsOf(command);
    const std::string_view files = operands.folders ? "_files -/" : "_files";
    const bool takes_files = operands.files || operands.folders;
    const std::string words = operands.words + (command.words ? " " + command.words() : std::string());
    if (!words.empty() && takes_files)
      cases += fmt::format(" \\\n        '*:file or word:{{{}; compadd -- {}}}'", files, words);
    else if (!words.empty()) cases += fmt::format(" \\\n        '1:word:({})'", words);
    else if (takes_files) cases += fmt::format(" \\\n        '*:file:{}'", files);
    cases += "\n      ;;\n";
  });
  return fmt::format(R"(#compdef warpscope
_warpscope() {{
  local -a commands
  commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    _files
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{}    *) _files ;;
  esac
}}
if [ "$funcstack[1]" = "_warpscope" ]; then
  _warpscope "$@"
else
  compdef _warpscope warpscope
fi
)",
                     names, cases);
}

std::string Fish() {
  std::string out = "# fish completion of warpscope; install as completions/warpscope.fish\n";
  ForEachShown([&](const Command& command) {
    out += fmt::format("complete -c warpscope -n __fish_use_subcommand -a '{}' -d '{}'\n", command.name,
                       Quoted(command.summary, "\\'"));
  });
  ForEachShown([&](const Command& command) {
    const std::string when = fmt::format("complete -c warpscope -n '__fish_seen_subcommand_from {}'", command.name);
    VisitFlags(command, [&](const Flag& flag) {
      out += fmt::format("{} -l {} -d '{}'", when, flag.name.substr(2), Quoted(flag.help, "\\'"));
      if (flag.letter) out += fmt::format(" -s {}", flag.letter);
      if (flag.type == FlagType::kChoice) out += fmt::format(" -x -a '{}'", Joined(flag.choices, ' '));
      else if (flag.type == FlagType::kFile) out += " -r";
      else if (flag.type != FlagType::kSwitch) out += " -x";
      out += '\n';
    });
    const Operands operands = OperandsOf(command);
    const bool takes_files = operands.files || operands.folders;
    if (!operands.words.empty()) out += fmt::format("{} {}-a '{}'\n", when, takes_files ? "" : "-f ", operands.words);
    if (command.words) out += fmt::format("{} -a '{}'\n", when, command.words());
  });
  return out;
}

}  // namespace

std::string CompletionScript(Shell shell) {
  switch (shell) {
    case Shell::kBash: return Bash();
    case Shell::kZsh: return Zsh();
    case Shell::kFish: return Fish();
  }
  return "";
}

}  // namespace warpscope::cli
