#include "view/diff_view.h"

#include <fmt/format.h>

#include <cmath>

#include "view/format.h"

namespace warpscope::view {

using analysis::Cause;
using analysis::CauseKind;
using analysis::Diff;
using analysis::Outcome;

namespace {

// Per cent of a change: no decimals from 10 on, one below.
std::string Pct(double pct) {
  const double size = std::abs(pct);
  return size >= 9.95 ? fmt::format("{:.0f}", pct) : fmt::format("{:.1f}", pct);
}

std::string SignedPct(double pct) { return (pct > 0 ? "+" : "") + Pct(pct); }

std::string IntervalPct(const analysis::StepChange& step, bool sign) {
  if (!step.interval_ms || step.a_ms <= 0) return "";
  double low = 100 * step.interval_ms->low / step.a_ms, high = 100 * step.interval_ms->high / step.a_ms;
  if (sign) return fmt::format("between {} and {} %", SignedPct(low), SignedPct(high));
  low = std::abs(low), high = std::abs(high);
  if (low > high) std::swap(low, high);
  // Ends that read alike are told apart by their decimals.
  for (int decimals = 1; Pct(low) == Pct(high) && decimals <= 3; ++decimals) {
    const std::string ends[2] = {fmt::format("{:.{}f}", low, decimals), fmt::format("{:.{}f}", high, decimals)};
    if (ends[0] != ends[1] || decimals == 3) return fmt::format("between {} and {} %", ends[0], ends[1]);
  }
  return fmt::format("between {} and {} %", Pct(low), Pct(high));
}

// The interval of how many times as fast B is, or takes the time: the ends of the difference as ratios. A small spread
// of a step that is nearly gone is a large one of the ratio.
std::string IntervalTimes(const analysis::StepChange& step) {
  if (!step.interval_ms || step.a_ms <= 0) return "";
  double low = 1 + step.interval_ms->low / step.a_ms, high = 1 + step.interval_ms->high / step.a_ms;
  if (low <= 0) return IntervalPct(step, false);
  if (step.diff_ms < 0) low = 1 / low, high = 1 / high;
  if (low > high) std::swap(low, high);
  return fmt::format("between {:.3g} and {:.3g} times", low, high);
}

std::string_view WhoseTimes(const analysis::StepChange& step) {
  return step.times == analysis::StepTimes::kWithoutRecorder ? " without the recorder" : "";
}

std::string Times(const Diff& diff, std::string_view arrow) {
  // One window has no middle.
  const bool several = diff.a.counted > 1 && diff.b.counted > 1;
  return fmt::format("{} {} {} a step{}{}", FormatMs(diff.step.a_ms), arrow, FormatMs(diff.step.b_ms),
                     WhoseTimes(diff.step),
                     !several                                    ? ""
                     : diff.step.basis == analysis::Basis::kMean ? " (means)"
                                                                 : " (middle ones)");
}

std::string CountText(double count) {
  return count >= 9.95 || std::abs(count - std::round(count)) < 0.05 ? FormatCount(std::llround(count))
                                                                     : fmt::format("{:.1f}", count);
}

// `what` is counted: "640 → 4 kernels a step".
std::string Counts(double a, double b, std::string_view arrow, std::string_view what = "") {
  const std::string of = what.empty() ? "" : " " + std::string(what);
  if (CountText(a) == CountText(b)) return fmt::format("{}{} a step", CountText(a), of);
  return fmt::format("{} {} {}{} a step", CountText(a), arrow, CountText(b), of);
}

std::string FigureCounts(const Diff& diff, const std::string& name, std::string_view what, std::string_view arrow) {
  for (const analysis::Figure& figure : diff.figures) {
    if (figure.name != name || !figure.a || !figure.b) continue;
    return fmt::format(" ({} {})", what, Counts(*figure.a, *figure.b, arrow));
  }
  return "";
}

// What the CPU did, to follow "idle: CPU".
std::string_view IdleWords(std::string_view detail) {
  struct Words {
    std::string_view detail, words;
  };
  constexpr Words kWords[] = {
      {"launches", "CPU launches work"},
      {"synchronisation", "CPU stopped to wait for the GPU"},
      {"data_loading", "CPU waits for input data"},
      {"python", "CPU runs code of the program"},
      {"operator", "CPU computes an operator itself"},
      {"copy_calls", "CPU is inside copy calls"},
      {"allocation", "CPU allocates or frees device memory"},
      {"compilation", "CPU compiles"},
      {"file_io", "CPU reads or writes files"},
      {"garbage_collection", "CPU collects garbage"},
      {"host_wait", "CPU sleeps or waits for a lock"},
      {"communication", "CPU waits for other ranks"},
      {"profiler", "CPU does the profiler's work"},
      {"dependency", "something else comes first"},
      {"unrecorded", "CPU does what was not recorded"},
      {"not_recorded", "what the CPU does was not recorded"},
      {"other", "other"},
  };
  for (const Words& row : kWords) {
    if (row.detail == detail) return row.words;
  }
  return detail;
}

std::string Mostly(const Cause& cause) { return cause.subject.empty() ? "" : ", mostly " + cause.subject; }

std::string PrecisionTitle(const Cause& cause) {
  const size_t to = cause.detail.find(" to ");
  if (to == std::string::npos) return "kernels compute in another number format";
  return fmt::format("kernels compute in {} instead of {}{}", cause.detail.substr(to + 4), cause.detail.substr(0, to),
                     Mostly(cause));
}

std::string SpeedTitle(const Cause& cause) {
  const std::string_view word = cause.diff_ms > 0 ? "slower" : "faster";
  std::string title = fmt::format("{}: the same kernel is {}", cause.subject, word);
  if (cause.a_ms > 0 && cause.b_ms > 0) title += fmt::format(" ({:.3g} times the time)", cause.b_ms / cause.a_ms);
  return title;
}

std::string DeviceTitle(const Cause& cause) {
  const double times = cause.a_ms > 0 ? cause.b_ms / cause.a_ms : 0;
  return fmt::format("nearly all kernels take {:.3g} times the time alike: clocks, power limit or device", times);
}

std::string IdleTitle(const Cause& cause, const Diff& diff, std::string_view arrow) {
  std::string title = fmt::format("GPU idle: {}", IdleWords(cause.detail));
  if (cause.detail == "launches") title += FigureCounts(diff, "launches", "launches", arrow);
  if (cause.detail == "synchronisation") title += FigureCounts(diff, "synchronisations", "blocking calls", arrow);
  if (cause.detail == "allocation") title += FigureCounts(diff, "allocator_calls", "driver calls", arrow);
  return title;
}

std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// What the recordings themselves show, where the answer is not that; what speaks against it, where it is.
std::string Recorded(const analysis::StepChange& step, std::string_view arrow) {
  if (step.times == analysis::StepTimes::kWithoutRecorder)
    return fmt::format("As recorded: {} {} {} a step.", FormatMs(step.recorded_a_ms), arrow,
                       FormatMs(step.recorded_b_ms));
  return AsRecorded(step.recorder_at_most_pct);
}

// "4 of B's 40 steps take 1.5 times the middle one or more"; "" where none does.
std::string WhoIsSlow(const analysis::StepSide& a, const analysis::StepSide& b) {
  if (a.slow + b.slow == 0) return "";
  std::string who;
  if (a.slow > 0) who = fmt::format("{} of A's {} steps", a.slow, a.counted);
  if (b.slow > 0)
    who += (who.empty() ? "" : " and ") + fmt::format("{} of B's {}{}", b.slow, b.counted, a.slow > 0 ? "" : " steps");
  return fmt::format("{} {} {} times the middle one or more", who, a.slow + b.slow == 1 ? "takes" : "take",
                     analysis::kSlowStepRatio);
}

// The side whose mean lies farther from its middle step.
std::string WhoIsUneven(const analysis::StepSide& a, const analysis::StepSide& b) {
  const auto uneven = [](const analysis::StepSide& side) { return std::abs(std::log(side.mean_ms / side.median_ms)); };
  const bool of_b = uneven(b) >= uneven(a);
  const analysis::StepSide& side = of_b ? b : a;
  return fmt::format("the steps of {} reach from {} to {}", of_b ? "B" : "A", FormatMs(side.low_ms),
                     FormatMs(side.high_ms));
}

// Where the middle steps are judged and the means, which throughput follows, tell another story.
std::string SlowSteps(const Diff& diff, std::string_view arrow) {
  const analysis::StepSide &a = diff.a, &b = diff.b;
  if (diff.step.basis == analysis::Basis::kMean || !diff.means || !diff.means->outside) return "";
  if (a.median_ms <= 0 || b.median_ms <= 0) return "";
  const analysis::MeanChange& means = *diff.means;
  const std::string slow = WhoIsSlow(a, b);
  if (!means.apart && slow.empty()) return "";
  const std::string change =
      fmt::format("But on average {} {} {} a step as recorded", FormatMs(means.a_ms), arrow, FormatMs(means.b_ms));
  if (!means.apart) return fmt::format("{} ({} %): {}; so few may be chance.", change, SignedPct(means.diff_pct), slow);
  return fmt::format("{} ({} %, between {} and {} %): {}.", change, SignedPct(means.diff_pct), SignedPct(means.low_pct),
                     SignedPct(means.high_pct), slow.empty() ? WhoIsUneven(a, b) : slow);
}

}  // namespace

std::string Behind(const std::string& sentence) { return sentence.empty() ? "" : " " + sentence; }

std::string AsRecorded(double at_most_pct) {
  constexpr double kLargePct = 20;
  if (at_most_pct < kLargePct) return "";
  return fmt::format(
      "These times are as recorded: what the recorder took is not known, and can be up to {} % of a step.",
      Pct(at_most_pct));
}

std::string_view OutcomeName(Outcome outcome) {
  switch (outcome) {
    case Outcome::kFaster: return "faster";
    case Outcome::kSlower: return "slower";
    case Outcome::kNoDifference: return "no_difference";
    case Outcome::kNotComparable: return "not_comparable";
  }
  return "";
}

std::string_view BasisName(analysis::Basis basis) { return basis == analysis::Basis::kMean ? "mean" : "median"; }

std::string_view StepTimesName(analysis::StepTimes times) {
  return times == analysis::StepTimes::kWithoutRecorder ? "without_recorder" : "recorded";
}

std::string_view StepSourceName(analysis::StepSource source) {
  switch (source) {
    case analysis::StepSource::kProfilerStep: return "profiler_step";
    case analysis::StepSource::kUserRange: return "user_range";
    case analysis::StepSource::kKernelSequence: return "kernel_sequence";
    case analysis::StepSource::kWholeWindow: return "whole_window";
  }
  return "";
}

std::string DiffAnswer(const Diff& diff, std::string_view arrow) {
  const analysis::StepChange& step = diff.step;
  if (diff.outcome == Outcome::kNotComparable) {
    if (diff.objections.empty()) return "Not comparable.";
    return "Not comparable: " + diff.objections.front().text + ".";
  }
  const std::string times = Times(diff, arrow);
  if (diff.outcome == Outcome::kNoDifference) {
    const std::string interval = IntervalPct(step, true);
    constexpr double kLargePct = 10;
    return fmt::format("No difference beyond noise{}: {} ({} %{}{}).",
                       diff.noise_pct >= kLargePct ? ", but the noise is large" : "", times, SignedPct(step.diff_pct),
                       interval.empty() ? "" : ", ", interval) +
           Behind(SlowSteps(diff, arrow)) + Behind(Recorded(step, arrow));
  }
  const std::string size = Pct(std::abs(step.diff_pct));
  std::string text = diff.outcome == Outcome::kSlower ? fmt::format("B is {} % slower than A: {}", size, times)
                                                      : fmt::format("B takes {} % less time than A: {}", size, times);
  const double times_as =
      step.diff_ms > 0 ? step.b_ms / std::max(step.a_ms, 1e-9) : step.a_ms / std::max(step.b_ms, 1e-9);
  if (times_as >= 2) text += fmt::format(", {:.3g} times {}", times_as, step.diff_ms > 0 ? "the time" : "as fast");
  const std::string interval = times_as >= 2 ? IntervalTimes(step) : IntervalPct(step, false);
  if (!interval.empty()) text += fmt::format(" ({})", interval);
  if (step.basis == analysis::Basis::kMean) text += "; the middle step is the same, the difference lies in slow steps";
  return text + "." + Behind(SlowSteps(diff, arrow)) + Behind(Recorded(step, arrow));
}

std::string CauseTitle(const Cause& cause, const Diff& diff, std::string_view arrow) {
  switch (cause.kind) {
    case CauseKind::kPrecision: return PrecisionTitle(cause);
    case CauseKind::kAlgorithm:
      return fmt::format("{}: other kernels for the same work ({})", cause.subject,
                         Counts(cause.count_a, cause.count_b, arrow));
    case CauseKind::kFusion:
      return fmt::format("{}: {} for the same work ({})", cause.subject,
                         cause.count_b < cause.count_a ? "fewer kernels" : "more kernels",
                         Counts(cause.count_a, cause.count_b, arrow, "kernels"));
    case CauseKind::kShapes: return fmt::format("{}: works on other shapes", cause.subject);
    case CauseKind::kKernelSpeed: return SpeedTitle(cause);
    case CauseKind::kKernelCount:
      return fmt::format("{}: runs {} often ({})", cause.subject, cause.count_b > cause.count_a ? "more" : "less",
                         Counts(cause.count_a, cause.count_b, arrow));
    case CauseKind::kDeviceSpeed: return DeviceTitle(cause);
    case CauseKind::kNewKernels:
      return fmt::format("new kernels ({}), {} a step{}", cause.detail, CountText(cause.count_b), Mostly(cause));
    case CauseKind::kVanishedKernels:
      return fmt::format("kernels gone ({}), {} a step{}", cause.detail, CountText(cause.count_a), Mostly(cause));
    case CauseKind::kCopy:
      return fmt::format("copies {}: {}{}", cause.detail, Counts(cause.count_a, cause.count_b, arrow), Mostly(cause));
    case CauseKind::kFill: return fmt::format("fills: {}", Counts(cause.count_a, cause.count_b, arrow));
    case CauseKind::kCommunication:
      return fmt::format("communication that nothing hides: {} ({})", cause.subject,
                         Counts(cause.count_a, cause.count_b, arrow));
    case CauseKind::kIdle: return IdleTitle(cause, diff, arrow);
    case CauseKind::kOther: return "all that is too small or too uncertain to be named";
    case CauseKind::kCount: break;
  }
  return "";
}

std::string CauseDetail(const Cause& cause, std::string_view arrow) {
  const std::string a = Joined(cause.names_a), b = Joined(cause.names_b);
  if (cause.kind == CauseKind::kIdle) return cause.diff_ms > 0 ? b : a;
  if (a.empty() || b.empty() || a == b) return a.empty() ? b : a;
  return fmt::format("{} {} {}", a, arrow, b);
}

std::string PartLabel(const std::string& part) {
  if (part.starts_with("idle_")) return "idle: " + std::string(IdleWords(std::string_view(part).substr(5)));
  if (part == "kernels") return "GPU computes";
  if (part == "communication") return "GPU only communicates";
  if (part == "copies") return "GPU only copies";
  return part == "fills" ? "GPU only fills memory" : part;
}

std::string SignedMs(double ms) {
  const std::string text = FormatMs(std::abs(ms));
  return ms == 0 ? text : (ms > 0 ? "+" : "-") + text;
}

std::string FigureLabel(const std::string& figure) {
  if (figure == "launch_call_ns") return "time of a launch call";
  if (figure == "peak_memory_bytes") return "peak of allocated memory";
  if (figure == "copy_bytes") return "copied a step";
  std::string label = figure;
  for (char& c : label) c = c == '_' ? ' ' : c;
  return label + " a step";
}

std::string FormatFigure(const std::string& figure, double value) {
  if (figure.ends_with("_ns")) return FormatDurationNs(value);
  if (figure.ends_with("_bytes")) return FormatBytes(value);
  return CountText(value);
}

std::vector<std::string> DiffNotes(const Diff& diff) {
  std::vector<std::string> notes;
  if (diff.outcome == Outcome::kNotComparable) return notes;
  const auto peaks = [&](const analysis::StepSide& side, const char* name) {
    if (!side.peaks) return;
    notes.push_back(
        fmt::format("The steps of {} have two peaks: {} ({:.0f} % of them) and {}. Which one a run falls on "
                    "is noise: repeat both sides before you believe a difference of that size.",
                    name, FormatMs(side.peaks->low), 100 - side.peaks->high_share_pct, FormatMs(side.peaks->high)));
  };
  peaks(diff.a, "A"), peaks(diff.b, "B");
  if (diff.outcome == Outcome::kNoDifference)
    notes.push_back(
        fmt::format("A change of the step up to {:.1f} % could not be told from noise here.", diff.noise_pct));
  if (diff.step.times == analysis::StepTimes::kWithoutRecorder)
    notes.push_back(
        fmt::format("What the recorder took is an estimate, and part of the interval: it alone leaves {:.1f} % open. "
                    "Times of the causes are without it, the steps of A and B above are as recorded. Measure both "
                    "programs without a recorder: warpscope compare.",
                    diff.step.recorder_doubt_pct));
  if (!diff.judgement) return notes;
  if (diff.judgement->few)
    notes.push_back("Too few steps to know the noise: a large change is told, a small one could not be. Record more.");
  else if (!diff.judgement->middle.between_measured)
    notes.push_back("The spread is that of the steps within the two recordings; runs of one program differ by more.");
  return notes;
}

}  // namespace warpscope::view
