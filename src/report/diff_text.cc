// DiffText. Order: the answer, what was compared, what differs around it, the causes that add up, where a step goes on
// both sides, figures, what speaks against the comparison.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/diff_report.h"
#include "report/text.h"
#include "view/format.h"

namespace warpscope::report {
namespace {

constexpr std::string_view kIndent = "   ";
constexpr size_t kCausesShown = 8, kChangesShown = 6;

class DiffPrinter {
 public:
  DiffPrinter(const analysis::Diff& diff, const Terminal& terminal, bool all)
      : diff_(diff), terminal_(terminal), all_(all) {}

  std::string Print(const DiffInput& a, const DiffInput& b) {
    Line(Say(view::DiffAnswer(diff_, terminal_.arrow())), Ink::kBold);
    Side("A", a, diff_.a), Side("B", b, diff_.b);
    if (diff_.outcome == analysis::Outcome::kNotComparable) {
      Objections();
      Environment();
      out_ += '\n';
      Line(Say("To compare all the same, such as a program whose kernels a change replaced: --force"), Ink::kDim);
      return std::move(out_);
    }
    Environment();
    Causes();
    Parts();
    Figures();
    Ranks();
    Objections();
    Notes();
    return std::move(out_);
  }

 private:
  std::string Say(std::string_view english) const { return terminal_.Say(english); }
  void Line(std::string_view text, Ink ink = Ink::kPlain) { AppendWrapped(out_, terminal_, "", "", text, ink); }
  void Item(std::string_view text, Ink ink = Ink::kPlain) {
    AppendWrapped(out_, terminal_, kIndent, "     ", text, ink);
  }
  void Heading(std::string_view text) {
    out_ += '\n';
    Line(Say(text), Ink::kBold);
  }
  void More(size_t left) {
    if (left > 0) Item(fmt::format("{} {}", terminal_.ellipsis(), Say(fmt::format("{} more: --all", left))), Ink::kDim);
  }

  void Side(std::string_view name, const DiffInput& input, const analysis::StepSide& side) {
    std::string line = fmt::format("{}: {}", name, input.path);
    const auto add = [&](const std::string& text) {
      if (!text.empty()) line += fmt::format(" {} {}", terminal_.dot(), text);
    };
    add(input.producer.empty() ? input.format : input.producer);
    add(input.device);
    if (side.counted > 1) {
      add(Say(fmt::format("{} steps, {} to {}{}", side.counted, view::FormatMs(side.low_ms),
                          view::FormatMs(side.high_ms),
                          side.warmup > 0 ? fmt::format(" ({} warm-up left out)", side.warmup) : "")));
    } else if (side.counted == 1) {
      add(Say(fmt::format("one window of {}", view::FormatMs(side.median_ms))));
    }
    Line(line, Ink::kDim);
  }

  void Environment() {
    if (diff_.environment.empty()) return;
    Heading("What differs around the program");
    const size_t shown = all_ ? diff_.environment.size() : std::min(diff_.environment.size(), kChangesShown);
    for (size_t i = 0; i < shown; ++i) {
      const analysis::EnvironmentChange& change = diff_.environment[i];
      const auto value = [&](const std::string& text) { return text.empty() ? Say("not set") : text; };
      Item(fmt::format("{} {}: {} {} {}{}", change.subject, change.name, value(change.a), terminal_.arrow(),
                       value(change.b), change.suspect ? "" : Say(" (changes no times)")),
           change.suspect ? Ink::kWarn : Ink::kPlain);
    }
    More(diff_.environment.size() - shown);
  }

  void Cause(const analysis::Cause& cause) {
    const std::string head = fmt::format("{}{}  ", kIndent, PadLeft(view::SignedMs(cause.diff_ms), 9));
    const std::string rest(head.size(), ' ');
    std::string title = Say(view::CauseTitle(cause, diff_, terminal_.arrow()));
    if (cause.kind != analysis::CauseKind::kOther && !cause.beyond_noise) title += Say(" (may be noise)");
    const Ink ink = cause.kind == analysis::CauseKind::kOther ? Ink::kDim : Ink::kPlain;
    AppendWrapped(out_, terminal_, head, rest, title, ink);
    const std::string detail = Say(view::CauseDetail(cause, terminal_.arrow()));
    if (cause.kind == analysis::CauseKind::kOther || detail.empty()) return;
    const size_t room = terminal_.columns - std::min(terminal_.columns - 20, rest.size());
    const std::string clean = Clean(detail, terminal_.utf8);
    AppendWrapped(out_, terminal_, rest, rest, all_ ? clean : CutMiddle(clean, room, terminal_.utf8), Ink::kDim);
  }

  void Causes() {
    if (diff_.causes.empty()) return;
    const bool none = diff_.outcome == analysis::Outcome::kNoDifference;
    const bool of_all = diff_.causes_basis != diff_.step.basis;
    Heading(of_all ? fmt::format("What makes up {} a step on average, by cause (they add up)",
                                 view::SignedMs(diff_.causes_diff_ms))
                   : fmt::format("{} {} a step, by cause (they add up)",
                                 none ? "What makes up" : "Where the difference comes from:",
                                 view::SignedMs(diff_.step.diff_ms)));
    size_t shown = 0;
    double hidden_ms = 0;
    size_t hidden = 0;
    for (const analysis::Cause& cause : diff_.causes) {
      const bool other = cause.kind == analysis::CauseKind::kOther;
      if (!all_ && !other && shown >= kCausesShown) {
        hidden_ms += cause.diff_ms;
        ++hidden;
        continue;
      }
      if (other && hidden > 0) Hidden(&hidden, hidden_ms);
      Cause(cause);
      ++shown;
    }
    if (hidden > 0) Hidden(&hidden, hidden_ms);
    if (of_all) return;  // nothing is left over of a mean
    const std::string head = fmt::format("{}{}  ", kIndent, PadLeft(view::SignedMs(diff_.residual_ms), 9));
    AppendWrapped(out_, terminal_, head, std::string(head.size(), ' '),
                  Say("left over: the causes are means of steps, the answer compares middle steps"), Ink::kDim);
  }

