// warpscope convert FILE... --to FORMAT
#include <fmt/format.h>

#include <filesystem>

#include "cli/command.h"
#include "cli/loaded.h"
#include "cli/partition.h"
#include "export/export.h"
#include "export/place.h"
#include "report/text.h"
#include "view/format.h"

namespace warpscope::cli {
namespace {

constexpr Example kExamples[] = {
    {"warpscope convert trace.json.gz --to sqlite", "writes trace.sqlite, which the scripts made for nsys can query"},
    {"warpscope convert ranks/ --to sqlite -o all.sqlite", "all ranks in one file"},
    {"warpscope convert trace.json.gz --to parquet -o RUN", "a folder of Parquet files; `warpscope RUN` reads it"},
    {"warpscope convert ranks/ --to parquet --partition night1 -o TREE", "a partition a rank, for a cluster's engine"},
};

// "chrome|csv|..." with a bar too many at the end.
constexpr std::string_view kFormatBars =
#define WS_EXPORTER(file, constant, id) id "|"
#include "export/exporters.def"
#undef WS_EXPORTER
    ;
constexpr std::string_view kFormats = kFormatBars.substr(0, kFormatBars.size() - 1);

constexpr Flag kFlags[] = {
    {"--to", 't', FlagType::kChoice, "FORMAT", "what to write", kFormats},
    {"--output", 'o', FlagType::kFile, "PLACE",
     "file or folder to write (default: the input's name with the format's ending, in this folder); - for standard "
     "output",
     ""},
    {"--by", 0, FlagType::kChoice, "TIME", "folded: count device time below the host's stack, or the host's own time",
     "device|host"},
    {"--force", 'f', FlagType::kSwitch, "", "replace what stands there", ""},
    {"--partition", 0, FlagType::kText, "RUN",
     "parquet: add each file to the tree -o TREE as run=RUN/host=.../rank=... (docs/scale.md)", ""},
};

Status Wrong(std::string message) { return {StatusCode::kInvalidArgument, std::move(message)}; }

uint64_t SizeBytes(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_directory(path, error)) return static_cast<uint64_t>(fs::file_size(path, error));
  uint64_t sum = 0;
  for (fs::recursive_directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
    if (it->is_regular_file(error)) sum += it->file_size(error);
  }
  return sum;
}

Status ToStandardOutput(const exporting::Exporter& exporter, const model::Trace& trace,
                        const exporting::Options& options, Io& io) {
  WS_ASSIGN_OR_RETURN(const exporting::Written written, exporter.write(trace, "/dev/stdout", options));
  for (const std::string& sentence : written.left_out) io.err += Message("note", sentence, io.terminal);
  return Status::Ok();
}

Status RunConvert(const Args& args, Io& io) {
  const auto format = args.Text("--to");
  if (!format) return Wrong(fmt::format("convert needs --to {}; see: warpscope convert --help", kFormats));
  const exporting::Exporter* exporter = exporting::FindExporter(*format);
  if (exporter == nullptr) return Wrong(fmt::format("--to {}: there is no such format", *format));
  if (args.operands().empty()) return Wrong("convert needs a file; see: warpscope convert --help");
  if (const auto run = args.Text("--partition")) return WritePartitions(args, *run, io);
  const bool to_stdout = args.Text("--output") == "-";
  if (to_stdout && exporter->layout != exporting::Layout::kText)
    return Wrong(fmt::format("--to {} cannot go to standard output; give a name with -o", *format));
  const exporting::Place place{
      args.Text("--output").value_or(exporting::DefaultOutput(args.operands(), exporter->suffix)), args.Has("--force"),
      args.operands()};
  if (!to_stdout) WS_RETURN_IF_ERROR(exporting::CheckPlace(*exporter, place));
  // Reading and writing each take about half of the time.
  Io half = io;
  if (io.progress) half.progress = [&io](double ratio) { io.progress(ratio / 2); };
  WS_ASSIGN_OR_RETURN(const auto trace, LoadTrace(args, half));
  exporting::Options options;
  const bool no_device = *format == "folded" && !args.Text("--by") && trace->gpu.size() == 0 && trace->host.size() > 0;
  if (no_device || args.Text("--by") == "host") options.fold_by = exporting::Options::FoldBy::kHost;
  if (to_stdout) return ToStandardOutput(*exporter, *trace, options, io);
  if (io.progress) options.progress = [&io](double ratio) { io.progress(0.5 + ratio / 2); };
  WS_ASSIGN_OR_RETURN(const exporting::Written written, exporting::WriteTo(*exporter, *trace, place, options));
  io.out += fmt::format("{}: {}, {} events, {}\n", report::Clean(place.path, io.terminal.utf8), exporter->title,
                        view::FormatCount(static_cast<int64_t>(written.event_count)),
                        view::FormatBytes(static_cast<double>(SizeBytes(place.path))));
  if (no_device) io.out += "  no device work was recorded: the stacks are those of the host's own time\n";
  for (const std::string& sentence : written.left_out) io.out += fmt::format("  not in it: {}\n", sentence);
  return Status::Ok();
}

}  // namespace

namespace commands {
extern const Command kConvert;
const Command kConvert = {
    .name = "convert",
    .summary = "Write a recording in another tool's format",
    .group = Group::kExchange,
    .operands = "FILE...",
    .details =
        "Reads any recording that warpscope knows and writes it for other tools. What the format has no place for is "
        "named behind the result. Nothing is replaced without --force, and never an input.",
    .examples = kExamples,
    .shared = kInput,
    .flags = kFlags,
    .run = RunConvert,
};
}  // namespace commands
}  // namespace warpscope::cli
