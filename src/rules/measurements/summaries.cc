// What tables of totals alone show: what dominates, and what to record to learn why.
#include "rules/measurements/summaries.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "rules/measurements/measurements.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using model::SummaryKind;

double Ms(const Total& total) { return total.ns / 1e6; }

struct KindWords {
  SummaryKind kind;
  std::string_view what;   // "API calls"
  std::string_view where;  // whose time it is
};

// Kinds that are not judged further, in the order of how much they tell about the device.
constexpr KindWords kOthers[] = {
    {SummaryKind::kCopy, "copies", "of the copies' time"},
    {SummaryKind::kOperator, "operators", "of the operators' own time"},
    {SummaryKind::kAnnotation, "ranges", "of the ranges' time"},
    {SummaryKind::kApiCall, "API calls", "of the host's time in such calls"},
};

// "API calls: aclrtSynchronizeStream takes 71 % (1.2 s) of the host's time in such calls"; "" if there are none.
std::string LargestOf(const model::Trace& trace, const KindWords& words) {
  std::vector<Total> totals = TotalsOf(trace, words.kind, true);
  if (totals.empty()) return {};
  // Tables of operators tell host and device time apart; the host's comes first.
  const std::string group = totals.front().group;
  double all_ns = 0;
  for (const Total& total : totals)
    all_ns += total.group == group || words.kind != SummaryKind::kOperator ? total.ns : 0;
  if (all_ns <= 0) return {};
  const Total& first = totals.front();
  const std::string label = words.kind == SummaryKind::kOperator && !group.empty() ? " (" + group + ")" : "";
  return fmt::format("{}: {}{} takes {} ({}) {}", words.what, Short(first.name), label, Pct(100 * first.ns / all_ns),
                     rules::Ms(Ms(first)), words.where);
}

std::string Capital(std::string sentence) {
  if (!sentence.empty()) sentence[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence[0])));
  return sentence;
}

double SumNs(const model::Trace& trace, SummaryKind kind) {
  double sum = 0;
  for (const Total& total : TotalsOf(trace, kind, true)) sum += total.ns;
  return sum;
}

bool CopiesLead(const model::Trace& trace) {
  return SumNs(trace, SummaryKind::kCopy) > SumNs(trace, SummaryKind::kKernel);
}

// Operating system calls are left out: their totals are waiting threads.
bool JudgeOthers(const model::Trace& trace, Verdict& verdict) {
  bool any = false;
  for (const KindWords& words : kOthers) {
    const std::string sentence = Capital(LargestOf(trace, words));
    if (sentence.empty()) continue;
    if (verdict.answer.empty()) verdict.answer = "The file holds totals only. " + sentence + ".";
    else if (verdict.answer.find(sentence) == std::string::npos) verdict.notes.push_back(sentence + ".");
    any = true;
  }
  return any;
}

// Memory tables and counters without a timeline: the highest value, and nothing about time.
bool JudgeSamples(const model::Trace& trace, Verdict& verdict) {
  if (trace.memory.empty() && trace.counters.empty()) return false;
  int64_t peak = 0;
  for (const model::MemoryEvent& row : trace.memory) peak = std::max(peak, row.total_allocated_bytes.value_or(0));
  if (!trace.memory.empty()) {
    verdict.answer =
        fmt::format("The file lists {} allocations and releases of device memory and no timeline", trace.memory.size());
    verdict.further = {"memory --by stack", "memory"};
    if (peak > 0) verdict.answer += "; at most " + Bytes(static_cast<double>(peak)) + " were allocated at once";
  } else {
    std::map<std::string_view, double> highest;
    for (const model::CounterSample& row : trace.counters) {
      if (row.name == model::kNoString) continue;
      auto [it, fresh] = highest.try_emplace(trace.Text(row.name), row.value);
      if (!fresh) it->second = std::max(it->second, row.value);
    }
    verdict.answer =
        fmt::format("The file holds {} samples of {} counters and no timeline", trace.counters.size(), highest.size());
    const auto top = std::max_element(highest.begin(), highest.end(),
                                      [](const auto& a, const auto& b) { return a.second < b.second; });
    const bool bytes = std::all_of(trace.counters.begin(), trace.counters.end(), [&](const model::CounterSample& row) {
      return row.unit != model::kNoString && trace.Text(row.unit) == "bytes";
    });
    if (top != highest.end() && bytes && top->second > 0)
      verdict.answer += fmt::format("; {} reaches {}", Short(top->first), Bytes(top->second));
  }
  verdict.answer += ".";
  return true;
}

