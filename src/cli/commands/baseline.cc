// warpscope baseline save|list|show|remove NAME RUN...
#include "baseline/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "baseline/store.h"
#include "baseline/tables.h"
#include "cli/baseline_operand.h"
#include "cli/command.h"
#include "cli/run_operands.h"
#include "cli/step_ms.h"
#include "cli/table_command.h"
#include "report/text.h"
#include "view/format.h"

namespace warpscope::cli {
namespace {

constexpr Example kExamples[] = {
    {"warpscope baseline save main run1 run2 run3 -t batch=64", "three repeats of what is good, with the scenario"},
    {"warpscope baseline save main run4 --add", "one repeat more"},
    {"warpscope baseline list", "all of this repository"},
    {"warpscope baseline show main", "its runs, their spread and the environment"},
    {"warpscope gate --baseline main run5 run6", "are later runs slower"},
};

constexpr Flag kFlags[] = {
    {"--tag", 't', FlagType::kTexts, "KEY=VALUE", "what the scenario is: model, batch, scale of the input", ""},
    {"--items", 0, FlagType::kNumber, "N", "samples or tokens in a step, for the throughput", ""},
    {"--add", 0, FlagType::kSwitch, "", "add the runs to a baseline that exists", ""},
    {"--replace", 0, FlagType::kSwitch, "", "take the place of a baseline that exists", ""},
    {"--step-ms", 0, FlagType::kNumber, "MS", "the step time without a profiler, in ms, if you know it", ""},
    {"--rank", 0, FlagType::kCount, "N", "keep this rank (default: the one that the others wait for)", ""},
    {"--dir", 0, FlagType::kFile, "FOLDER", "where baselines lie (default: .warpscope/baselines of the repository)",
     ""},
};

// Now; the time that SOURCE_DATE_EPOCH names, where a build wants the same bytes again.
int64_t NowSeconds() {
  if (const char* fixed = std::getenv("SOURCE_DATE_EPOCH"); fixed != nullptr) {
    const std::string_view text = fixed;
    int64_t seconds = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() && seconds >= 0) return seconds;
  }
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

Status Wrong(std::string message) { return {StatusCode::kInvalidArgument, std::move(message)}; }

Status CheckUse(const Args& args, const baseline::Store& store, const std::string& name) {
  if (args.Has("--add") && args.Has("--replace")) return Wrong("--add and --replace exclude each other");
  if (!args.Has("--add") && !args.Has("--replace") && store.Has(name)) {
    return Wrong(fmt::format("a baseline '{}' exists in {}; --add adds these runs to it, --replace takes its place",
                             name, store.folder()));
  }
  return args.Has("--add") ? store.Require(name) : Status::Ok();
}

// The baseline that the runs go into: an empty one, or what is there with --add. Asked under the lock.
Result<baseline::Baseline> Begin(const Args& args, const baseline::Store& store, const std::string& name,
                                 analysis::Words* words) {
  WS_RETURN_IF_ERROR(CheckUse(args, store, name));
  if (args.Has("--add")) return store.Load(name, words);
  baseline::Baseline baseline;
  baseline.name = name;
  return baseline;
}

Result<std::vector<baseline::Run>> RunsOf(const Args& args, Io& io, analysis::Words* words) {
  const std::vector<std::string>& operands = args.operands();
  std::vector<baseline::Run> runs;
  const auto take = [&](const model::Trace& trace, const std::string&) -> Status {
    rules::AnalyzeOptions options;
    WS_ASSIGN_OR_RETURN(options.true_step_ms, StepMs(args, "--step-ms"));
    if (const auto rank = args.Count("--rank"))
      options.rank = static_cast<int64_t>(std::min<uint64_t>(*rank, INT64_MAX));
    WS_ASSIGN_OR_RETURN(baseline::Run run, baseline::RunOf(trace, options, words));
    runs.push_back(std::move(run));
    return Status::Ok();
  };
  WS_RETURN_IF_ERROR(ForEachRun({operands.begin() + 2, operands.end()}, args, io, take));
  return runs;
}

// A recording that is there already, whole, copied or packed in another way, is no repeat: it counts once.
void AddNewRuns(std::vector<baseline::Run> runs, baseline::Baseline* baseline, Io* io) {
  for (baseline::Run& run : runs) {
    const auto same = std::find_if(baseline->runs.begin(), baseline->runs.end(), [&](const baseline::Run& kept) {
      return analysis::IsSameRecording(kept.side, run.side);
    });
    if (same == baseline->runs.end()) {
      baseline->runs.push_back(std::move(run));
      continue;
    }
    io->Warn(fmt::format(
        "{} holds the same recording as {}: every step takes the same time to the nanosecond. It is no repeat and "
        "counts once; record the program again for another run",
        run.source, same->source));
  }
}

void SetTags(std::vector<std::pair<std::string, std::string>> tags, baseline::Baseline* baseline) {
  for (auto& [key, value] : tags) {
    const auto same = std::find_if(baseline->tags.begin(), baseline->tags.end(),
                                   [&key = key](const auto& tag) { return tag.first == key; });
    if (same == baseline->tags.end()) baseline->tags.emplace_back(key, value);
    else same->second = value;
  }
  std::sort(baseline->tags.begin(), baseline->tags.end());
}

Status Save(const Args& args, const baseline::Store& store, Io& io) {
  const std::vector<std::string>& operands = args.operands();
  if (operands.size() < 3) return Wrong("save takes a name and recordings: warpscope baseline save NAME RUN...");
  WS_RETURN_IF_ERROR(baseline::CheckName(operands[1]));
  WS_RETURN_IF_ERROR(CheckUse(args, store, operands[1]));
  WS_ASSIGN_OR_RETURN(auto tags, TagsOf(args));
  analysis::Words words;
  WS_ASSIGN_OR_RETURN(std::vector<baseline::Run> runs, RunsOf(args, io, &words));
  // Recordings take long to read; the file is asked again under the lock, and only then.
  WS_ASSIGN_OR_RETURN(const baseline::StoreLock lock, store.Lock(operands[1]));
  WS_ASSIGN_OR_RETURN(baseline::Baseline baseline, Begin(args, store, operands[1], &words));
  SetTags(std::move(tags), &baseline);
  if (const auto items = args.Number("--items")) baseline.items_per_step = items;
  AddNewRuns(std::move(runs), &baseline, &io);
  if (baseline.runs.size() > baseline::kMostRuns)
    return Wrong(fmt::format("a baseline holds at most {} runs", baseline::kMostRuns));
  baseline.saved_s = NowSeconds();
  WS_RETURN_IF_ERROR(store.Save(baseline, words));
  if (args.Has("--json") || args.Has("--csv")) return PrintTable(baseline::TableOf(baseline, words), args, io);
  std::error_code error;
  const std::string path = store.PathOf(baseline.name);
  const auto bytes = std::filesystem::file_size(path, error);
  std::string line = fmt::format("Saved {} ({}): {}", path, view::FormatBytes(error ? 0.0 : static_cast<double>(bytes)),
                                 baseline::Answer(baseline));
  report::AppendWrapped(io.out, io.terminal, "", "", line);
  for (const std::string& note : baseline::NotesOf(baseline))
    report::AppendWrapped(io.out, io.terminal, "", "", note, report::Ink::kDim);
  return Status::Ok();
}

Status List(const Args& args, const baseline::Store& store, Io& io) {
  std::vector<baseline::Listed> listed;
  for (const std::string& name : store.Names()) {
    analysis::Words words;
    auto baseline = store.Load(name, &words);
    if (baseline.ok()) listed.push_back({name, std::move(baseline).value(), ""});
    else listed.push_back({name, std::nullopt, baseline.status().message()});
  }
  return PrintTable(baseline::ListOf(listed, store.folder()), args, io);
}

Status Show(const Args& args, const baseline::Store& store, Io& io) {
  if (args.operands().size() != 2) return Wrong("show takes one name: warpscope baseline show NAME");
  analysis::Words words;
  WS_ASSIGN_OR_RETURN(const baseline::Baseline baseline, LoadBaseline(args.operands()[1], store, &words, &io));
  return PrintTable(baseline::TableOf(baseline, words), args, io);
}

Status Remove(const Args& args, const baseline::Store& store, Io& io) {
  if (args.operands().size() != 2) return Wrong("remove takes one name: warpscope baseline remove NAME");
  WS_RETURN_IF_ERROR(store.Remove(args.operands()[1]));
  io.out += fmt::format("Removed {}\n", store.PathOf(args.operands()[1]));
  return Status::Ok();
}

Status RunBaseline(const Args& args, Io& io) {
  const baseline::Store store(args.Text("--dir").value_or(""));
  const std::string what = args.operands().empty() ? "" : args.operands()[0];
  if (what == "save") return Save(args, store, io);
  if (what == "list") return List(args, store, io);
  if (what == "show") return Show(args, store, io);
  if (what == "remove") return Remove(args, store, io);
  return Wrong(fmt::format("expected save, list, show or remove{}; for example: warpscope baseline save main run1 run2",
                           what.empty() ? "" : ", not '" + what + "'"));
}

std::string Words() { return "save list show remove"; }

}  // namespace

namespace commands {
extern const Command kBaseline;
const Command kBaseline = {
    .name = "baseline",
    .summary = "Keep runs of what is good, to compare later ones with",
    .group = Group::kVerdict,
    .operands = "save|list|show|remove [NAME] [RUN...]",
    .details =
        "A baseline holds the scenario (tags), the environment, and of each run the step times, kernels, copies, idle "
        "time by cause, memory, readings, counters and the findings of its verdict; not the recordings, so it is small "
        "enough to commit. Give several repeats of the same command: the spread between them is the noise that `gate` "
        "knows. Each RUN is one repeat: a file, or a folder of ranks; files that say different ranks are one run. Jobs "
        "that add at once wait for each other. Names "
        "hold letters, digits, '.', '_' and '-'. "
        "`diff`, `verify` and `gate` take a baseline by its name, by baseline:NAME or by its file.",
    .examples = kExamples,
    .shared = kInput | kJson | kTable,
    .flags = kFlags,
    .run = RunBaseline,
    .words = Words,
};
}  // namespace commands
}  // namespace warpscope::cli
