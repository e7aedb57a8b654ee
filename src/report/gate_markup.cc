// GateJunit and GateMarkdown: the result in the two forms that CI servers show.
#include <fmt/format.h>

#include <algorithm>

#include "report/gate_report.h"
#include "report/text.h"
#include "report/xml.h"
#include "view/diff_view.h"
#include "view/format.h"

namespace warpscope::report {
namespace {

using analysis::GateOutcome;
using analysis::GateResult;

// A cell of a table: nothing in it may end the cell, start a tag or a link, or call somebody.
std::string Cell(std::string_view text) {
  std::string out;
  for (const char c : Clean(text, true)) {
    if (std::string_view("|<>[]`*_\\@#!").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string Outcome(GateOutcome outcome) {
  switch (outcome) {
    case GateOutcome::kPass: return "pass";
    case GateOutcome::kRegression: return "regression";
    case GateOutcome::kInconclusive: return "inconclusive";
    case GateOutcome::kNotComparable: return "not comparable";
  }
  return "";
}

std::string Details(const GateResult& result, const GateInput& input) {
  std::string text;
  for (const analysis::EnvironmentChange& change : result.environment)
    text += "differs around the program: " + view::EnvironmentText(change, "->") + "\n";
  for (const analysis::Objection& objection : result.objections) text += "against it: " + objection.text + "\n";
  if (const std::string noise = view::GateNoise(result); !noise.empty()) text += "noise: " + noise + "\n";
  if (result.outcome == GateOutcome::kRegression && result.diff) {
    for (const analysis::Cause& cause : result.diff->causes) {
      if (cause.kind == analysis::CauseKind::kOther) continue;
      text += view::SignedMs(cause.diff_ms) + "  " + view::CauseTitle(cause, *result.diff, "->") + "\n";
    }
  }
  for (const std::string& note : view::GateNotes(result, input.limit_pct)) text += note + "\n";
  return text;
}

}  // namespace

std::string GateJunit(const GateResult& result, const GateInput& input) {
  const bool by_kernel = result.reason == analysis::GateReason::kSlowerKernel;
  const bool failed = result.outcome == GateOutcome::kRegression;
  const bool undecided = result.outcome == GateOutcome::kInconclusive || result.outcome == GateOutcome::kNotComparable;
  const auto& kernels = result.kernels.slower;
  const size_t failures = by_kernel ? kernels.size() : failed ? 1 : 0;
  std::string out(kJunitStart);
  out += fmt::format(" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"0\">\n", 1 + kernels.size(), failures,
                     undecided ? 1 : 0);
  const std::string answer = XmlText(view::GateAnswer(result, input.limit_pct, "->"));
  const std::string name = XmlText("step against baseline " + input.baseline);
  out += fmt::format("    <testcase classname=\"warpscope.gate\" name=\"{}\" time=\"{:.6f}\">\n", name,
                     result.step ? result.step->next / 1000 : 0.0);
  std::string lines;
  const std::string text = Details(result, input);
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    lines += XmlText(std::string_view(text).substr(at, end - at)) + "\n";
    at = end + 1;
  }
  if (failed && !by_kernel)
    out += fmt::format("      <failure type=\"regression\" message=\"{}\">{}</failure>\n", answer, lines);
  else if (undecided)
    out += fmt::format("      <error type=\"{}\" message=\"{}\">{}</error>\n", view::GateOutcomeName(result.outcome),
                       answer, lines);
  else out += fmt::format("      <system-out>{}\n{}</system-out>\n", answer, lines);
  out += "    </testcase>\n";
  for (const analysis::KernelShift& shift : kernels) {
    const std::string what = XmlText(view::KernelShiftText(shift));
    out += fmt::format("    <testcase classname=\"warpscope.gate.kernel\" name=\"{}\" time=\"{:.6f}\">\n",
                       XmlText(view::KernelName(shift)), shift.next_ms / 1000);
    if (by_kernel) out += fmt::format("      <failure type=\"regression\" message=\"{}\"/>\n", what);
    else
      out += fmt::format("      <system-out>slower, which fails nothing without --fail-on-kernels: {}</system-out>\n",
                         what);
    out += "    </testcase>\n";
  }
  return out + "  </testsuite>\n</testsuites>\n";
}

std::string GateMarkdown(const GateResult& result, const GateInput& input) {
  std::string out = fmt::format("{}{}\n\n{}\n", kMarkdownStart, Outcome(result.outcome),
                                Cell(view::GateAnswer(result, input.limit_pct, "->")));
  const auto section = [&](std::string_view heading, const std::vector<std::string>& items) {
    if (items.empty()) return;
    out += fmt::format("\n**{}**\n\n", heading);
    constexpr size_t kMost = 20;
    for (size_t i = 0; i < std::min(items.size(), kMost); ++i) out += "- " + Cell(items[i]) + "\n";
    if (items.size() > kMost) out += fmt::format("- {} more\n", items.size() - kMost);
  };
  const auto changes = [](const std::vector<analysis::EnvironmentChange>& list) {
    std::vector<std::string> texts;
    for (const auto& change : list) texts.push_back(view::EnvironmentText(change, "->"));
    return texts;
  };
  section("What differs around the program", changes(result.environment));
  section("What differs among the runs of one side", changes(result.mixed));
  std::vector<std::string> objections, causes, kernels;
  for (const analysis::Objection& objection : result.objections) objections.push_back(objection.text);
  section("Against the comparison", objections);
  if (result.step) {
    const analysis::RunShift& step = *result.step;
    out += "\n| | baseline " + Cell(input.baseline) + " | new | change | between |\n|---|---|---|---|---|\n";
    const auto row = [&](const char* name, const analysis::RunShift& shift) {
      out += fmt::format("| {} | {} | {} | {:+.1f} % | {:+.1f} and {:+.1f} % |\n", name, view::FormatMs(shift.base),
                         view::FormatMs(shift.next), shift.diff_pct, shift.low_pct, shift.high_pct);
    };
    row("step", step);
    if (result.stretches) row("mean step", *result.stretches);
    out += "\nNoise: " + Cell(view::GateNoise(result)) + "\n";
  }
  if (result.outcome == GateOutcome::kRegression && result.diff) {
    for (const analysis::Cause& cause : result.diff->causes) {
      if (cause.kind == analysis::CauseKind::kOther) continue;
      causes.push_back(view::SignedMs(cause.diff_ms) + " " + view::CauseTitle(cause, *result.diff, "->"));
    }
  }
  section("Where it comes from", causes);
  for (const analysis::KernelShift& shift : result.kernels.slower) kernels.push_back(view::KernelShiftText(shift));
  section("Kernels that became slower", kernels);
  for (const std::string& note : view::GateNotes(result, input.limit_pct)) out += "\n" + Cell(note) + "\n";
  return out;
}

}  // namespace warpscope::report