// Files that only describe a recording: its level, ranks and groups.
bool JudgeDescriptions(const model::Trace& trace, Verdict& verdict) {
  const bool only_ascend = !trace.sources.empty() &&
                           std::all_of(trace.sources.begin(), trace.sources.end(), [](const model::Source& source) {
                             return source.format == "ascend" && source.producer != "npu-smi";
                           });
  if (!only_ascend || !trace.kernel_profiles.empty()) return false;
  const bool numbers = std::any_of(trace.readings.begin(), trace.readings.end(),
                                   [](const model::Reading& row) { return row.value.has_value(); });
  if (numbers) return false;
  std::string about;
  for (const model::Reading& row : trace.readings) {
    const std::string_view name = trace.Text(row.name);
    if (row.text == model::kNoString || name.substr(0, 6) == "group ") continue;
    about += fmt::format("{}{} {}", about.empty() ? "" : ", ", name, trace.Text(row.text));
  }
  verdict.answer = "The file only describes a recording" + (about.empty() ? "" : " (" + about + ")") +
                   "; it holds no times. Give the whole folder of the recording.";
  return true;
}

// What totals of a CUDA or HIP program hide.
void AddCaveats(const model::Trace& trace, Verdict& verdict) {
  double copies_ns = 0, kernels_ns = 0;
  bool graphs = false;
  for (const model::SummaryRow& row : trace.summaries) {
    const double ns = static_cast<double>(row.total_ns.value_or(0));
    if (row.kind == SummaryKind::kCopy) copies_ns += ns;
    if (row.kind == SummaryKind::kKernel) kernels_ns += ns;
    graphs |= row.kind == SummaryKind::kApiCall && row.name != model::kNoString &&
              trace.Text(row.name).find("GraphLaunch") != std::string_view::npos;
  }
  if (copies_ns > kernels_ns && kernels_ns > 0)
    verdict.notes.push_back("Copies take longer than kernels: whether they overlap them, only a timeline tells.");
  if (graphs)
    verdict.notes.push_back(
        "Graphs were launched: kernels inside them are in these totals only if they were recorded one by one.");
}

void AddNextSteps(const model::Trace& trace, Verdict& verdict) {
  const DeviceWords words = WordsFor(trace);
  verdict.notes.push_back(
      "Totals tell what takes time, not why it is waited for: no gain is predicted. " +
      std::string(
          words.is_ascend
              ? "For causes, record a timeline: torch_npu.profiler with activities CPU and NPU, profiler_level Level1, "
                "with_stack, some steps of a schedule; then give its folder or trace_view.json."
              : "For causes, record a timeline of some steps: torch.profiler, nsys or rocprofv3; then give that "
                "file."));
}

}  // namespace

DeviceWords WordsFor(const model::Trace& trace) {
  const bool ascend = std::any_of(trace.sources.begin(), trace.sources.end(),
                                  [](const model::Source& source) { return source.vendor == model::Vendor::kHuawei; });
  const bool amd = std::any_of(trace.sources.begin(), trace.sources.end(),
                               [](const model::Source& source) { return source.vendor == model::Vendor::kAmd; });
  if (ascend) return {"NPU", "HCCL", true};
  return {"GPU", amd ? "RCCL" : "NCCL", false};
}

std::vector<Total> TotalsOf(const model::Trace& trace, SummaryKind kind, bool with_group) {
  std::map<std::pair<std::string_view, std::string_view>, Total> sums;
  for (const model::SummaryRow& row : trace.summaries) {
    if (row.kind != kind || !row.total_ns || row.name == model::kNoString) continue;
    const std::string_view group =
        with_group && row.group != model::kNoString ? trace.Text(row.group) : std::string_view();
    Total& total = sums[{trace.Text(row.name), group}];
    total.name = trace.Text(row.name);
    total.group = group;
    total.ns += static_cast<double>(*row.total_ns);
    total.count += row.count.value_or(0);
  }
  std::vector<Total> out;
  for (auto& [key, total] : sums) out.push_back(std::move(total));
  std::stable_sort(out.begin(), out.end(), [](const Total& a, const Total& b) { return a.ns > b.ns; });
  return out;
}

bool JudgeSummaries(const model::Trace& trace, const std::string&, Verdict& verdict) {
  bool any = JudgeStepParts(trace, verdict);
  if (!any && CopiesLead(trace))
    verdict.answer = "The file holds totals only. " + Capital(LargestOf(trace, kOthers[0])) + ".";
  any = JudgeKernelTotals(trace, verdict) || any;
  any = JudgeCollectiveTotals(trace, verdict) || any;
  any = JudgeOthers(trace, verdict) || any;
  if (!any && !trace.summaries.empty()) {
    verdict.answer = "The file holds totals only, and none of device work, API calls or operators.";
    any = true;
  }
  if (any) {
    AddCaveats(trace, verdict);
    AddNextSteps(trace, verdict);
    return true;
  }
  if (!trace.kernel_profiles.empty()) return false;
  return JudgeSamples(trace, verdict) || JudgeDescriptions(trace, verdict);
}

}  // namespace warpscope::rules
