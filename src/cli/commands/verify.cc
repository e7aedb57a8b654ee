// warpscope verify BEFORE AFTER
#include "rules/verify/verify.h"

#include "cli/app.h"
#include "cli/baseline_operand.h"
#include "cli/command.h"
#include "cli/loaded.h"
#include "cli/step_ms.h"
#include "cli/table_command.h"
#include "view/verify.h"

namespace warpscope::cli {
namespace {

constexpr Example kExamples[] = {
    {"warpscope verify before.json.gz after.json.gz", "was it the cause, and did the gain come as predicted"},
    {"warpscope verify run1 run2", "two recordings of warpscope record"},
    {"warpscope verify main run2", "what became of the findings that a baseline keeps"},
    {"warpscope verify a.json.gz b.json.gz --before-ms 15.7 --after-ms 9.7",
     "with step times measured without a profiler"},
};

constexpr Flag kFlags[] = {
    {"--before-ms", 0, FlagType::kNumber, "MS", "the first program's step time without a profiler, in ms", ""},
    {"--after-ms", 0, FlagType::kNumber, "MS", "the second one's", ""},
    {"--force", 'f', FlagType::kSwitch, "", "compare runs that are not comparable too", ""},
    {"--rank", 0, FlagType::kCount, "N", "this rank of both", ""},
    {"--dir", 0, FlagType::kFile, "FOLDER", "where baselines lie (default: .warpscope/baselines of the repository)",
     ""},
};

// One side's verdict: kept in a baseline, or judged now. The ledger is that of a recording.
Result<rules::VerifiedSide> SideFor(const std::string& word, const rules::AnalyzeOptions& options,
                                    const baseline::Store& store, const Args& args, analysis::Words* words, Io& io) {
  rules::VerifiedSide side;
  side.true_step = options.true_step_ms.has_value();
  if (!IsBaseline(word, store)) {
    WS_ASSIGN_OR_RETURN(const auto trace, LoadTrace({word}, args, io));
    WS_ASSIGN_OR_RETURN(side.verdict, rules::Analyze(*trace, options));
    side.side = rules::RecordedSide(*trace, options, words);
    if (side.side) side.runs = {{side.side->step_ms, side.side->recorder}};
    return side;
  }
  WS_ASSIGN_OR_RETURN(const baseline::Baseline baseline, LoadBaseline(word, store, words, &io));
  side.side = baseline::MiddleRun(baseline).side;
  side.verdict = VerdictOf(baseline::MiddleRun(baseline), LabelOf(baseline));
  if (options.true_step_ms) side.verdict.base_step_ms = options.true_step_ms;
  side.runs = StepsOfRuns(baseline);
  return side;
}

Status Print(view::Table table, bool comparable, const Args& args, Io& io) {
  WS_RETURN_IF_ERROR(PrintTable(std::move(table), args, io));
  if (!comparable) io.exit_code = kExitInput;
  return Status::Ok();
}

// A baseline keeps the findings and what each promised, not the recording that several together are replayed in.
Status VerifyWithBaseline(const Args& args, Io& io, const baseline::Store& store, const rules::AnalyzeOptions& before,
                          const rules::AnalyzeOptions& after) {
  analysis::Words words;
  WS_ASSIGN_OR_RETURN(rules::VerifiedSide first, SideFor(args.operands()[0], before, store, args, &words, io));
  WS_ASSIGN_OR_RETURN(rules::VerifiedSide second, SideFor(args.operands()[1], after, store, args, &words, io));
  // How steps were found is told in words that a baseline does not keep.
  first.verdict.step_source = second.verdict.step_source = "";
  WS_ASSIGN_OR_RETURN(const rules::Verification verification,
                      rules::VerifySides(first, second, words, {args.Has("--force")}));
  view::Table table = view::VerifyTable(verification);
  table.ledger = second.verdict.ledger;
  table.notes.push_back(
      "A baseline keeps what each finding promised, not the recording: the gain of several fixed together is not "
      "predicted.");
  return Print(std::move(table), verification.comparable, args, io);
}

Status RunVerify(const Args& args, Io& io) {
  if (args.operands().size() != 2)
    return {StatusCode::kInvalidArgument, "give two recordings: warpscope verify BEFORE AFTER"};
  rules::AnalyzeOptions before, after;
  WS_ASSIGN_OR_RETURN(before.true_step_ms, StepMs(args, "--before-ms"));
  WS_ASSIGN_OR_RETURN(after.true_step_ms, StepMs(args, "--after-ms"));
  before.file_argument = args.operands()[0];
  after.file_argument = args.operands()[1];
  if (const auto rank = args.Count("--rank")) before.rank = after.rank = static_cast<int64_t>(*rank);
  const baseline::Store store(args.Text("--dir").value_or(""));
  if (IsBaseline(args.operands()[0], store) || IsBaseline(args.operands()[1], store))
    return VerifyWithBaseline(args, io, store, before, after);
  WS_ASSIGN_OR_RETURN(const auto first, LoadTrace({args.operands()[0]}, args, io));
  WS_ASSIGN_OR_RETURN(const auto second, LoadTrace({args.operands()[1]}, args, io));
  const auto is_report = [](const model::Trace& trace) {
    return !trace.has_timeline() && !trace.kernel_profiles.empty();
  };
  if (is_report(*first) && is_report(*second)) {
    view::Table table = view::VerifyKernelsTable(rules::VerifyKernels(*first, *second));
    table.ledger = second->ledger.Entries();
    return PrintTable(std::move(table), args, io);
  }
  WS_ASSIGN_OR_RETURN(const rules::Verification verification,
                      rules::Verify(*first, before, *second, after, {args.Has("--force")}));
  view::Table table = view::VerifyTable(verification);
  table.ledger = second->ledger.Entries();
  return Print(std::move(table), verification.comparable, args, io);
}

}  // namespace

namespace commands {
extern const Command kVerify;
const Command kVerify = {
    .name = "verify",
    .summary = "Whether a change did what the verdict said: what is fixed, and whether the gain came",
    .group = Group::kVerdict,
    .operands = "BEFORE AFTER",
    .details =
        "Judges both recordings, finds which causes of the first the second does not show any more, predicts in the "
        "first what these changes would gain together, and sets that beside the step times that were measured, with "
        "the recorder's cost taken out of both. Says what is next. Two counter reports (ncu, warpscope counters) are "
        "compared kernel by kernel: times, findings that are gone, left and new. Either may be a baseline. Exit status "
        "1 "
        "if the two are not comparable (the reasons are printed), 0 otherwise, whatever was found.",
    .examples = kExamples,
    .shared = kInput | kJson | kTable,
    .flags = kFlags,
    .run = RunVerify,
};
}  // namespace commands
}  // namespace warpscope::cli
