// warpscope compare [--repeat N] -- A ARGUMENTS... --vs B ARGUMENTS...
#include <fmt/format.h>

#include <algorithm>

#include "analysis/diff/diff.h"
#include "cli/command.h"
#include "cli/diff_input.h"
#include "cli/in_turns.h"
#include "cli/loaded.h"
#include "cli/record_once.h"
#include "report/diff_report.h"
#include "report/text.h"
#include "report/turns_report.h"

namespace warpscope::cli {
namespace {

constexpr Example kExamples[] = {
    {"warpscope compare -- python old.py --vs python new.py", "which is faster, five runs of each in turns"},
    {"warpscope compare --repeat 10 --metric 'step time:' -- ./a --vs ./b", "by the step times that both print"},
    {"warpscope compare --explain -- python old.py --vs python new.py", "and one recorded run of each, to see why"},
};

constexpr Flag kFlags[] = {
    {"--repeat", 'r', FlagType::kCount, "N", "runs of each that count (default: 5)", ""},
    {"--warmup", 0, FlagType::kCount, "N", "runs of each before, which do not count (default: 1)", ""},
    {"--metric", 0, FlagType::kText, "TEXT", "the programs print their step times behind this text, in ms", ""},
    {"--min-effect", 0, FlagType::kNumber, "PCT", "smallest difference that counts, in % (default: 1)", ""},
    {"--explain", 'e', FlagType::kSwitch, "", "record each once more and say where the difference comes from", ""},
    {"--timeout", 0, FlagType::kDuration, "TIME", "end a run that takes longer, and fail", ""},
    {"--show-output", 0, FlagType::kSwitch, "", "show what the programs print, on standard error", ""},
};

// The recorded runs, compared. Their times are the recorder's too, so the answer above stands.
Status Explain(const TurnsPlan& plan, const Args& args, Io& io) {
  std::string folders[2];
  for (const bool is_a : {true, false}) {
    const auto run = RecordOnce({is_a ? plan.a.words : plan.b.words, "", {}});
    if (!run.ok()) return run.status();
    folders[is_a ? 0 : 1] = run.value().folder;
  }
  WS_ASSIGN_OR_RETURN(const auto a, LoadTrace({folders[0]}, args, io));
  WS_ASSIGN_OR_RETURN(const auto b, LoadTrace({folders[1]}, args, io));
  if (a->gpu.size() == 0 || b->gpu.size() == 0)
    return {StatusCode::kUnsupported, "the recordings hold no device work (warpscope doctor capture says why)"};
  const analysis::Diff diff = analysis::Compare(analysis::Index(*a), analysis::Index(*b), {.any_program = true});
  io.out += "\nOne recorded run of each:\n";
  io.out +=
      report::DiffText(diff, DiffInputOf(*a, folders[0]), DiffInputOf(*b, folders[1]), io.terminal, {.all = false});
  return Status::Ok();
}

Status RunCompare(const Args& args, Io& io) {
  const std::vector<std::string>& words = args.operands();
  const auto middle = std::find(words.begin(), words.end(), "--vs");
  TurnsPlan plan;
  plan.a.words.assign(words.begin(), middle);
  if (middle != words.end()) plan.b.words.assign(middle + 1, words.end());
  if (!args.Has("--") || plan.a.words.empty() || plan.b.words.empty()) {
    return {StatusCode::kInvalidArgument,
            "compare takes two programs: warpscope compare -- python old.py --vs python new.py"};
  }
  if (args.Has("--json") && args.Has("--explain"))
    return {StatusCode::kInvalidArgument, "--explain is for people; record both and use warpscope diff A B --json"};
  WS_RETURN_IF_ERROR(ReadPlan(args, &plan));
  std::vector<std::string> before = FitnessNotes();
  WS_ASSIGN_OR_RETURN(TurnsTaken taken, TakeTurns(plan, io));
  for (std::string& note : FitnessNotes()) {
    if (std::find(before.begin(), before.end(), note) == before.end()) before.push_back(std::move(note));
  }
  taken.input.notes = std::move(before);
  io.out += args.Has("--json") ? report::CompareJson(taken.turns, taken.input)
                               : report::TurnsText(taken.turns, taken.input, io.terminal);
  if (!args.Has("--explain")) return Status::Ok();
  const Status explained = Explain(plan, args, io);
  if (!explained.ok()) io.out += "\nNot explained: " + report::Clean(explained.message(), io.terminal.utf8) + "\n";
  return Status::Ok();
}

}  // namespace

namespace commands {
extern const Command kCompare;
const Command kCompare = {
    .name = "compare",
    .summary = "Which of two programs is faster: both run in turns, unprofiled",
    .group = Group::kVerdict,
    .operands = "-- A ARGUMENTS... --vs B ARGUMENTS...",
    .details =
        "Runs A B B A A B ..., so that what changes slowly on the machine meets both alike; nothing is injected and "
        "any program will do. What is compared is the step where the programs tell their step times, else the whole "
        "run: a program tells by appending one time a line, in ms, to the file that WARPSCOPE_STEP_TIMES names, or by "
        "printing it behind the text of --metric. The answer has an interval that asks nothing of the shape of the "
        "noise. A run that fails ends the comparison. Exit status 0, whichever is faster.",
    .examples = kExamples,
    .shared = kJson | kLang,
    .flags = kFlags,
    .run = RunCompare,
};
}  // namespace commands
}  // namespace warpscope::cli
