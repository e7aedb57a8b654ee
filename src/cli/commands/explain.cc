// warpscope explain "TEXT" | --file LOG | < LOG
#include "explain/explain.h"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/args.h"
#include "cli/command.h"
#include "cli/io.h"
#include "cli/table_command.h"
#include "cli/text_source.h"
#include "report/explain_report.h"
#include "view/table.h"

namespace warpscope::cli {
namespace {

constexpr Example kExamples[] = {
    {"warpscope explain \"no kernel image is available for execution on the device\"",
     "what one message means and what to do"},
    {"python train.py 2>&1 | tee run.log; warpscope explain --file run.log",
     "the first cause in a log of all ranks, and what followed from it"},
    {"warpscope explain --list --match nccl", "which errors are known"},
};

constexpr Flag kFlags[] = {
    {"--file", 'f', FlagType::kFile, "LOG", "read this log (- is standard input)", ""},
    {"--all", 0, FlagType::kSwitch, "", "the whole answer for every error found, not only for the first cause", ""},
    {"--list", 0, FlagType::kSwitch, "", "a table of the errors that are known", ""},
};

view::Table ListTable() {
  using view::Kind;
  view::Table table;
  table.name = "explain";
  table.title = "Errors that are known";
  table.columns = {{"id", "id", Kind::kText},
                   {"family", "family", Kind::kText, view::kDataOnly},
                   {"source", "source", Kind::kText, view::kDataOnly},
                   {"title", "error", Kind::kSentence}};
  size_t count = 0;
  for (const explain::Family& family : explain::Families()) {
    for (const explain::Entry& entry : family.entries) {
      table.rows.push_back(
          {view::Text(entry.id), view::Text(family.title), view::Text(entry.source), view::Text(entry.title)});
      ++count;
    }
  }
  table.summary = {fmt::format("{} errors.", count)};
  return table;
}

Status RunExplain(const Args& args, Io& io) {
  if (args.Has("--list")) return PrintTable(ListTable(), args, io);
  for (const char* flag : {"--csv", "--limit", "--sort", "--match", "--wide"}) {
    if (args.Has(flag)) return {StatusCode::kInvalidArgument, fmt::format("{} goes with --list", flag)};
  }
  auto path = args.Text("--file");
  if (path && !args.operands().empty()) return {StatusCode::kInvalidArgument, "give either a text or --file"};
  if (!path && args.operands().size() == 1 && args.operands()[0] == "-") path = "-";
  // A file's name in place of a text: no error text names a file that is there.
  if (!path && args.operands().size() == 1 && ::access(args.operands()[0].c_str(), R_OK) == 0)
    path = args.operands()[0];
  explain::Reader reader;
  report::ExplainOptions options;
  options.all = args.Has("--all");
  if (path || args.operands().empty()) {
    if (!path && ::isatty(STDIN_FILENO) == 1)
      return {StatusCode::kInvalidArgument,
              "expected a text in quotes, --file LOG, or a log on standard input; see: warpscope explain --help"};
    options.source = path && *path != "-" ? *path : "standard input";
    WS_RETURN_IF_ERROR(ReadText(path.value_or("-"), [&](std::string_view bytes) { reader.Feed(bytes); }));
  } else {
    std::string text;
    for (const std::string& word : args.operands()) text += (text.empty() ? "" : " ") + word;
    reader.Feed(text);
  }
  const explain::Diagnosis diagnosis = reader.Finish();
  io.out += args.Has("--json") ? report::ExplainJson(diagnosis, options)
                               : report::ExplainText(diagnosis, io.terminal, options);
  if (diagnosis.findings.empty()) io.exit_code = 1;
  return Status::Ok();
}

}  // namespace

namespace commands {
extern const Command kExplain;
const Command kExplain = {
    .name = "explain",
    .summary = "What an error message means, its first cause in a log, and what to do",
    .group = Group::kVerdict,
    .operands = "[TEXT]",
    .details =
        "Recognises errors of CUDA, PyTorch, TensorFlow, JAX, NCCL, containers, Windows and other vendors' GPUs in a "
        "message or a "
        "whole log of many ranks, works out the numbers in it, and says what it means, the most likely cause, checks "
        "in order, the fix, and "
        "what not to do. Consequences of the first error are told apart. Lines of the kernel's log are for `warpscope "
        "faults`. Exit code: 0 "
        "where something is recognised, 1 where nothing is.",
    .examples = kExamples,
    .shared = kJson | kTable,
    .flags = kFlags,
    .run = RunExplain,
};
}  // namespace commands
}  // namespace warpscope::cli
