// GateText. Order: the answer, what differs around the program, the runs and their noise, causes, kernels, figures.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/gate_report.h"
#include "report/text.h"
#include "view/diff_view.h"
#include "view/format.h"

namespace warpscope::report {
namespace {

using analysis::GateOutcome;
using analysis::GateResult;

constexpr size_t kShown = 6;

class GatePrinter {
 public:
  GatePrinter(const GateResult& result, const GateInput& input, const Terminal& terminal, bool all)
      : result_(result), input_(input), terminal_(terminal), all_(all) {}

  std::string Print() {
    Line(Say(view::GateAnswer(result_, input_.limit_pct, terminal_.arrow())), InkOf(result_.outcome));
    Environment();
    Objections();
    if (result_.outcome == GateOutcome::kNotComparable) {
      out_ += '\n';
      Line(Say("To compare all the same: --force"), Ink::kDim);
      return std::move(out_);
    }
    Runs();
    Causes();
    Kernels("Kernels that became slower", result_.kernels.slower);
    if (all_) Kernels("Kernels that became faster", result_.kernels.faster);
    Figures();
    Notes();
    return std::move(out_);
  }

 private:
  static Ink InkOf(GateOutcome outcome) {
    switch (outcome) {
      case GateOutcome::kPass: return Ink::kGood;
      case GateOutcome::kRegression: return Ink::kBad;
      default: return Ink::kWarn;
    }
  }
  std::string Say(std::string_view english) const { return terminal_.Say(english); }
  void Line(std::string_view text, Ink ink = Ink::kPlain) { AppendWrapped(out_, terminal_, "", "", text, ink); }
  void Item(std::string_view text, Ink ink = Ink::kPlain) { AppendWrapped(out_, terminal_, "   ", "     ", text, ink); }
  void Heading(std::string_view text) {
    out_ += '\n';
    Line(Say(text), Ink::kBold);
  }
  void More(size_t left) {
    if (left > 0) Item(fmt::format("{} {}", terminal_.ellipsis(), Say(fmt::format("{} more: --all", left))), Ink::kDim);
  }
  size_t Shown(size_t count) const { return all_ ? count : std::min(count, kShown); }

  void Changes(std::string_view heading, const std::vector<analysis::EnvironmentChange>& changes) {
    if (changes.empty()) return;
    Heading(heading);
    const size_t shown = Shown(changes.size());
    for (size_t i = 0; i < shown; ++i) {
      const std::string suspect = changes[i].suspect ? "" : Say(" (changes no times)");
      Item(view::EnvironmentText(changes[i], terminal_.arrow()) + suspect,
           changes[i].suspect ? Ink::kWarn : Ink::kPlain);
    }
    More(changes.size() - shown);
  }

  void Environment() {
    Changes("What differs around the program: a suspect before the program is", result_.environment);
    Changes("What differs among the runs of one side: they are no repeats of one thing", result_.mixed);
  }

  void Objections() {
    if (result_.objections.empty()) return;
    Heading(fmt::format("Against the comparison ({} of 100 points left, {} needed)", result_.comparable_pct,
                        analysis::kComparablePct));
    for (const analysis::Objection& objection : result_.objections) Item(Say(objection.text), Ink::kWarn);
  }

  void Runs() {
    Heading("Middle step of each run");
    const auto list = [&](const std::string& name, const std::vector<double>& times) {
      std::string line = name + ":";
      const size_t shown = all_ ? times.size() : std::min<size_t>(times.size(), 12);
      for (size_t i = 0; i < shown; ++i) line += " " + view::FormatMs(times[i]) + (i + 1 < shown ? "," : "");
      if (shown < times.size())
        line += fmt::format(" {} {}", terminal_.ellipsis(), Say(fmt::format("{} more", times.size() - shown)));
      Item(line);
    };
    list(Say("baseline " + input_.baseline), result_.base_ms);
    list(Say("new runs"), result_.next_ms);
    Item(Say("noise: " + view::GateNoise(result_)), Ink::kDim);
  }

  void Causes() {
    const bool changed = result_.outcome == GateOutcome::kRegression || result_.reason == analysis::GateReason::kFaster;
    if (!result_.diff || result_.diff->causes.empty() || (!changed && !all_)) return;
    Heading("Where it comes from, in the runs in the middle (warpscope diff shows all)");
    size_t shown = 0;
    for (const analysis::Cause& cause : result_.diff->causes) {
      if (cause.kind == analysis::CauseKind::kOther || (!all_ && shown == kShown)) continue;
      const std::string head = fmt::format("   {}  ", PadLeft(view::SignedMs(cause.diff_ms), 9));
      AppendWrapped(out_, terminal_, head, std::string(head.size(), ' '),
                    Say(view::CauseTitle(cause, *result_.diff, terminal_.arrow())));
      ++shown;
    }
    if (shown == 0) Item(Say("no cause stands out of the noise of single steps"), Ink::kDim);
  }

  void Kernels(std::string_view heading, const std::vector<analysis::KernelShift>& shifts) {
    if (shifts.empty()) return;
    Heading(fmt::format("{} ({} judged together)", heading, result_.kernels.judged));
    const size_t shown = Shown(shifts.size());
    for (size_t i = 0; i < shown; ++i) Item(Say(view::KernelShiftText(shifts[i])));
    More(shifts.size() - shown);
  }

  void Figures() {
    bool first = true;
    for (const analysis::GateFigure& figure : result_.figures) {
      if (!figure.base || !figure.next) continue;
      constexpr double kNotable = 0.05;
      const double most = std::max(std::abs(*figure.base), std::abs(*figure.next));
      if (most == 0 || (!all_ && std::abs(*figure.base - *figure.next) <= kNotable * most)) continue;
      if (first) Heading("Counted");
      first = false;
      const auto text = [&](double value) {
        return figure.name.ends_with("_pct") ? view::FormatPct(value) : view::FormatFigure(figure.name, value);
      };
      const std::string label = figure.name == "gpu_busy_pct" ? "GPU busy" : view::FigureLabel(figure.name);
      Item(fmt::format("{}: {} {} {}", Say(label), text(*figure.base), terminal_.arrow(), text(*figure.next)));
    }
  }

  void Notes() {
    const std::vector<std::string> notes = view::GateNotes(result_, input_.limit_pct);
    if (notes.empty()) return;
    out_ += '\n';
    for (const std::string& note : notes) Line(Say(note), Ink::kDim);
  }

  const GateResult& result_;
  const GateInput& input_;
  const Terminal& terminal_;
  const bool all_;
  std::string out_;
};

}  // namespace

std::string GateText(const analysis::GateResult& result, const GateInput& input, const Terminal& terminal, bool all) {
  return GatePrinter(result, input, terminal, all).Print();
}

}  // namespace warpscope::report
