// VerdictText: the screen that the product is judged by. Order: the answer, what was measured, where a step's time
// goes, the causes with evidence and change, what could not be judged, how far the data can be trusted.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/text.h"
#include "report/verdict_report.h"
#include "view/format.h"

namespace warpscope::report {
namespace {

constexpr std::string_view kIndent = "   ";
constexpr size_t kLabel = 10;  // "Evidence  "

class VerdictPrinter {
 public:
  VerdictPrinter(const rules::Verdict& verdict, const Terminal& terminal, const VerdictOptions& options)
      : verdict_(verdict), terminal_(terminal), options_(options) {}

  std::string Print() {
    AppendWrapped(out_, terminal_, "", "", verdict_.answer, Ink::kBold);
    if (options_.quiet) return std::move(out_);
    Measured();
    Breakdown();
    Findings();
    Abstained();
    Ledger();
    Notes();
    Further();
    return std::move(out_);
  }

 private:
  std::string Say(std::string_view english) const { return terminal_.Say(english); }

  void Line(std::string_view text, Ink ink = Ink::kPlain) { AppendWrapped(out_, terminal_, "", "", text, ink); }

  void Heading(std::string_view text) {
    out_ += '\n';
    Line(Say(text), Ink::kBold);
  }

  void Measured() {
    std::string line = verdict_.source.path;
    const auto add = [&](const std::string& text) {
      if (text.empty()) return;
      if (!line.empty()) line += fmt::format(" {} ", terminal_.dot());
      line += text;
    };
    add(verdict_.source.producer.empty() ? verdict_.source.format : verdict_.source.producer);
    add(DeviceText());
    add(StepsText());
    Line(line, Ink::kDim);
    LeftOut();
  }

  void LeftOut() {
    const auto& before = verdict_.before_steps_ms;
    const auto& after = verdict_.after_steps_ms;
    if (before) {
      Line(Say(fmt::format("Left out: {} of start-up{}", view::FormatMs(*before),
                           after ? fmt::format(", and {} after these steps.", view::FormatMs(*after)) : ".")),
           Ink::kDim);
    } else if (after) {
      Line(Say(fmt::format("Left out: {} after these steps, in which the program does something else.",
                           view::FormatMs(*after))),
           Ink::kDim);
    }
  }

  std::string DeviceText() const {
    if (verdict_.devices.empty()) return "";
    const std::string& name = verdict_.devices[0].name;
    const bool alike = std::all_of(verdict_.devices.begin(), verdict_.devices.end(),
                                   [&](const rules::DeviceSummary& device) { return device.name == name; });
    const std::string words = alike && !name.empty() ? name : Say("device");
    return verdict_.devices.size() == 1
               ? words
               : fmt::format("{} x {}", verdict_.devices.size(), alike ? words : Say("devices"));
  }

  std::string StepsText() const {
    if (!verdict_.step_median_ms) return "";
    if (verdict_.step_count <= 1) return Say(fmt::format("one window of {}", view::FormatMs(*verdict_.step_median_ms)));
    std::string text =
        fmt::format("step {} (median of {} steps)", view::FormatMs(*verdict_.step_median_ms), verdict_.step_count);
    if (verdict_.step_p90_ms) text += fmt::format(", 90 % within {}", view::FormatMs(*verdict_.step_p90_ms));
    if (verdict_.warmup_excluded > 0) text += fmt::format(", {} warm-up left out", verdict_.warmup_excluded);
    return Say(text);
  }

  // The parts are of the recorded step, and of the mean one, so that they add up: the header tells the median. Where
  // the recorder slowed it, the findings speak of another one still: say so here.
  std::string BreakdownTitle(double total_ms) const {
    std::string title = fmt::format("Where {} of {} goes", verdict_.step_count > 1 ? "the mean step" : "the time",
                                    view::FormatMs(total_ms));
    const std::string base = StepWithoutRecorder(total_ms);
    return base.empty() ? title : fmt::format("{} (without the recorder {})", title, base);
  }

  // "" where the recorder slowed the mean step of `mean_ms` by nothing that shows, or by an unknown part.
  std::string StepWithoutRecorder(double mean_ms) const {
    const double base_ms = verdict_.base_step_ms.value_or(0);
    const std::string base = view::FormatMs(base_ms);
    const bool shows = base_ms > 0 && mean_ms > base_ms && base != view::FormatMs(mean_ms) && verdict_.knows_recorder;
    return shows ? base : "";
  }

  std::string Bar(const rules::TimePart& part, size_t room) const {
    const double ratio = std::clamp(part.pct, 0.0, 100.0) / 100;
    const auto cells = static_cast<size_t>(std::lround(ratio * static_cast<double>(room)));
    const std::string_view cell =
        terminal_.utf8 ? (part.busy ? "\xE2\x96\x88" : "\xE2\x96\x91") : (part.busy ? "#" : "-");
    std::string bar;
    for (size_t i = 0; i < cells; ++i) bar += cell;
    return terminal_.Paint(bar, part.busy ? Ink::kGood : Ink::kWarn);
  }

