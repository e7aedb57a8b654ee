// warpscope report FILE...
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/report_content.h"
#include "cli/report_page.h"
#include "cli/whole_file.h"
#include "export/place.h"
#include "report/text.h"
#include "view/format.h"

namespace warpscope::cli {
namespace {

constexpr Example kExamples[] = {
    {"warpscope report run1", "writes run1.html: verdict, timeline, flame graphs and tables, for any browser"},
    {"warpscope report trace.json.gz -o slow.html", "under another name"},
    {"warpscope report after.json.gz --against before.json.gz", "with the comparison of the two"},
    {"warpscope report ranks/ --rank 2", "all ranks, the verdict of one"},
};

constexpr Flag kFlags[] = {
    {"--output", 'o', FlagType::kFile, "FILE",
     "file to write (default: the input's name with .html, in this folder); - for standard output", ""},
    {"--force", 'f', FlagType::kSwitch, "", "replace the file", ""},
    {"--rank", 0, FlagType::kCount, "N", "judge this rank", ""},
    {"--against", 0, FlagType::kFile, "BEFORE", "add what became of the step since this earlier recording", ""},
    {"--step-ms", 0, FlagType::kNumber, "MS", "the step time without a profiler, in ms, if you know it", ""},
    {"--page", 0, FlagType::kFile, "FILE", "put the data into this page instead of the built-in one", ""},
};

Status RunReport(const Args& args, Io& io) {
  const std::vector<std::string>& paths = args.operands();
  if (paths.empty())
    return {StatusCode::kInvalidArgument, "no file given; for example: warpscope report trace.json.gz"};
  WS_ASSIGN_OR_RETURN(const std::string page_text, PageText(args));
  const std::string place = args.Text("--output").value_or(exporting::DefaultOutput(paths, ".html"));
  const auto other = args.Text("--against");
  std::vector<std::string> inputs = paths;
  if (other) inputs.push_back(*other);
  if (place != "-") WS_RETURN_IF_ERROR(CheckFilePlace(place, inputs, {"-o", args.Has("--force")}));
  WS_ASSIGN_OR_RETURN(ReportContent content, LoadReport(paths, args, io));
  if (other) WS_RETURN_IF_ERROR(AddComparison(*other, args, io, &content));
  const page::Page page = page::Pack(content.Content());
  WS_ASSIGN_OR_RETURN(std::string text, page::FillTemplate(page_text, page.sections));
  if (place == "-") {
    io.out = std::move(text);
    return Status::Ok();
  }
  WS_RETURN_IF_ERROR(WriteWholeFile(place, text));
  io.out += fmt::format("{}: {}. Open it in a browser; it needs no network.\n", report::Clean(place, io.terminal.utf8),
                        view::FormatBytes(static_cast<double>(text.size())));
  return Status::Ok();
}

}  // namespace

namespace commands {
extern const Command kReport;
const Command kReport = {
    .name = "report",
    .summary = "Write one HTML file with verdict, timeline, flame graphs and tables",
    .group = Group::kExchange,
    .operands = "FILE...",
    .details =
        "The file holds everything that it shows and asks no network for anything, so it can be sent to others: it "
        "carries the names of kernels, operators, files and hosts that were recorded. --against adds the "
        "comparison with an earlier recording. Recordings of more than 3 million spans lose their shortest ones in a "
        "file; "
        "`warpscope view` shows all.",
    .examples = kExamples,
    .shared = kInput | kLang,
    .flags = kFlags,
    .run = RunReport,
};
}  // namespace commands
}  // namespace warpscope::cli
