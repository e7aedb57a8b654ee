// Totals of kernels and collectives.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/kernel_name.h"
#include "rules/measurements/summaries.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using model::SummaryKind;

double SumOf(const std::vector<Total>& totals) {
  double sum = 0;
  for (const Total& total : totals) sum += total.ns;
  return sum;
}

void Say(std::string sentence, Verdict& verdict) {
  if (verdict.answer.empty()) verdict.answer = "The file holds totals only. " + sentence;
  else verdict.notes.push_back(std::move(sentence));
}

// Kernel names are shortened only where they are long.
std::string NameOf(const Total& total) {
  constexpr size_t kLong = 80;
  return total.name.size() <= kLong ? total.name : analysis::ShortKernelName(total.name);
}

bool Has(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

Finding AiCpuFinding(double pct, const Total& largest) {
  Finding finding;
  finding.id = "totals_ai_cpu";
  finding.layer = Layer::kFramework;
  finding.dimension = Dimension::kCompute;
  finding.title = fmt::format("Operators on the AI CPU take {} of the kernels' time", Pct(pct));
  finding.subject = largest.name;
  finding.share_pct = pct;
  finding.evidence.push_back({fmt::format("{} alone takes {} in {}", Short(largest.name), Ms(largest.ns / 1e6),
                                          Plural(static_cast<double>(largest.count), "call")),
                              ""});
  finding.actions.push_back(
      {"Bring them to the AI Core: types such as int64 and double, and shapes that change from step to "
       "step, fall back to the AI CPU; cast, or replace the operator.",
       ""});
  finding.verify = "Record again: the rows with core type AI_CPU in op_statistic.csv are gone or shorter.";
  finding.concept_text =
      "The AI Core runs tensor and vector work; the AI CPU is a few ordinary cores beside it and many times slower.";
  return finding;
}

Finding ConversionFinding(double pct, double ns) {
  Finding finding;
  finding.id = "totals_format_conversion";
  finding.layer = Layer::kFramework;
  finding.dimension = Dimension::kMemory;
  finding.title = fmt::format("Conversions between tensor formats (TransData) take {} of the kernels' time", Pct(pct));
  finding.subject = "TransData";
  finding.share_pct = pct;
  finding.evidence.push_back({fmt::format("{} in TransData, which moves data and computes nothing", Ms(ns / 1e6)), ""});
  finding.actions.push_back(
      {"Keep one format through the model: forbid the internal formats, or keep layers that want the "
       "same one together.",
       "torch.npu.config.allow_internal_format = False"});
  finding.verify = "Record again: TransData in op_statistic.csv is gone or shorter; check that the step got faster.";
  finding.concept_text =
      "Some AI Core operators want tensors in a blocked layout. Between operators that want different ones, a kernel "
      "rearranges the data.";
  return finding;
}

void JudgeAscendKernels(const std::vector<Total>& totals, double all_ns, Verdict& verdict) {
  constexpr double kAiCpuPct = 5, kConversionPct = 10;
  double ai_cpu_ns = 0, conversion_ns = 0;
  const Total* largest = nullptr;
  for (const Total& total : totals) {
    if (total.group == "AI_CPU" || total.group == "AI CPU") {
      ai_cpu_ns += total.ns;
      if (largest == nullptr) largest = &total;
    }
    if (total.name == "TransData" || Has(total.name, "FormatTransfer")) conversion_ns += total.ns;
  }
  if (largest != nullptr && 100 * ai_cpu_ns / all_ns >= kAiCpuPct)
    verdict.findings.push_back(AiCpuFinding(100 * ai_cpu_ns / all_ns, *largest));
  if (100 * conversion_ns / all_ns >= kConversionPct)
    verdict.findings.push_back(ConversionFinding(100 * conversion_ns / all_ns, conversion_ns));
}

}  // namespace

bool JudgeKernelTotals(const model::Trace& trace, Verdict& verdict) {
  const std::vector<Total> totals = TotalsOf(trace, SummaryKind::kKernel, true);
  const double all_ns = SumOf(totals);
  if (totals.empty() || all_ns <= 0) return false;
  const Total& first = totals.front();
  std::string sentence =
      fmt::format("Of {} in kernels, {} takes {}", Ms(all_ns / 1e6), NameOf(first), Pct(100 * first.ns / all_ns));
  if (!first.group.empty() && WordsFor(trace).is_ascend) sentence += " (" + first.group + ")";
  if (totals.size() > 2) {
    const double three_ns = first.ns + totals[1].ns + totals[2].ns;
    sentence +=
        fmt::format("; with {} and {} it is {}", NameOf(totals[1]), NameOf(totals[2]), Pct(100 * three_ns / all_ns));
  }
  Say(sentence + ".", verdict);
  if (WordsFor(trace).is_ascend) JudgeAscendKernels(totals, all_ns, verdict);
  return true;
}

bool JudgeCollectiveTotals(const model::Trace& trace, Verdict& verdict) {
  const std::vector<Total> totals = TotalsOf(trace, SummaryKind::kCollective, true);
  double all_ns = 0, wait_ns = 0, idle_ns = 0, transit_ns = 0;
  uint64_t count = 0;
  for (const Total& total : totals) {
    if (total.group.empty()) all_ns += total.ns, count += total.count;
    if (total.group == "wait") wait_ns += total.ns;
    if (total.group == "idle") idle_ns += total.ns;
    if (total.group == "transit") transit_ns += total.ns;
  }
  if (all_ns <= 0) return false;
  std::string sentence = fmt::format("{} of {} last {}", Plural(static_cast<double>(count), "collective"),
                                     WordsFor(trace).communication, Ms(all_ns / 1e6));
  if (transit_ns > 0 || wait_ns > 0) {
    sentence += fmt::format("; data moves in {} of that, {} is waiting for other ranks, {} idle between tasks",
                            Pct(100 * transit_ns / all_ns), Pct(100 * wait_ns / all_ns), Pct(100 * idle_ns / all_ns));
  }
  Say(sentence + ".", verdict);
  return true;
}

}  // namespace warpscope::rules