  void Breakdown() {
    if (verdict_.breakdown.empty()) return;
    double total_ms = 0;
    size_t label_width = 0;
    for (const rules::TimePart& part : verdict_.breakdown) {
      total_ms += part.ms;
      label_width = std::max(label_width, Width(Clean(part.label, terminal_.utf8)));
    }
    constexpr size_t kNumbers = 22, kLeastBar = 10, kMostBar = 40;
    const size_t beside = kIndent.size() + kNumbers;
    label_width = std::min(label_width, terminal_.columns - beside - kLeastBar);
    Heading(BreakdownTitle(total_ms));
    const size_t room = std::min(terminal_.columns - beside - label_width, kMostBar);
    for (const rules::TimePart& part : verdict_.breakdown) {
      constexpr double kTracePct = 0.05;  // would read "<0.1 %"; the JSON has it
      if (part.pct < kTracePct) continue;
      const std::string label = CutMiddle(Clean(part.label, terminal_.utf8), label_width, terminal_.utf8);
      std::string line =
          fmt::format("{}{}  {}  {}  {}", kIndent, PadRight(label, label_width), PadLeft(view::FormatMs(part.ms), 8),
                      PadLeft(view::FormatPct(part.pct), 6), Bar(part, room));
      line.erase(line.find_last_not_of(' ') + 1);  // a part too small for a bar
      out_ += line + '\n';
    }
  }

  void Findings() {
    const std::vector<size_t> standing = view::StandingFindings(verdict_);
    if (standing.empty()) return;
    std::vector<size_t> whole, brief;
    for (const size_t index : standing) (Whole(index, whole.size()) ? whole : brief).push_back(index);
    Heading("What to change, most worthwhile first");
    double mean_ms = 0;
    for (const rules::TimePart& part : verdict_.breakdown) mean_ms += part.ms;
    if (!StepWithoutRecorder(mean_ms).empty())
      AppendWrapped(out_, terminal_, kIndent, kIndent,
                    Say("Gains are without the recorder; times in the evidence are as recorded."), Ink::kDim);
    for (size_t i = 0; i < whole.size(); ++i) Finding(i + 1, whole[i]);
    if (verdict_.together && (whole.size() > 1 || TogetherTellsMore())) {
      out_ += '\n';
      AppendWrapped(out_, terminal_, Say("All together: "), kIndent,
                    Say(view::PredictionText(*verdict_.together, terminal_.arrow())), Ink::kGood);
    }
    if (!brief.empty()) Brief(brief);
  }

  // Beside one finding shown whole: smaller ones may bring more with it than alone.
  bool TogetherTellsMore() const {
    const auto& first = verdict_.findings.front().predicted;
    return first && verdict_.together->gain_pct >= first->gain_pct + kNotablePct;
  }

  // The first finding and what gains notably, five at most; the rest gets one line.
  bool Whole(size_t index, size_t before) const {
    if (options_.all || before == 0) return true;
    const auto& predicted = verdict_.findings[index].predicted;
    if (before >= kFindingsShown) return false;
    return predicted ? predicted->gain_pct >= kNotablePct : verdict_.findings[index].id != "device_saturated";
  }

  void Brief(const std::vector<size_t>& findings) {
    std::string text;
    for (const size_t index : findings) {
      const rules::Finding& finding = verdict_.findings[index];
      text += text.empty() ? finding.id : ", " + finding.id;
      if (finding.predicted) text += fmt::format(" (-{})", view::FormatPct(finding.predicted->gain_pct));
    }
    out_ += '\n';
    AppendWrapped(out_, terminal_, Say(findings.size() == 1 ? "One more, smaller: " : "Smaller: "), kIndent,
                  text + Say(" - details with --all"), Ink::kDim);
  }

  // "Evidence  text", continued under the text.
  void Labelled(std::string_view label, std::string_view text, Ink ink = Ink::kPlain) {
    const std::string head = std::string(kIndent) + terminal_.Paint(PadRight(Say(label), kLabel), Ink::kDim);
    const std::string rest(kIndent.size() + kLabel, ' ');
    AppendPainted(head, rest, text, ink);
  }

  // Like AppendWrapped, for a first prefix that may hold colour (which takes no columns).
  void AppendPainted(std::string_view head, std::string_view rest, std::string_view text, Ink ink) {
    std::string block;
    AppendWrapped(block, terminal_, rest, rest, text, ink);
    out_ += head;
    out_ += std::string_view(block).substr(rest.size());
  }

