#include "cli/loop_stages.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>

#include "analysis/gate/gate.h"
#include "analysis/sampled_profiles.h"
#include "analysis/stall_profiles.h"
#include "cli/baseline_operand.h"
#include "cli/in_turns.h"
#include "cli/kernels_that_matter.h"
#include "cli/loaded.h"
#include "cli/record_once.h"
#include "cli/shell_quote.h"
#include "doctor/fitness.h"
#include "report/text.h"
#include "rules/verify/verify.h"
#include "view/format.h"

namespace warpscope::cli {
namespace {

using report::StageState;

class Loop {
 public:
  Loop(const LoopPlan& plan, const baseline::Store& store, const Args& args, Io& io, report::LoopReport* out)
      : plan_(plan), store_(store), args_(args), io_(io), out_(*out) {}

  Status Run() {
    out_.command = CommandLine(plan_.run);
    LoadBaselineOfBefore();
    Health();
    WS_RETURN_IF_ERROR(Unprofiled());
    WS_RETURN_IF_ERROR(Record());
    Counters();
    Verdict();
    Baseline();
    return Status::Ok();
  }

 private:
  void Tell(const char* stage, StageState state, std::string detail) {
    if (::isatty(STDERR_FILENO) != 0) WarnNow(fmt::format("{}: {}", stage, detail));
    out_.stages.push_back({stage, state, std::move(detail)});
  }
  void Begin(const char* what) {
    if (::isatty(STDERR_FILENO) != 0) WarnNow(fmt::format("{} ...", what));
  }

  void LoadBaselineOfBefore() {
    if (!store_.Has(plan_.name)) return;
    auto loaded = store_.Load(plan_.name, &words_);
    if (loaded.ok()) before_ = std::move(loaded).value();
    else unreadable_ = loaded.status().message();
  }

  std::string DeviceOfBefore() const {
    if (!before_) return "";
    for (const analysis::Fact& fact : before_->runs.front().side.facts) {
      if (fact.subject == "device" && fact.name == "name" && fact.value.find(',') == std::string::npos)
        return fact.value;
    }
    return "";
  }

  void Health() {
    doctor::FitnessRequest request;
    request.device_name = DeviceOfBefore();
    const doctor::Fitness fitness = doctor::CheckFitness(request);
    std::string problems;
    for (const std::string& problem : fitness.problems) problems += (problems.empty() ? "" : "; ") + problem;
    if (fitness.devices.empty())
      return Tell("health", StageState::kSkipped, problems.empty() ? "no device was found" : problems);
    if (!fitness.is_fit()) return Tell("health", StageState::kFailed, problems + " (measured all the same)");
    std::string detail =
        fmt::format("{} device{} fit to measure on", fitness.devices.size(), fitness.devices.size() == 1 ? "" : "s");
    for (const std::string& remark : fitness.remarks) detail += "; " + remark;
    Tell("health", StageState::kDone, std::move(detail));
  }

  Status Unprofiled() {
    if (plan_.repeat == 0) {
      Tell("unprofiled", StageState::kSkipped, "--repeat 0");
      return Status::Ok();
    }
    Begin("running it without recording");
    WS_ASSIGN_OR_RETURN(repeats_, Repeat(plan_.run, plan_.repeat, plan_.warmup, io_));
    out_.of_steps = repeats_.of_steps;
    out_.runs_ms = repeats_.runs_ms;
    out_.true_ms = analysis::MedianOf(repeats_.runs_ms);
    std::string detail = fmt::format("{} a {}, {} runs", view::FormatMs(*out_.true_ms),
                                     repeats_.of_steps ? "step" : "run", plan_.repeat);
    if (!repeats_.of_steps)
      detail +=
          "; the program told no step times (WARPSCOPE_STEP_TIMES or --metric), so predictions rest on an estimate "
          "of the recorder's cost";
    if (!repeats_.unread_steps.empty()) detail += "; " + repeats_.unread_steps;
    Tell("unprofiled", StageState::kDone, std::move(detail));
    return Status::Ok();
  }

  std::string FolderOf(const char* kind, uint64_t number) const {
    if (plan_.output.empty()) return "";
    return (std::filesystem::path(plan_.output) / fmt::format("{}-{}-{}", plan_.name, kind, number)).string();
  }

  // A folder of an earlier loop is kept: the first free number is taken.
  std::string FreeFolder(const char* kind) const {
    constexpr uint64_t kMost = 100'000;
    std::error_code error;
    for (uint64_t number = 1; number < kMost; ++number) {
      std::string folder = FolderOf(kind, number);
      if (folder.empty() || !std::filesystem::exists(folder, error)) return folder;
    }
    return FolderOf(kind, kMost);
  }

