#include "view/gate_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "view/diff_view.h"
#include "view/format.h"

namespace warpscope::view {
namespace {

using analysis::GateOutcome;
using analysis::GateReason;
using analysis::GateResult;
using analysis::RunShift;

std::string Signed(double pct) { return fmt::format("{:+.1f} %", pct); }

std::string Limit(double pct) { return fmt::format("{:g} %", pct); }

std::string_view Whose(const GateResult& result) {
  return result.diff && result.diff->step.times == analysis::StepTimes::kWithoutRecorder ? " without the recorder" : "";
}

// "31.2 ms -> 31.9 ms a step (+2.2 %, between +1.5 and +2.9 %)"; `of` is GateResult::step or ::stretches.
std::string Change(const GateResult& result, const RunShift& of, std::string_view arrow) {
  return fmt::format("{} {} {} a step{} ({}, between {:+.1f} and {})", FormatMs(of.base), arrow, FormatMs(of.next),
                     Whose(result), Signed(of.diff_pct), of.low_pct, Signed(of.high_pct));
}

// An interval of few steps would be none.
std::string ChangeOfFew(const GateResult& result, std::string_view arrow) {
  const RunShift& shift = *result.step;
  return fmt::format("{} {} {} a step{} ({}, too few steps for an interval)", FormatMs(shift.base), arrow,
                     FormatMs(shift.next), Whose(result), Signed(shift.diff_pct));
}

std::string Peaks(const GateResult& result) {
  return fmt::format("{} and {}", FormatMs(result.peaks->peaks.low), FormatMs(result.peaks->peaks.high));
}

std::string Pass(const GateResult& result, const std::string& limit, const std::string& change,
                 std::string_view arrow) {
  switch (result.reason) {
    case GateReason::kFaster:
      return result.diff->judgement->by_mean
                 ? "Pass, and faster on average: " + Change(result, *result.stretches, arrow) + "."
                 : "Pass, and faster: " + change + ".";
    case GateReason::kOnLowerPeak:
      return fmt::format("Pass: on the faster one of the baseline's two peaks ({}): {}.", Peaks(result), change);
    case GateReason::kOnBothPeaks:
      return fmt::format("Pass: the runs lie on the baseline's two peaks ({}), as it does.", Peaks(result));
    default:
      return fmt::format(
          "Pass: {} {}: {}.",
          result.word == analysis::ChangeWord::kSlower ? "slower, but within the limit of" : "no regression beyond",
          limit, change);
  }
}

std::string Regression(const GateResult& result, const std::string& change, std::string_view arrow) {
  switch (result.reason) {
    case GateReason::kSlowSteps:
      return fmt::format("Regression: the middle step is as it was, but some steps became slow; on average {}.",
                         Change(result, *result.stretches, arrow));
    case GateReason::kSlowerKernel: {
      const analysis::KernelShift& worst = result.kernels.slower.front();
      return fmt::format("Regression of a kernel, not of the step: {}; the step: {}.", KernelShiftText(worst), change);
    }
    case GateReason::kAbovePeaks:
      return fmt::format("Regression: {:.1f} % slower than even the slower one of the baseline's two peaks ({}).",
                         result.peaks->above_pct, Peaks(result));
    case GateReason::kBothPeaksMoved:
      return fmt::format("Regression: the runs lie on two peaks, as the baseline's ({}), and each is {:.1f} % slower.",
                         Peaks(result), result.peaks->above_pct);
    case GateReason::kMostlyUpperPeak:
      return fmt::format(
          "Regression: the runs lie on the slower one of the baseline's two peaks ({}), far more often "
          "than the baseline's.",
          Peaks(result));
    default: return "Regression: " + change + ".";
  }
}

std::string Inconclusive(const GateResult& result, const std::string& limit, const std::string& change) {
  switch (result.reason) {
    case GateReason::kUnclearPeak:
      return fmt::format(
          "Inconclusive: the baseline's runs lie on two peaks ({}), and the new ones between or on the "
          "slower: {}.",
          Peaks(result), change);
    case GateReason::kFewSteps: return "Inconclusive: too few steps and repeats to know the noise: " + change + ".";
    case GateReason::kClocks:
      return fmt::format("Inconclusive: the device ran at lower clocks ({}), which explains the change: {}.",
                         Signed(result.clock_pct.value_or(0)), change);
    default:
      return fmt::format("Inconclusive: the noise (up to {:+.1f} %) hides a regression of {}: {}.",
                         result.step->noise_pct, limit, change);
  }
}

}  // namespace

std::string_view GateOutcomeName(GateOutcome outcome) {
  switch (outcome) {
    case GateOutcome::kPass: return "pass";
    case GateOutcome::kRegression: return "regression";
    case GateOutcome::kInconclusive: return "inconclusive";
    case GateOutcome::kNotComparable: return "not_comparable";
  }
  return "";
}

std::string_view GateReasonName(GateReason reason) {
  switch (reason) {
    case GateReason::kWithinLimit: return "within_limit";
    case GateReason::kFaster: return "faster";
    case GateReason::kSlowerStep: return "slower_step";
    case GateReason::kSlowSteps: return "slow_steps";
    case GateReason::kSlowerKernel: return "slower_kernel";
    case GateReason::kAbovePeaks: return "above_peaks";
    case GateReason::kBothPeaksMoved: return "both_peaks_moved";
    case GateReason::kMostlyUpperPeak: return "mostly_upper_peak";
    case GateReason::kOnLowerPeak: return "on_lower_peak";
    case GateReason::kOnBothPeaks: return "on_both_peaks";
    case GateReason::kUnclearPeak: return "unclear_peak";
    case GateReason::kNoise: return "noise";
    case GateReason::kFewSteps: return "few_steps";
    case GateReason::kClocks: return "clocks";
    case GateReason::kOtherDevice: return "other_device";
    case GateReason::kObjections: return "objections";
  }
  return "";
}

std::string GateAnswer(const GateResult& result, double limit_pct, std::string_view arrow) {
  if (result.outcome == GateOutcome::kNotComparable) {
    if (result.reason == GateReason::kOtherDevice) {
      for (const analysis::EnvironmentChange& change : result.environment) {
        if (change.subject == "device" && change.name == "name")
          return fmt::format("Not comparable: the baseline ran on {}, the new runs on {}.", change.a, change.b);
      }
    }
    return result.objections.empty() ? "Not comparable." : "Not comparable: " + result.objections.front().text + ".";
  }
  const std::string limit = Limit(limit_pct);
  const bool few = result.diff && result.diff->judgement && result.diff->judgement->few;
  // A regression of few steps rests on their interval.
  const std::string change = few && result.outcome != GateOutcome::kRegression ? ChangeOfFew(result, arrow)
                                                                               : Change(result, *result.step, arrow);
  std::string answer = result.outcome == GateOutcome::kPass         ? Pass(result, limit, change, arrow)
                       : result.outcome == GateOutcome::kRegression ? Regression(result, change, arrow)
                                                                    : Inconclusive(result, limit, change);
  if (result.diff && Whose(result).empty()) answer += Behind(AsRecorded(result.diff->step.recorder_at_most_pct));
  return answer;
}

std::string GateNoise(const GateResult& result) {
  if (!result.step) return "";
  const RunShift& step = *result.step;
  const std::string between =
      step.between_measured
          ? fmt::format("{:.2f} % from run to run", step.between_pct)
          : fmt::format("{:.2f} % assumed from run to run (one run a side cannot tell)", step.between_pct);
  // The interval is one of ratios: a step that is twice as long stands as far out as one of half the length.
  return fmt::format(
      "{}, {:.2f} % for one run's middle step; {} baseline run{} against {}: a step that is {:.1f} % longer or "
      "{:.1f} % shorter can be told from an unchanged one.",
      between, step.within_pct, step.base_runs, step.base_runs == 1 ? "" : "s", step.next_runs, step.noise_pct,
      100 * (1 - 100 / (100 + step.noise_pct)));
}

std::vector<std::string> GateNotes(const GateResult& result, double limit_pct) {
  std::vector<std::string> notes;
  if (!result.step) return notes;
  const RunShift& step = *result.step;
  const bool inconclusive = result.outcome == GateOutcome::kInconclusive;
  if (inconclusive && result.reason != GateReason::kClocks)
    notes.push_back(
        "More repeats tell more: record the program several times, and give all runs to `gate` and to "
        "`baseline save`.");
  for (const analysis::EnvironmentChange& change : result.environment) {
    if (change.subject != "recording" || change.name != "format") continue;
    notes.push_back(
        "The two sides were recorded by different recorders, and each makes a step longer by its own cost: part of "
        "the change may be that. Record both alike before you believe it.");
  }
  if (result.diff && result.diff->step.times == analysis::StepTimes::kWithoutRecorder)
    notes.push_back(fmt::format(
        "What the recorder took is an estimate, and part of the interval: it alone leaves {:.1f} % open. As recorded: "
        "{} and {} a step.",
        result.diff->step.recorder_doubt_pct, FormatMs(result.diff->step.recorded_a_ms),
        FormatMs(result.diff->step.recorded_b_ms)));
  if (!step.between_measured)
    notes.push_back(
        "One run a side: what changes from run to run (clocks, memory layout, neighbours) is assumed, not "
        "measured. Save three baseline runs or more.");
  if (result.reason == GateReason::kFaster && -step.diff_pct >= limit_pct)
    notes.push_back(
        "The baseline is slower than what you have: save it anew, or a later regression up to this gain "
        "passes.");
  if (!result.kernels.slower.empty() && result.outcome == GateOutcome::kPass)
    notes.push_back(
        "Kernels became slower and the step did not: they are told, and fail nothing without "
        "--fail-on-kernels.");
  return notes;
}

std::string KernelName(const analysis::KernelShift& shift) {
  return shift.subject == shift.kernel || shift.kernel.empty() ? shift.subject : shift.subject + ", " + shift.kernel;
}

std::string KernelShiftText(const analysis::KernelShift& shift) {
  return fmt::format("{}: {} a step ({} of its own time)", KernelName(shift), SignedMs(shift.diff_ms),
                     Signed(shift.diff_pct));
}

std::string EnvironmentText(const analysis::EnvironmentChange& change, std::string_view arrow) {
  const auto value = [](const std::string& text) { return text.empty() ? std::string("not set") : text; };
  return fmt::format("{} {}: {} {} {}", change.subject, change.name, value(change.a), arrow, value(change.b));
}

}  // namespace warpscope::view