  void Command(std::string_view command) {
    if (command.empty()) return;
    const std::string rest(kIndent.size() + kLabel, ' ');
    AppendWrapped(out_, terminal_, rest + "$ ", rest + "  ", command, Ink::kCommand);
  }

  // Code keeps its own line breaks: it is there to be copied. What does not fit loses its trailing comment to a line of
  // its own, and a command of the shell goes on behind a backslash.
  void Code(std::string_view code) {
    const std::string head =
        std::string(kIndent.size() + kLabel, ' ') + terminal_.Paint(terminal_.bar(), Ink::kDim) + ' ';
    const size_t room = terminal_.columns - std::min(terminal_.columns - 20, kIndent.size() + kLabel + 2);
    while (!code.empty()) {
      const size_t end = std::min(code.find('\n'), code.size());
      for (const std::string& line : FitCode(Clean(code.substr(0, end), terminal_.utf8), room))
        out_ += head + line + '\n';
      code.remove_prefix(std::min(end + 1, code.size()));
    }
  }

  static std::vector<std::string> FitCode(std::string line, size_t room) {
    if (Width(line) <= room) return {line};
    if (line.starts_with("ncu ") || line.starts_with("warpscope ")) {
      std::vector<std::string> lines = Wrap(line, room - 6);
      for (size_t i = 0; i < lines.size(); ++i) {
        lines[i] = (i > 0 ? "    " : "") + lines[i] + (i + 1 < lines.size() ? " \\" : "");
      }
      return lines;
    }
    for (const std::string_view mark : {"  # ", "  // "}) {
      const size_t comment = line.find(mark);
      const size_t code_end = comment == std::string::npos ? comment : line.find_last_not_of(' ', comment);
      if (code_end == std::string::npos) continue;
      const size_t indent = line.find_first_not_of(' ');
      return {std::string(indent, ' ') + line.substr(comment + 2), line.substr(0, code_end + 1)};
    }
    return {line};
  }

  void Finding(size_t number, size_t index) {
    const rules::Finding& finding = verdict_.findings[index];
    out_ += '\n';
    const std::string head = fmt::format("{}. ", number);
    AppendWrapped(out_, terminal_, head, std::string(head.size(), ' '), finding.title, Ink::kBold);
    Labelled("Gain", Say(GainText(finding)), finding.predicted ? Ink::kGood : Ink::kPlain);
    Labelled("Kind", KindText(finding));
    if (!finding.subject.empty()) Labelled("About", finding.subject);
    if (options_.explain && !finding.concept_text.empty()) Labelled("Idea", finding.concept_text);
    bool first = true;
    for (size_t i = 0; i < finding.evidence.size(); ++i) {
      Labelled(first ? "Evidence" : "", finding.evidence[i].text);
      // One command may show several pieces: it stands below the last of them.
      if (i + 1 == finding.evidence.size() || finding.evidence[i + 1].query != finding.evidence[i].query)
        Command(finding.evidence[i].query);
      first = false;
    }
    first = true;
    for (const rules::Action& action : finding.actions) {
      Labelled(first ? "Change" : "", action.text);
      Code(action.code);
      first = false;
    }
    if (!finding.verify.empty()) Labelled("Check", finding.verify);
    Symptoms(index);
  }

  std::string GainText(const rules::Finding& finding) const {
    const std::string_view confidence = view::ConfidenceName(finding.confidence);
    // A counter report speaks of kernels, not of steps.
    if (!finding.predicted && verdict_.step_count == 0 && finding.kernel_speedup)
      return fmt::format(
          "the kernel {:.3g} times as fast{}; {} confidence in the cause", *finding.kernel_speedup,
          finding.kernel_speedup_low && finding.kernel_speedup_high
              ? fmt::format(" (between {:.3g} and {:.3g})", *finding.kernel_speedup_low, *finding.kernel_speedup_high)
              : "",
          confidence);
    if (!finding.predicted && verdict_.step_count == 0)
      return fmt::format("not in step time, which was not recorded; {} confidence in the cause", confidence);
    if (!finding.once.empty()) return fmt::format("{}; {} confidence in the cause", finding.once, confidence);
    if (!finding.predicted)
      return fmt::format("cannot be predicted from this recording; {} confidence in the cause", confidence);
    return fmt::format("{}{}, {} confidence in the cause", finding.upper_bound ? "at best " : "",
                       view::PredictionText(*finding.predicted, terminal_.arrow()), confidence);
  }

  std::string KindText(const rules::Finding& finding) const {
    std::string text = fmt::format("{0} {1} {2} {1} {3}", finding.id, terminal_.dot(),
                                   Say(fmt::format("{} layer", view::LayerName(finding.layer))),
                                   Say(view::DimensionName(finding.dimension)));
    if (finding.share_pct) {
      text += fmt::format(" {} {}", terminal_.dot(),
                          Say(fmt::format("{} of the step", view::FormatPct(*finding.share_pct))));
    }
    return text;
  }

