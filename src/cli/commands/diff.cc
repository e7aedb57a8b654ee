// warpscope diff A B
#include "analysis/diff/diff.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/app.h"
#include "cli/baseline_operand.h"
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
    {"warpscope diff main run2", "a baseline, by its name, against a run"},
};

constexpr Flag kFlags[] = {
    {"--all", 'a', FlagType::kSwitch, "", "show every cause, difference of the environment and figure", ""},
    {"--min-effect", 0, FlagType::kNumber, "PCT", "smallest change of the step that counts, in % (default: 1)", ""},
    {"--rank", 0, FlagType::kCount, "N", "compare this rank (default: the one whose own time changed most)", ""},
    {"--force", 'f', FlagType::kSwitch, "", "compare recordings that are not comparable too", ""},
    {"--dir", 0, FlagType::kFile, "FOLDER", "where baselines lie (default: .warpscope/baselines of the repository)",
     ""},
};

Status CheckRank(const analysis::Index& index, uint64_t rank, const std::string& path) {
  if (rank <= INT64_MAX && index.RankNumbered(static_cast<int64_t>(rank)) != nullptr) return Status::Ok();
  return {StatusCode::kInvalidArgument,
          fmt::format("--rank {}: {} has no such rank; there are: {}", rank, path, index.RankNumbers())};
}

Status Print(const analysis::Diff& diff, const report::DiffInput& a, const report::DiffInput& b, const Args& args,
             Io& io) {
  io.out += args.Has("--json") ? report::DiffJson(diff, a, b)
                               : report::DiffText(diff, a, b, io.terminal, {.all = args.Has("--all")});
  if (diff.outcome == analysis::Outcome::kNotComparable) io.exit_code = kExitInput;
  return Status::Ok();
}

std::string FactIn(const analysis::RunSide& side, std::string_view subject, std::string_view name) {
  for (const analysis::Fact& fact : side.facts) {
    if (fact.subject == subject && fact.name == name) return fact.value;
  }
  return "";
}

// One side of a comparison with a baseline.
struct OneSide {
  analysis::RunSide side;
  report::DiffInput input;
  std::vector<analysis::RecordedRun> runs;  // of all repeats
};

Result<OneSide> BaselineSide(const std::string& word, const baseline::Store& store, analysis::Words* words, Io* io) {
  WS_ASSIGN_OR_RETURN(const baseline::Baseline baseline, LoadBaseline(word, store, words, io));
  OneSide out{baseline::MiddleRun(baseline).side, {}, StepsOfRuns(baseline)};
  out.input.path = LabelOf(baseline);
  out.input.format = "baseline";
  out.input.producer = FactIn(out.side, "recording", "producer");
  out.input.device = FactIn(out.side, "device", "name");
  return out;
}

// A baseline keeps one rank; the other side shows the same one, where ranks have numbers.
Status DiffWithBaseline(const Args& args, Io& io, const baseline::Store& store, analysis::DiffOptions options) {
  analysis::Words words;
  std::optional<OneSide> sides[2];
  for (const bool kept : {true, false}) {
    for (size_t i = 0; i < 2; ++i) {
      const std::string& word = args.operands()[i];
      if (IsBaseline(word, store) != kept) continue;
      if (kept) {
        WS_ASSIGN_OR_RETURN(sides[i], BaselineSide(word, store, &words, &io));
        continue;
      }
      std::optional<int64_t> rank = options.rank;
      if (!rank && sides[1 - i]->side.ranks > 1) rank = sides[1 - i]->side.rank;
      WS_ASSIGN_OR_RETURN(const auto trace, LoadTrace({word}, args, io));
      WS_ASSIGN_OR_RETURN(analysis::RunSide side, baseline::SideForBaseline(*trace, rank, &words));
      sides[i] = OneSide{std::move(side), DiffInputOf(*trace, word), {}};
    }
  }
  options.runs_a = std::move(sides[0]->runs), options.runs_b = std::move(sides[1]->runs);
  const analysis::Diff diff = analysis::Compare(sides[0]->side, sides[1]->side, words, options);
  return Print(diff, sides[0]->input, sides[1]->input, args, io);
}

Status RunDiff(const Args& args, Io& io) {
  const std::vector<std::string>& paths = args.operands();
  if (paths.size() != 2) {
    return {StatusCode::kInvalidArgument,
            fmt::format("diff takes two recordings, the earlier first, and got {}; for example: warpscope diff "
                        "before.json.gz after.json.gz (several files of one recording: put them into a folder)",
                        paths.size())};
  }
  analysis::DiffOptions options;
  options.force = args.Has("--force");
  options.min_effect_pct = args.Number("--min-effect").value_or(options.min_effect_pct);
  const auto rank = args.Count("--rank");
  if (rank) options.rank = static_cast<int64_t>(std::min<uint64_t>(*rank, INT64_MAX));
  const baseline::Store store(args.Text("--dir").value_or(""));
  if (IsBaseline(paths[0], store) || IsBaseline(paths[1], store)) return DiffWithBaseline(args, io, store, options);
  WS_ASSIGN_OR_RETURN(const auto trace_a, LoadTrace({paths[0]}, args, io));
  WS_ASSIGN_OR_RETURN(const auto trace_b, LoadTrace({paths[1]}, args, io));
  const analysis::Index a(*trace_a), b(*trace_b);
  if (rank) {
    WS_RETURN_IF_ERROR(CheckRank(a, *rank, paths[0]));
    WS_RETURN_IF_ERROR(CheckRank(b, *rank, paths[1]));
  }
  return Print(analysis::Compare(a, b, options), DiffInputOf(*trace_a, paths[0]), DiffInputOf(*trace_b, paths[1]), args,
               io);
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
        "may be files or folders of ranks, of different tools, or baselines (the run in the middle stands for them). "
        "Exit "
        "status 1 if they are not comparable (the reasons "
        "are printed), 0 otherwise, whatever was found.",
    .examples = kExamples,
    .shared = kInput | kJson | kLang,
    .flags = kFlags,
    .run = RunDiff,
};
}  // namespace commands
}  // namespace warpscope::cli