  Status Record() {
    if (plan_.recordings == 0) Tell("record", StageState::kSkipped, "--recordings 0");
    for (uint64_t i = 0; i < plan_.recordings; ++i) {
      Begin("recording");
      const auto run = RecordOnce({plan_.run.words, FreeFolder("run"), plan_.tags});
      if (!run.ok()) {
        Tell("record", StageState::kSkipped, run.status().message());
        return Status::Ok();
      }
      if (run.value().exit_code != 0) {
        return {StatusCode::kUnsupported,
                fmt::format("the recorded program {}; the run is kept: {}",
                            record::HowItEnded(run.value().exit_code, std::nullopt), run.value().folder)};
      }
      if (const Status status = Keep(run.value().folder); !status.ok()) {
        Tell("record", StageState::kFailed, status.message());
        return Status::Ok();
      }
    }
    if (!runs_.empty())
      Tell(
          "record", StageState::kDone,
          fmt::format("{} run{}: {}{}", runs_.size(), runs_.size() == 1 ? "" : "s", Joined(out_.folders), other_step_));
    return Status::Ok();
  }

  static std::string Joined(const std::vector<std::string>& folders) {
    std::string text;
    for (const std::string& folder : folders) text += (text.empty() ? "" : ", ") + folder;
    return text;
  }

  rules::AnalyzeOptions AnalyzeWith() const {
    rules::AnalyzeOptions options;
    if (repeats_.of_steps && true_step_fits_) options.true_step_ms = out_.true_ms;
    options.file_argument = ShellQuote(out_.folders.empty() ? "RUN" : out_.folders.front());
    return options;
  }

  // A run without device work is no recording; its folder holds nothing of worth.
  Status Keep(const std::string& folder) {
    WS_ASSIGN_OR_RETURN(const auto trace, LoadTrace({folder}, args_, io_));
    if (trace->gpu.size() == 0) {
      RemoveFolder(folder);
      return {StatusCode::kUnsupported,
              "the program gave no device work to record (warpscope doctor capture says what keeps a recording from "
              "working)"};
    }
    if (runs_.empty()) WS_RETURN_IF_ERROR(MatchSteps(*trace));
    out_.folders.push_back(folder);
    WS_ASSIGN_OR_RETURN(baseline::Run run, baseline::RunOf(*trace, AnalyzeWith(), &words_));
    runs_.push_back(std::move(run));
    return Status::Ok();
  }

  // A recorder makes a step longer, at most about twice, and hardly shorter: else the program's step is another one
  // than what repeats in the recording, and its time says nothing about that.
  Status MatchSteps(const model::Trace& trace) {
    if (!repeats_.of_steps) return Status::Ok();
    WS_ASSIGN_OR_RETURN(const analysis::RunSide side, baseline::SideForBaseline(trace, std::nullopt, &words_));
    constexpr double kShortest = 0.8, kLongest = 5;
    const double recorded_ms = analysis::MedianOf(side.step_ms);
    true_step_fits_ = recorded_ms >= kShortest * *out_.true_ms && recorded_ms <= kLongest * *out_.true_ms;
    if (!true_step_fits_)
      other_step_ = fmt::format(
          "; what repeats in it takes {}, not the {} that the program tells as its step, so "
          "predictions do not use that: mark the steps (NVTX range, prof.step())",
          view::FormatMs(recorded_ms), view::FormatMs(*out_.true_ms));
    return Status::Ok();
  }

  static void RemoveFolder(const std::string& folder) {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);  // made a moment ago
  }

  // Only the kernels that hold the critical path: each of their launches is replayed for every pass.
  void Counters() {
    if (!plan_.counters) return Tell("counters", StageState::kSkipped, "--no-counters");
    if (runs_.empty()) return Tell("counters", StageState::kSkipped, "no recording says which kernels matter");
    auto loaded = LoadWhole({out_.folders.front()}, args_, io_);
    if (!loaded.ok()) return Tell("counters", StageState::kSkipped, loaded.status().message());
    const KernelsThatMatter kernels = FindKernelsThatMatter(loaded.value());
    if (kernels.names.empty()) return Tell("counters", StageState::kSkipped, "the recording holds no kernel");
    Begin("measuring counters of the kernels that matter");
    const auto run = MeasureOnce({plan_.run.words, FreeFolder("counters"), {}}, kernels.names);
    if (!run.ok()) return Tell("counters", StageState::kSkipped, run.status().message());
    if (run.value().exit_code != 0)
      return Tell("counters", StageState::kFailed,
                  "the measured program " + record::HowItEnded(run.value().exit_code, std::nullopt));
    const auto measured = LoadTrace({run.value().folder}, args_, io_);
    if (!measured.ok() || measured.value()->kernel_profiles.empty()) {
      RemoveFolder(run.value().folder);
      return Tell("counters", StageState::kSkipped, WhyNothing(measured));
    }
    counters_folder_ = run.value().folder;
    out_.folders.push_back(counters_folder_);
    Tell(
        "counters", StageState::kDone,
        fmt::format("{} kernel{} with {:.0f} % of {}: {}", kernels.names.size(), kernels.names.size() == 1 ? "" : "s",
                    kernels.share_pct, kernels.by_path ? "the kernels' part of the critical path" : "the kernels' time",
                    counters_folder_));
  }

  static std::string WhyNothing(const Result<std::unique_ptr<model::Trace>>& measured) {
    if (!measured.ok()) return measured.status().message();
    for (const model::LedgerEntry& entry : measured.value()->ledger.Entries()) {
      if (entry.code == model::LedgerCode::kRecorderFailure) return entry.detail;
    }
    return "no launch was measured";
  }

