// ExplainText: the answer first, then why, the numbers, checks and fix; consequences below.
#include <fmt/format.h>

#include <algorithm>

#include "report/explain_report.h"
#include "report/text.h"

namespace warpscope::report {
namespace {

using explain::Finding;
using explain::Relation;

constexpr size_t kLabel = 10;
constexpr size_t kRowsShown = 6;  // of each kind below the answer, without --all

std::string Ranks(const std::vector<int64_t>& ranks) {
  constexpr size_t kShown = 8;
  std::string text;
  for (size_t i = 0; i < ranks.size() && i < kShown; ++i) text += (i > 0 ? ", " : "") + std::to_string(ranks[i]);
  if (ranks.size() > kShown) text += fmt::format(" and {} more", ranks.size() - kShown);
  return text;
}

class ExplainPrinter {
 public:
  ExplainPrinter(const Terminal& terminal, const ExplainOptions& options) : terminal_(terminal), options_(options) {}

  std::string Unknown(const explain::Diagnosis& diagnosis) {
    Line(diagnosis.lines == 0 ? "There is no text to explain."
                              : "Unknown: no error that warpscope knows stands in this text.",
         Ink::kBold);
    Labelled("What now",
             Say("Give the whole message, not its last line: the first error of a log names the cause, and tracebacks "
                 "end with it."));
    Labelled("", Say("A program that failed on the GPU says more when launches block:"),
             "CUDA_LAUNCH_BLOCKING=1 PROGRAM");
    Labelled("", Say("The kernel's log (Xid, out of memory, bus errors):"), "warpscope faults FILE");
    Labelled("", Say("Does the machine fit the program?"), "warpscope doctor capture -- PROGRAM");
    Labelled("", Say("What is known:"), "warpscope explain --list");
    return std::move(out_);
  }

  std::string Print(const explain::Diagnosis& diagnosis) {
    const Finding& cause = diagnosis.findings.front();
    Answer(cause);
    Group(diagnosis, Relation::kSame, "The same fault in other words");
    Group(diagnosis, Relation::kFollows, "Consequences: look at them only if the above is gone");
    Group(diagnosis, Relation::kOther, "Further errors, with causes of their own");
    Group(diagnosis, Relation::kRemark, "Remarks");
    return std::move(out_);
  }

 private:
  void Line(std::string_view text, Ink ink = Ink::kPlain) { AppendWrapped(out_, terminal_, "", "", Say(text), ink); }
  std::string Say(std::string_view english) const { return terminal_.Say(english); }

  void Labelled(std::string_view label, std::string_view text, std::string_view command = {}) {
    const std::string indent(kLabel, ' ');
    if (!text.empty())
      AppendWrapped(out_, terminal_, PadRight(label.empty() ? std::string() : Say(label), kLabel), indent, text);
    if (!command.empty()) AppendWrapped(out_, terminal_, indent + "$ ", indent + "  ", command, Ink::kCommand);
  }

  std::string Where(const Finding& finding) const {
    std::string where;
    if (!options_.source.empty()) where = fmt::format("{}, line {}", options_.source, finding.line);
    if (finding.count > 1) where += fmt::format("{}{} lines with it", where.empty() ? "" : ", ", finding.count);
    if (!finding.ranks.empty()) where += fmt::format("{}rank {}", where.empty() ? "" : ", ", Ranks(finding.ranks));
    return where;
  }

  void Answer(const Finding& finding) {
    const explain::Answer& answer = finding.answer;
    Line(answer.headline, Ink::kBold);
    const std::string where = Where(finding);
    if (!where.empty()) Line(where, Ink::kDim);
    out_ += '\n';
    Labelled("Meaning", Say(answer.meaning));
    Labelled("Cause", Say(answer.cause));
    Facts(answer);
    for (size_t i = 0; i < answer.checks.size(); ++i) {
      if (answer.checks[i].text.empty()) Labelled("", "", answer.checks[i].command);
      else
        Labelled(i == 0 ? "Check" : "", fmt::format("{}. {}", i + 1, Say(answer.checks[i].text)),
                 answer.checks[i].command);
    }
    for (size_t i = 0; i < answer.fixes.size(); ++i) Labelled(i == 0 ? "Fix" : "", Say(answer.fixes[i]));
    // "Do not" is the label in English; other languages have the whole sentence.
    const bool is_english = terminal_.language == lang::Language::kEnglish;
    Labelled("Do not", is_english && answer.avoid.starts_with("Do not ") ? answer.avoid.substr(7) : Say(answer.avoid));
    Labelled("Source", answer.source);
    Labelled("Text", finding.excerpt.substr(0, 300));
  }

  void Facts(const explain::Answer& answer) {
    size_t width = 0;
    for (const explain::Fact& fact : answer.facts) width = std::max(width, Width(Say(fact.label)));
    for (size_t i = 0; i < answer.facts.size(); ++i) {
      const explain::Fact& fact = answer.facts[i];
      const std::string indent(kLabel + width + 2, ' ');
      AppendWrapped(out_, terminal_,
                    PadRight(i == 0 ? Say("Numbers") : std::string(), kLabel) + PadRight(Say(fact.label), width + 2),
                    indent, fact.text);
    }
  }

  // One line each, or the whole answers with --all.
  void Group(const explain::Diagnosis& diagnosis, Relation relation, std::string_view title) {
    std::vector<const Finding*> group;
    for (size_t i = 1; i < diagnosis.findings.size(); ++i) {
      if (diagnosis.findings[i].relation == relation) group.push_back(&diagnosis.findings[i]);
    }
    if (group.empty()) return;
    out_ += '\n';
    Line(title, Ink::kBold);
    const size_t shown = options_.all ? group.size() : std::min(group.size(), kRowsShown);
    for (size_t i = 0; i < shown; ++i) {
      if (options_.all) {
        out_ += '\n';
        Answer(*group[i]);
      } else {
        Row(*group[i]);
      }
    }
    if (shown < group.size()) Line(fmt::format("   and {} more: --all has them in full", group.size() - shown));
  }

  void Row(const Finding& finding) {
    constexpr std::string_view kIndent = "   ";
    std::string row = Say(fmt::format("line {}", finding.line));
    if (finding.count > 1) row += fmt::format(" (x{})", finding.count);
    if (!finding.ranks.empty()) row += ", rank " + Ranks(finding.ranks);
    row += ": " + Say(finding.answer.headline);
    const size_t room = std::max<size_t>(terminal_.columns, 40) - kIndent.size();
    const std::vector<std::string> lines = Wrap(Clean(row, terminal_.utf8), room);
    if (lines.empty()) return;
    const std::string end = fmt::format(" {}", terminal_.ellipsis());
    out_ += kIndent;
    out_ += lines.size() == 1 ? lines[0] : Wrap(lines[0], room - Width(end))[0] + end;
    out_ += '\n';
  }

  const Terminal& terminal_;
  const ExplainOptions& options_;
  std::string out_;
};

}  // namespace

std::string ExplainText(const explain::Diagnosis& diagnosis, const Terminal& terminal, const ExplainOptions& options) {
  ExplainPrinter printer(terminal, options);
  return diagnosis.findings.empty() ? printer.Unknown(diagnosis) : printer.Print(diagnosis);
}

}  // namespace warpscope::report