  void Hidden(size_t* hidden, double ms) {
    AppendWrapped(out_, terminal_, fmt::format("{}{}  ", kIndent, PadLeft(view::SignedMs(ms), 9)), kIndent,
                  Say(fmt::format("{} more causes: --all", *hidden)), Ink::kDim);
    *hidden = 0;
  }

  std::string Label(const analysis::PartChange& part) const { return Say(view::PartLabel(part.name)); }

  void Parts() {
    if (diff_.parts.empty()) return;
    const std::string_view whose = diff_.parts_basis == analysis::Basis::kMean ? "mean" : "middle";
    Heading(fmt::format("Where the {} step goes{}", whose,
                        diff_.step.times == analysis::StepTimes::kWithoutRecorder ? ", without the recorder" : ""));
    constexpr size_t kNumbers = 36;
    size_t width = 0;
    for (const analysis::PartChange& part : diff_.parts) width = std::max(width, Width(Label(part)));
    width = std::min(width, terminal_.columns - std::min(terminal_.columns - 20, kNumbers + kIndent.size()));
    const auto row = [&](const std::string& label, const std::string& a, const std::string& b, const std::string& diff,
                         Ink ink) {
      const std::string line = fmt::format("{}{}  {}  {}  {}", kIndent, PadRight(label, width), PadLeft(a, 9),
                                           PadLeft(b, 9), PadLeft(diff, 10));
      out_ += terminal_.Paint(line, ink) + '\n';
    };
    row("", "A", "B", "B - A", Ink::kDim);
    for (const analysis::PartChange& part : diff_.parts) {
      constexpr double kTrace = 0.0005;
      const double step_ms = std::max(diff_.step.a_ms, diff_.step.b_ms);
      if (!all_ && std::max(part.a_ms, part.b_ms) < kTrace * step_ms) continue;
      row(CutMiddle(Label(part), width, terminal_.utf8), view::FormatMs(part.a_ms), view::FormatMs(part.b_ms),
          view::SignedMs(part.diff_ms()), Ink::kPlain);
    }
  }

  static bool Changed(const analysis::Figure& figure) {
    if (!figure.a || !figure.b) return false;
    constexpr double kNotable = 0.05;
    const double most = std::max(std::abs(*figure.a), std::abs(*figure.b));
    return most > 0 && std::abs(*figure.a - *figure.b) > kNotable * most;
  }

  void Figures() {
    bool first = true;
    for (const analysis::Figure& figure : diff_.figures) {
      if (!figure.a || !figure.b || (!all_ && !Changed(figure)) || (*figure.a == 0 && *figure.b == 0)) continue;
      if (first) Heading("Counted");
      first = false;
      Item(fmt::format("{}: {} {} {}", Say(view::FigureLabel(figure.name)), view::FormatFigure(figure.name, *figure.a),
                       terminal_.arrow(), view::FormatFigure(figure.name, *figure.b)));
    }
    if (all_ && diff_.paired_a_pct && diff_.paired_b_pct) {
      Item(Say(fmt::format("kernel time with a partner on the other side: A {}, B {}",
                           view::FormatPct(*diff_.paired_a_pct), view::FormatPct(*diff_.paired_b_pct))));
    }
  }

  void Ranks() {
    if (diff_.ranks.empty()) return;
    Heading(fmt::format("Ranks (the causes are those of {}, whose own time changed most)", diff_.rank));
    constexpr size_t kRanksShown = 8;
    const size_t shown = all_ ? diff_.ranks.size() : std::min(diff_.ranks.size(), kRanksShown);
    for (size_t i = 0; i < shown; ++i) {
      const analysis::RankChange& rank = diff_.ranks[i];
      Item(fmt::format("{}: {}", rank.label,
                       Say(fmt::format("{} {} {} a step", view::FormatMs(rank.a_ms), terminal_.arrow(),
                                       view::FormatMs(rank.b_ms)))));
    }
    More(diff_.ranks.size() - shown);
  }

  void Objections() {
    if (diff_.objections.empty()) return;
    Heading(fmt::format("Against the comparison ({} of 100 points left, {} needed)", diff_.comparable_pct,
                        analysis::kComparablePct));
    for (const analysis::Objection& objection : diff_.objections) Item(Say(objection.text), Ink::kWarn);
  }

  void Notes() {
    out_ += '\n';
    for (const std::string& note : view::DiffNotes(diff_)) Line(Say(note), Ink::kDim);
  }

  const analysis::Diff& diff_;
  const Terminal& terminal_;
  const bool all_;
  std::string out_;
};

}  // namespace

std::string DiffText(const analysis::Diff& diff, const DiffInput& a, const DiffInput& b, const Terminal& terminal,
                     const DiffOptions& options) {
  return DiffPrinter(diff, terminal, options.all).Print(a, b);
}

}  // namespace warpscope::report
