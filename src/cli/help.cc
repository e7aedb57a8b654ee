#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/version.h"
#include "cli/app.h"
#include "report/text.h"

namespace warpscope::cli {
namespace {

using report::Ink;
using report::Terminal;

constexpr std::string_view kTagline = "Where the time of a GPU program goes, why, and what a change would gain.";

// Severity of what doctor and faults found (doctor/doctor.h, commands/faults.cc).
constexpr int kExitWarnings = 10, kExitBroken = 11, kExitCritical = 12;

constexpr ExitCodeRow kExitCodes[] = {
    {kExitOk, "done; what was found, good or bad, is in the output; a table without rows says why it has none"},
    {kExitInput,
     "the input cannot be read, or is of a kind that the command cannot use (a table of a timeline, of counters "
     "alone); "
     "compare, loop, try: the program cannot be run, or failed; doctor capture: a check failed; explain: nothing "
     "recognised; diff, verify: not comparable; gate: a regression"},
    {kExitUsage, "the command line is wrong; nothing was read; gate: not comparable, or inconclusive"},
    {kExitOutput, "the output, or a file or folder that the command was to write, could not be written"},
    {kExitInternal, "a fault of warpscope itself; please report it"},
    {kExitNoAnswer, "gate: nothing was judged: the command line is wrong, or something cannot be read"},
    {kExitWarnings, "doctor, faults: warnings"},
    {kExitBroken, "doctor: a layer is broken; faults: work was lost"},
    {kExitCritical,
     "doctor, faults: a device, link or machine is unusable until somebody acts (reset, repair, replace)"},
    {kExitRecord, "record, counters: the program was not started; else they end with the program's own code"},
    {kExitCannotRun, "record, counters: the program was found but cannot be run"},
    {kExitNoProgram, "record, counters: the program was not found"},
};

constexpr EnvironmentRow kEnvironment[] = {
    {"NO_COLOR", "any value: no colour"},
    {"TERM", "dumb or unset: no colour"},
    {"COLUMNS", "width of the output (60 to 200); default: the terminal's, else 100"},
    {"LC_ALL, LC_CTYPE, LANG", "without UTF-8 in the first that is set, only ASCII is printed"},
};

constexpr Example kFirstSteps[] = {
    {"warpscope trace.json.gz", "the verdict: where a step goes, why, what to change"},
    {"warpscope kernels trace.json.gz", "the kernels behind it"},
    {"warpscope occupancy --cc 9.0 --block 256 --regs 64", "what limits a kernel; needs no file"},
};

std::string Usage(const Command& command) {
  std::string text = fmt::format("{} {}", kProductName, command.name);
  if (!command.operands.empty()) text += fmt::format(" {}", command.operands);
  // What stands behind -- is the program's.
  size_t program = text.find("-- ");
  if (program == std::string::npos) return text + " [OPTIONS]";
  if (text[program - 1] == '[') --program;
  return text.substr(0, program) + "[OPTIONS] " + text.substr(program);
}

// A name that leaves no room for the text stands above it, cut between its choices.
void Row(std::string& out, const Terminal& terminal, std::string_view name, size_t width, std::string_view text) {
  constexpr size_t kRoomForText = 24;
  std::string head = "  " + report::PadRight(std::string(name), width) + "  ";
  std::string block;
  if (head.size() + kRoomForText > terminal.columns) {
    std::string line = "  ";
    for (size_t at = 0; at < name.size();) {
      const size_t end = std::min(name.find('|', at), name.size() - 1) + 1;
      if (line.size() + end - at > terminal.columns) {
        block += line + '\n';
        line = "      ";
      }
      line += name.substr(at, end - at);
      at = end;
    }
    block += line + '\n';
    head = std::string(width + 4, ' ');
  }
  report::AppendWrapped(block, terminal, head, std::string(head.size(), ' '), text);
  out += block;
}

void Heading(std::string& out, const Terminal& terminal, std::string_view text) {
  out += fmt::format("\n{}\n", terminal.Paint(text, Ink::kBold));
}

void Examples(std::string& out, const Terminal& terminal, std::span<const Example> examples) {
  for (const Example& example : examples) {
    out += fmt::format("  {}\n", terminal.Paint(example.line, Ink::kCommand));
    report::AppendWrapped(out, terminal, "      ", "      ", example.meaning);
  }
}

void CommandRows(std::string& out, const Terminal& terminal) {
  for (const Group group : {Group::kVerdict, Group::kTables, Group::kExchange, Group::kWithoutFile, Group::kProgram}) {
    Heading(out, terminal, GroupTitle(group));
    for (const Command* command : AllCommands()) {
      if (command->group == group && !command->hidden) Row(out, terminal, command->name, 13, command->summary);
    }
  }
}

}  // namespace

std::span<const ExitCodeRow> ExitCodes() { return kExitCodes; }
std::span<const EnvironmentRow> Environment() { return kEnvironment; }

std::string FlagUsage(const Flag& flag) {
  std::string text = flag.letter ? fmt::format("-{}, {}", flag.letter, flag.name) : std::string(flag.name);
  if (flag.type == FlagType::kChoice) text += fmt::format(" {}", flag.choices);
  else if (flag.type != FlagType::kSwitch) text += fmt::format(" {}", flag.value);
  return text;
}

std::string ShortHelp(const Terminal& terminal) {
  std::string out = fmt::format("{} {}\n{}\n\n", kProductName, kVersion, kTagline);
  Examples(out, terminal, kFirstSteps);
  out += "\nAll commands: warpscope --help    One command: warpscope COMMAND --help\n";
  return out;
}

std::string FullHelp(const Terminal& terminal) {
  std::string out = fmt::format("{}\n", kTagline);
  out +=
      "\nUsage: warpscope COMMAND FILE... [OPTIONS]\n       warpscope FILE...                (the same as: warpscope "
      "analyze FILE...)\n";
  report::AppendWrapped(
      out, terminal, "", "",
      "FILE is what a profiler or monitor wrote: torch.profiler (Kineto), Nsight Systems (.sqlite, .nsys-rep), Nsight "
      "Compute (.ncu-rep, --csv), rocprofv3, rocpd and rocprof, msprof and torch_npu, unitrace, JAX (.xplane.pb), "
      "Perfetto, chrome traces, nvidia-smi, rocm-smi, xpu-smi, Prometheus scrapes, or a run folder of Parquet files. "
      "Several files, or a folder, become one run; - is standard input. It is recognised by its content.");
  CommandRows(out, terminal);
  Heading(out, terminal, "Examples");
  Examples(out, terminal, kFirstSteps);
  Heading(out, terminal, "Exit codes");
  for (const ExitCodeRow& row : kExitCodes) Row(out, terminal, fmt::format("{}", row.code), 3, row.meaning);
  out += "\nOptions of a command: warpscope COMMAND --help\n";
  return out;
}

std::string CommandHelp(const Command& command, const Terminal& terminal) {
  std::string out;
  report::AppendWrapped(out, terminal, "", "", command.summary, Ink::kBold);
  out += fmt::format("\nUsage: {}\n", Usage(command));
  if (!command.details.empty()) {
    out += '\n';
    for (std::string_view rest = command.details; !rest.empty();) {
      const size_t end = std::min(rest.find('\n'), rest.size());
      if (end == 0) out += '\n';
      else report::AppendWrapped(out, terminal, "", "", rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  Heading(out, terminal, "Examples");
  Examples(out, terminal, command.examples);
  Heading(out, terminal, "Options");
  size_t width = 0;
  VisitFlags(command, [&](const Flag& flag) { width = std::max(width, FlagUsage(flag).size()); });
  width = std::min<size_t>(width, 32);
  VisitFlags(command, [&](const Flag& flag) { Row(out, terminal, FlagUsage(flag), width, flag.help); });
  return out;
}

}  // namespace warpscope::cli
