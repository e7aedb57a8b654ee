#include "rules/host_answer.h"

#include <algorithm>

#include "analysis/host_use.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

constexpr size_t kMostNamed = 3;
constexpr double kLeastPct = 5;  // of the time: less is not named

double Ms(int64_t ns) { return static_cast<double>(ns) / 1e6; }

// "A (70 %), B (12 %)" of the largest by `time`.
template <typename Time>
std::string Largest(const model::Trace& trace, std::vector<analysis::FunctionUse> uses, int64_t whole_ns, Time time) {
  std::stable_sort(uses.begin(), uses.end(), [&](const auto& a, const auto& b) { return time(a) > time(b); });
  std::string text;
  for (size_t i = 0; i < std::min(uses.size(), kMostNamed); ++i) {
    const double pct = 100 * Ms(time(uses[i])) / std::max(Ms(whole_ns), 1e-9);
    if (i > 0 && pct < kLeastPct) break;
    text += (i > 0 ? ", " : "") + std::string(trace.Text(uses[i].function)) + " (" + Pct(pct) + ")";
  }
  return text;
}

}  // namespace

HostAnswer AnswerOfHost(const model::Trace& trace) {
  HostAnswer out;
  const analysis::Index index(trace);
  const analysis::HostUse use = analysis::HostUseOf(index, analysis::HostUseBy::kLine);
  if (use.functions.empty()) return out;
  using analysis::FunctionUse;
  const std::string runs =
      Largest(trace, use.functions, use.runs_ns, [](const FunctionUse& row) { return row.runs_ns; });
  const std::string waits =
      Largest(trace, use.functions, use.waits_ns, [](const FunctionUse& row) { return row.waits_ns; });
  const std::string run_text = "Its threads ran for " + rules::Ms(Ms(use.runs_ns)) + ", most of it in " + runs + ".";
  const std::string wait_text =
      "Its threads waited for " + rules::Ms(Ms(use.waits_ns)) + ", most of it in " + waits + ".";
  if (use.runs_ns == 0) {
    out.answer = wait_text;
    return out;
  }
  out.answer = run_text;
  if (use.waits_ns > 0) out.notes.push_back(wait_text);
  return out;
}

}  // namespace warpscope::rules