  void Verdict() {
    if (runs_.empty()) return Tell("verdict", StageState::kSkipped, "there is no recording with device work");
    std::vector<std::string> paths = {out_.folders.front()};
    if (!counters_folder_.empty()) paths.push_back(counters_folder_);
    auto trace = LoadTrace(paths, args_, io_);
    if (!trace.ok()) return Tell("verdict", StageState::kFailed, trace.status().message());
    analysis::AddSampledProfiles(trace.value().get());
    analysis::AddStallProfiles(trace.value().get());
    auto verdict = rules::Analyze(*trace.value(), AnalyzeWith());
    if (!verdict.ok()) return Tell("verdict", StageState::kFailed, verdict.status().message());
    out_.verdict = std::move(verdict).value();
    Tell("verdict", StageState::kDone,
         fmt::format("{} finding{}", out_.verdict->findings.size(), out_.verdict->findings.size() == 1 ? "" : "s"));
  }

  void Baseline() {
    out_.baseline_path = store_.PathOf(plan_.name);
    if (before_ && !plan_.accept) {
      out_.baseline = plan_.name;
      Compare();
      return Tell("baseline", StageState::kDone, fmt::format("compared with {} of {}", plan_.name, store_.folder()));
    }
    if (runs_.empty()) return Tell("baseline", StageState::kSkipped, "there is no recording to keep");
    if (!unreadable_.empty() && !plan_.accept) return Tell("baseline", StageState::kFailed, unreadable_);
    baseline::Baseline kept;
    kept.name = plan_.name;
    kept.saved_s = static_cast<int64_t>(std::time(nullptr));
    kept.tags = plan_.tags;
    kept.runs = runs_;
    if (!repeats_.runs_ms.empty())
      kept.unprofiled = baseline::Unprofiled{repeats_.of_steps ? "step" : "process", repeats_.runs_ms};
    if (const Status status = Save(kept); !status.ok()) return Tell("baseline", StageState::kFailed, status.message());
    out_.baseline = plan_.name;
    out_.saved = true;
    Tell("baseline", StageState::kDone, "saved to " + out_.baseline_path);
  }

  Status Save(const baseline::Baseline& kept) {
    WS_ASSIGN_OR_RETURN(const baseline::StoreLock lock, store_.Lock(plan_.name));
    if (!before_ && !plan_.accept && store_.Has(plan_.name)) {
      return {StatusCode::kInvalidArgument,
              fmt::format("a baseline '{}' was saved by somebody else meanwhile; it stays", plan_.name)};
    }
    return store_.Save(kept, words_);
  }

  void Compare() {
    CompareUnprofiled();
    if (runs_.empty()) return;
    std::vector<const analysis::RunSide*> base, next;
    for (const baseline::Run& run : before_->runs) base.push_back(&run.side);
    for (const baseline::Run& run : runs_) next.push_back(&run.side);
    out_.gate = analysis::Judge(base, next, words_);
    if (!out_.verdict) return;
    rules::VerifiedSide first{VerdictOf(baseline::MiddleRun(*before_), LabelOf(*before_)), StepsOfRuns(*before_),
                              before_->unprofiled.has_value(), baseline::MiddleRun(*before_).side};
    rules::VerifiedSide second{*out_.verdict, {}, repeats_.of_steps, runs_.front().side};
    for (const baseline::Run& run : runs_) second.runs.push_back({run.side.step_ms, run.side.recorder});
    first.verdict.step_source = second.verdict.step_source = "";
    auto verification = rules::VerifySides(first, second, words_);
    if (verification.ok()) out_.verification = std::move(verification).value();
  }

  // Times of the same kind alone can be compared: steps with steps, whole runs with whole runs.
  void CompareUnprofiled() {
    if (!before_->unprofiled || repeats_.centers.empty()) return;
    if ((before_->unprofiled->of == "step") != repeats_.of_steps) return;
    std::vector<analysis::RunCenter> base, next;
    for (const double ms : before_->unprofiled->values_ms) {
      if (const auto center = analysis::CenterOf({ms})) base.push_back(*center);
    }
    for (const double ms : repeats_.runs_ms) {
      if (const auto center = analysis::CenterOf({ms})) next.push_back(*center);
    }
    if (!base.empty() && !next.empty()) out_.unprofiled = analysis::ShiftOfRuns(base, next, {});
  }

  const LoopPlan& plan_;
  const baseline::Store& store_;
  const Args& args_;
  Io& io_;
  report::LoopReport& out_;
  analysis::Words words_;
  std::optional<baseline::Baseline> before_;
  std::string unreadable_;
  Repeats repeats_;
  std::vector<baseline::Run> runs_;
  std::string counters_folder_, other_step_;
  bool true_step_fits_ = true;
};

}  // namespace

Status RunLoop(const LoopPlan& plan, const baseline::Store& store, const Args& args, Io& io, report::LoopReport* out) {
  return Loop(plan, store, args, io, out).Run();
}

}  // namespace warpscope::cli
