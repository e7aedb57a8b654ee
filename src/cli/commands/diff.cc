// warpscope diff A B
#include "analysis/diff/diff.h"

#include <fmt/format.h>

#include "cli/app.h"
#include "cli/command.h"
#include "cli/diff_input.h"
#include "cli/loaded.h"
#include "report/diff_report.h"

namespace warpscope::cli {
namespace {

constexpr Example kExamples[] = {
    {"warpscope diff before.json.gz after.json.gz", "whether the step became faster, by how much, and why"},
    {"warpscope diff run1 run2 --all", "two run folders, with every cause and difference of the environment"},
    {"warpscope diff old.sqlite new.json.gz --json", "recordings of different tools, for a program"},
    {"warpscope diff ranks_a/ ranks_b/ --rank 3", "one rank of several"},
};

constexpr Flag kFlags[] = {
    {"--all", 'a', FlagType::kSwitch, "", "show every cause, difference of the environment and figure", ""},
    {"--min-effect", 0, FlagType::kNumber, "PCT", "smallest change of the step that counts, in % (default: 1)", ""},
    {"--rank", 0, FlagType::kCount, "N", "compare this rank (default: the one whose own work changed most)", ""},
    {"--force", 'f', FlagType::kSwitch, "", "compare recordings that are not comparable too", ""},
};

Status CheckRank(const analysis::Index& index, uint64_t rank, const std::string& path) {
  if (rank <= INT64_MAX && index.RankNumbered(static_cast<int64_t>(rank)) != nullptr) return Status::Ok();
  return {StatusCode::kInvalidArgument,
          fmt::format("--rank {}: {} has no such rank; there are: {}", rank, path, index.RankNumbers())};
}

Status RunDiff(const Args& args, Io& io) {
  const std::vector<std::string>& paths = args.operands();
  if (paths.size() != 2) {
    return {StatusCode::kInvalidArgument,
            fmt::format("diff takes two recordings, the earlier first, and got {}; for example: warpscope diff "
                        "before.json.gz after.json.gz (several files of one recording: put them into a folder)",
                        paths.size())};
  }
  WS_ASSIGN_OR_RETURN(const auto trace_a, LoadTrace({paths[0]}, args, io));
  WS_ASSIGN_OR_RETURN(const auto trace_b, LoadTrace({paths[1]}, args, io));
  const analysis::Index a(*trace_a), b(*trace_b);
  analysis::DiffOptions options;
  options.force = args.Has("--force");
  options.min_effect_pct = args.Number("--min-effect").value_or(options.min_effect_pct);
  if (const auto rank = args.Count("--rank")) {
    WS_RETURN_IF_ERROR(CheckRank(a, *rank, paths[0]));
    WS_RETURN_IF_ERROR(CheckRank(b, *rank, paths[1]));
    options.rank = static_cast<int64_t>(*rank);
  }
  const analysis::Diff diff = analysis::Compare(a, b, options);
  const report::DiffInput input_a = DiffInputOf(*trace_a, paths[0]), input_b = DiffInputOf(*trace_b, paths[1]);
  io.out += args.Has("--json") ? report::DiffJson(diff, input_a, input_b)
                               : report::DiffText(diff, input_a, input_b, io.terminal, {.all = args.Has("--all")});
  if (diff.outcome == analysis::Outcome::kNotComparable) io.exit_code = kExitInput;
  return Status::Ok();
}

}  // namespace

namespace commands {
extern const Command kDiff;
const Command kDiff = {
    .name = "diff",
    .summary = "What became of a step's time from one recording to another, and why",
    .group = Group::kVerdict,
    .operands = "A B",
    .details =
        "The first line is the answer: faster, slower, no difference beyond noise, or not comparable. Then what "
        "differs "
        "around the program (driver, device, clocks, settings), and the causes in ms of the step, which add up to the "
        "difference. Kernels are paired by operator, shapes and place in the program before their names count. A and B "
        "may be files or folders of ranks, of different tools. Exit status 1 if they are not comparable (the reasons "
        "are printed), 0 otherwise, whatever was found.",
    .examples = kExamples,
    .shared = kInput | kJson,
    .flags = kFlags,
    .run = RunDiff,
};
}  // namespace commands
}  // namespace warpscope::cli
