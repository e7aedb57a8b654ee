#include "cli/partition.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "import/import.h"
#include "import/inputs.h"
#include "store/run_writer.h"

namespace warpscope::cli {
namespace {

Status Wrong(std::string message) { return {StatusCode::kInvalidArgument, std::move(message)}; }

// The recorded host and rank; a rank that was not recorded is that of the file's name, else its place in the order.
std::string PartitionOf(const model::Trace& trace, const std::string& run, std::optional<int64_t> hint, size_t number) {
  const model::Source& source = trace.sources.front();
  const int64_t rank = source.rank.value_or(hint.value_or(static_cast<int64_t>(number)));
  return fmt::format("run={}/host={}/rank={}", store::PartitionValue(run), store::PartitionValue(source.host_name),
                     rank);
}

}  // namespace

Status WritePartitions(const Args& args, const std::string& run, Io& io) {
  const auto tree = args.Text("--output");
  if (args.Text("--to") != "parquet") return Wrong("--partition goes with --to parquet");
  if (!tree || *tree == "-") return Wrong("--partition needs the folder of the tree: -o TREE");
  WS_ASSIGN_OR_RETURN(const std::vector<import::InputFile> files, import::ExpandInputs(args.operands()));
  std::set<std::string> written;
  import::Options options;
  options.threads = static_cast<unsigned>(std::min<uint64_t>(args.Count("--threads").value_or(0), 256));
  for (size_t i = 0; i < files.size(); ++i) {
    auto trace = import::Load({files[i].path}, options);
    if (!trace.ok()) {
      io.Warn(fmt::format("not written: {}", trace.status().message()));
      continue;
    }
    const store::RunPlace place{*tree, PartitionOf(*trace, run, files[i].rank_hint, i), *tree};
    if (!written.insert(place.partition).second)
      return Wrong(fmt::format("{}: a second file of {}; give the files of one rank as one recording", files[i].path,
                               place.partition));
    std::error_code ignored;
    if (!args.Has("--force") && std::filesystem::exists(std::filesystem::path(*tree) / place.ManifestFile(), ignored))
      return Wrong(fmt::format("{}: {} is there already; --force replaces it", *tree, place.partition));
    WS_RETURN_IF_ERROR(store::WriteRun(*trace, place, {options.threads, nullptr}).status());
    io.out += fmt::format("{}: {}\n", *tree, place.partition);
    if (io.progress) io.progress(static_cast<double>(i + 1) / static_cast<double>(files.size()));
  }
  if (written.empty()) return {StatusCode::kUnsupported, "none of the files could be read; nothing was written"};
  return Status::Ok();
}

}  // namespace warpscope::cli
