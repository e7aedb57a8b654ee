#include "cli/app.h"

#include <fmt/format.h>

#include <exception>
#include <filesystem>

#include "base/version.h"
#include "cli/args.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/suggest.h"
#include "report/text.h"

namespace warpscope::cli {
namespace {

int ExitCodeOf(const Status& status) {
  switch (status.code()) {
    case StatusCode::kOk: return kExitOk;
    case StatusCode::kInvalidArgument: return kExitUsage;
    case StatusCode::kNotFound:
    case StatusCode::kCorrupt:
    case StatusCode::kUnsupported:
    case StatusCode::kIo: return kExitInput;
    case StatusCode::kOutput: return kExitOutput;
  }
  return kExitInternal;
}

int Fail(Io& io, int code, std::string_view message) {
  io.Warn(message);
  return code;
}

int RunCommand(const Command& command, const std::vector<std::string>& words, Io& io) {
  auto args = Args::Parse(command, words);
  if (!args.ok()) return Fail(io, command.usage_exit, args.status().message());
  if (args->Has("--no-color")) io.terminal.color = false;
  if (const auto language = args->Text("--lang")) {
    io.terminal.language = lang::ParseLanguage(*language).value_or(lang::Language::kEnglish);
    // Asked for by name: the locale of the process does not matter.
    if (io.terminal.language != lang::Language::kEnglish) io.terminal.utf8 = true;
  }
  if (args->Has("--help")) {
    io.out += CommandHelp(command, io.terminal);
    return kExitOk;
  }
  const Status status = command.run(*args, io);
  if (status.ok()) return io.exit_code.value_or(kExitOk);
  return Fail(io, ExitCodeOf(status), io.terminal.Say(status.message()));
}

bool LooksLikeInput(const std::string& word) {
  std::error_code error;
  return word == "-" || word.find_first_of("./") != std::string::npos || std::filesystem::exists(word, error);
}

int UnknownWord(const std::string& word, Io& io) {
  std::vector<std::string_view> names;
  for (const Command* command : AllCommands()) {
    if (!command->hidden) names.push_back(command->name);
  }
  const std::string_view near = Nearest(word, names);
  const std::string advice = near.empty() ? "see: warpscope --help" : fmt::format("did you mean: warpscope {}?", near);
  return Fail(io, kExitUsage, fmt::format("'{}' is no command and no file; {}", word, advice));
}

int Dispatch(const std::vector<std::string>& words, Io& io) {
  if (words.empty()) {
    io.out += ShortHelp(io.terminal);
    return kExitOk;
  }
  const std::string& first = words[0];
  const std::vector<std::string> rest(words.begin() + 1, words.end());
  if (first == "--help" || first == "-h" || first == "help") {
    if (rest.empty()) io.out += FullHelp(io.terminal);
    else if (const Command* command = FindCommand(rest[0])) io.out += CommandHelp(*command, io.terminal);
    else return UnknownWord(rest[0], io);
    return kExitOk;
  }
  if (first == "--version" || first == "-V") return RunCommand(*FindCommand("version"), rest, io);
  if (const Command* command = FindCommand(first)) return RunCommand(*command, rest, io);
  // A file name alone, or with options: the main job.
  if (first[0] == '-' || LooksLikeInput(first)) return RunCommand(*FindCommand("analyze"), words, io);
  return UnknownWord(first, io);
}

}  // namespace

int Run(const std::vector<std::string>& words, Io& io) {
  // Nothing of ours throws, but libraries below may (out of memory): say so instead of aborting.
  try {
    return Dispatch(words, io);
  } catch (const std::bad_alloc&) {
    return Fail(io, kExitInternal, "out of memory; try a machine with more, or a shorter recording");
  } catch (const std::exception& error) {
    return Fail(io, kExitInternal,
                fmt::format("internal fault: {}; please report it with the command you ran", error.what()));
  }
}

}  // namespace warpscope::cli