  void Symptoms(size_t cause) {
    bool first = true;
    for (const size_t index : view::SymptomsOf(verdict_, cause)) {
      const rules::Finding& symptom = verdict_.findings[index];
      Labelled(first ? "Explains" : "", fmt::format("{} ({})", symptom.title, symptom.id));
      first = false;
    }
  }

  void Abstained() {
    if (verdict_.abstained.empty()) return;
    const size_t shown = options_.all ? verdict_.abstained.size() : std::min<size_t>(verdict_.abstained.size(), 3);
    Heading("Could not be judged");
    // Rules that all lack the same thing are one line.
    const rules::Abstention& first = verdict_.abstained.front();
    const bool alike =
        std::all_of(verdict_.abstained.begin(), verdict_.abstained.end(), [&](const rules::Abstention& one) {
          return one.reason == first.reason && one.record_instead == first.record_instead;
        });
    if (alike && verdict_.abstained.size() > 3 && !options_.all) {
      AppendWrapped(out_, terminal_, kIndent, "     ",
                    fmt::format("{}: {} {} {}",
                                Say(fmt::format("all {} rules about a program's time", verdict_.abstained.size())),
                                first.reason, terminal_.arrow(), first.record_instead));
      return;
    }
    for (size_t i = 0; i < shown; ++i) {
      const rules::Abstention& abstention = verdict_.abstained[i];
      std::string text = fmt::format("{}: {}", abstention.id, abstention.reason);
      if (!abstention.record_instead.empty())
        text += fmt::format(" {} {}", terminal_.arrow(), abstention.record_instead);
      AppendWrapped(out_, terminal_, kIndent, "     ", text);
    }
    More(verdict_.abstained.size() - shown);
  }

  void More(size_t left) {
    if (left > 0)
      AppendWrapped(out_, terminal_, kIndent, kIndent,
                    fmt::format("{} {}", terminal_.ellipsis(), Say(fmt::format("{} more: --all", left))), Ink::kDim);
  }

  // Warnings and losses always; what is merely worth knowing only with --all.
  void Ledger() {
    std::vector<const model::LedgerEntry*> shown;
    for (const model::LedgerEntry& entry : verdict_.ledger) {
      if (options_.all || entry.severity != model::Severity::kInfo) shown.push_back(&entry);
    }
    if (shown.empty()) return;
    Heading("About the data");
    for (const model::LedgerEntry* entry : shown) {
      const bool loss = entry->severity == model::Severity::kLoss;
      std::string text = entry->message;
      if (options_.all && entry->first_offset_bytes) {
        text += Say(
            fmt::format(" (first at byte {})", view::FormatCount(static_cast<int64_t>(*entry->first_offset_bytes))));
      }
      const std::string mark = PadRight(Say(model::SeverityName(entry->severity)), 8);
      const std::string rest(kIndent.size() + mark.size() + 1, ' ');
      const Ink ink = loss ? Ink::kBad : entry->severity == model::Severity::kWarning ? Ink::kWarn : Ink::kDim;
      AppendPainted(fmt::format("{}{} ", kIndent, terminal_.Paint(mark, ink)), rest, text, Ink::kPlain);
    }
  }

  void Notes() {
    if (verdict_.notes.empty()) return;
    out_ += '\n';
    const size_t shown = options_.all ? verdict_.notes.size() : std::min<size_t>(verdict_.notes.size(), 3);
    for (size_t i = 0; i < shown; ++i) Line(verdict_.notes[i], Ink::kDim);
    More(verdict_.notes.size() - shown);
  }

  // Where to go on; once, and only commands that have something to show.
  void Further() {
    if (!verdict_.findings.empty()) {
      out_ += '\n';
      // Two recordings, each one file or folder.
      if (verdict_.base_step_ms && options_.file.find(' ') == std::string::npos)
        Line(Say(fmt::format("After a change, record again: warpscope verify {} AFTER", options_.file)), Ink::kDim);
      if (!options_.explain) Line(Say("New to this? The idea behind each finding: --explain"), Ink::kDim);
      return;
    }
    out_ += '\n';
    Line(Say("To look closer:"));
    for (const std::string& command : verdict_.further) {
      AppendWrapped(out_, terminal_, std::string(kIndent) + "$ ", std::string(kIndent) + "  ",
                    fmt::format("warpscope {} {}", command, options_.file), Ink::kCommand);
    }
  }

  const rules::Verdict& verdict_;
  const Terminal& terminal_;
  const VerdictOptions& options_;
  std::string out_;
};

}  // namespace

std::string VerdictText(const rules::Verdict& verdict, const Terminal& terminal, const VerdictOptions& options) {
  return VerdictPrinter(verdict, terminal, options).Print();
}

}  // namespace warpscope::report
