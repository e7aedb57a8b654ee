// warpscope whatif FILE...
#include "view/whatif.h"

#include "cli/command.h"
#include "cli/loaded.h"
#include "cli/step_ms.h"
#include "cli/table_command.h"
#include "rules/whatif/what_if.h"

namespace warpscope::cli {
namespace {

constexpr Example kExamples[] = {
    {"warpscope whatif trace.json.gz", "each cause of the verdict, and all together"},
    {"warpscope whatif trace.json.gz --scale kernel:gemm=0.5", "matrix products twice as fast"},
    {"warpscope whatif trace.json.gz --drop cause:host_sync", "without what the verdict calls host_sync"},
    {"warpscope whatif trace.json.gz --overlap copies --scale host:collate=0.1",
     "copies beside the work, and a tenth of the time in collate; each and both"},
    {"warpscope whatif trace.json.gz --scale call:Launch=0.3", "cheaper launches, as in a CUDA graph"},
};

constexpr Flag kFlags[] = {
    {"--scale", 0, FlagType::kTexts, "WHAT:REGEX=RATIO",
     "the time of what matches, times RATIO (0.5: twice as fast); WHAT is kernel, op, copy, host or call", ""},
    {"--drop", 0, FlagType::kTexts, "WHAT:REGEX",
     "without what matches; also wait (calls no longer wait) and cause (of the verdict, by its id)", ""},
    {"--overlap", 0, FlagType::kTexts, "COPIES", "copies (or copy:h2d ...) on a stream of their own, beside other work",
     ""},
    {"--step-ms", 0, FlagType::kNumber, "MS", "the step time without a profiler, in ms, if you know it", ""},
    {"--rank", 0, FlagType::kCount, "N", "this rank (default: the one that the others wait for)", ""},
};

Status AddChanges(const Args& args, std::string_view flag, Result<rules::HandChange> (*parse)(std::string_view),
                  std::vector<rules::HandChange>* changes) {
  for (const std::string& text : args.Texts(flag)) {
    WS_ASSIGN_OR_RETURN(rules::HandChange change, parse(text));
    changes->push_back(std::move(change));
  }
  return Status::Ok();
}

Status RunWhatIf(const Args& args, Io& io) {
  std::vector<rules::HandChange> changes;
  WS_RETURN_IF_ERROR(AddChanges(args, "--scale", rules::ParseScale, &changes));
  WS_RETURN_IF_ERROR(AddChanges(args, "--drop", rules::ParseDrop, &changes));
  WS_RETURN_IF_ERROR(AddChanges(args, "--overlap", rules::ParseOverlap, &changes));
  WS_ASSIGN_OR_RETURN(const auto trace, LoadTrace(args, io));
  rules::AnalyzeOptions options;
  WS_ASSIGN_OR_RETURN(options.true_step_ms, StepMs(args, "--step-ms"));
  if (const auto rank = args.Count("--rank")) options.rank = static_cast<int64_t>(*rank);
  WS_ASSIGN_OR_RETURN(const rules::WhatIfReport report, rules::TryChanges(*trace, options, std::move(changes)));
  view::Table table = view::WhatIfTable(report);
  table.ledger = trace->ledger.Entries();
  return PrintTable(std::move(table), args, io);
}

}  // namespace

namespace commands {
extern const Command kWhatif;
const Command kWhatif = {
    .name = "whatif",
    .summary = "What a change of your own would gain: the recorded steps replayed with it",
    .group = Group::kTables,
    .operands = "FILE...",
    .details =
        "Kernels, operators, copies, host rows and API calls are named by regular expressions that are searched in "
        "their "
        "names (letter case does not matter); copies by h2d, d2h, d2d, p2p or memset. A change in a part of the step "
        "gains no more than that part (Amdahl), and less where it runs beside other work: both are shown. Several "
        "changes are tried one by one and together.",
    .examples = kExamples,
    .shared = kInput | kJson | kTable,
    .flags = kFlags,
    .run = RunWhatIf,
};
}  // namespace commands
}  // namespace warpscope::cli
