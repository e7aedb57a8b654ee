// warpscope verify BEFORE AFTER
#include "rules/verify/verify.h"

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
    {"warpscope verify a.json.gz b.json.gz --before-ms 15.7 --after-ms 9.7",
     "with step times measured without a profiler"},
};

constexpr Flag kFlags[] = {
    {"--before-ms", 0, FlagType::kNumber, "MS", "the first program's step time without a profiler, in ms", ""},
    {"--after-ms", 0, FlagType::kNumber, "MS", "the second one's", ""},
    {"--rank", 0, FlagType::kCount, "N", "this rank of both", ""},
};

Status RunVerify(const Args& args, Io& io) {
  if (args.operands().size() != 2)
    return {StatusCode::kInvalidArgument, "give two recordings: warpscope verify BEFORE AFTER"};
  rules::AnalyzeOptions before, after;
  WS_ASSIGN_OR_RETURN(before.true_step_ms, StepMs(args, "--before-ms"));
  WS_ASSIGN_OR_RETURN(after.true_step_ms, StepMs(args, "--after-ms"));
  before.file_argument = args.operands()[0];
  after.file_argument = args.operands()[1];
  if (const auto rank = args.Count("--rank")) before.rank = after.rank = static_cast<int64_t>(*rank);
  WS_ASSIGN_OR_RETURN(const auto first, LoadTrace({args.operands()[0]}, args, io));
  WS_ASSIGN_OR_RETURN(const auto second, LoadTrace({args.operands()[1]}, args, io));
  WS_ASSIGN_OR_RETURN(const rules::Verification verification, rules::Verify(*first, before, *second, after));
  view::Table table = view::VerifyTable(verification);
  table.ledger = second->ledger.Entries();
  return PrintTable(std::move(table), args, io);
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
        "the recorder's cost taken out of both. Says what is next.",
    .examples = kExamples,
    .shared = kInput | kJson | kTable,
    .flags = kFlags,
    .run = RunVerify,
};
}  // namespace commands
}  // namespace warpscope::cli
