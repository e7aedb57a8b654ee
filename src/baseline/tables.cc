#include "baseline/tables.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <map>

#include "analysis/diff/shift.h"
#include "analysis/gate/noise.h"
#include "analysis/kernel_name.h"
#include "view/format.h"

namespace warpscope::baseline {
namespace {

using view::Cell;
using view::Kind;

std::vector<double> MiddlesOf(const Baseline& baseline) {
  std::vector<double> middles;
  for (const Run& run : baseline.runs) {
    if (const auto center = analysis::CenterOf(run.side.step_ms)) middles.push_back(center->value());
  }
  std::sort(middles.begin(), middles.end());
  return middles;
}

std::string DateOf(int64_t saved_s) {
  constexpr int64_t kYear9999 = 253402300799;
  if (saved_s <= 0 || saved_s > kYear9999) return "";
  return fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(static_cast<std::time_t>(saved_s)));
}

std::string TagText(const Baseline& baseline) {
  std::string text;
  for (const auto& [key, value] : baseline.tags) text += fmt::format("{}{}={}", text.empty() ? "" : ", ", key, value);
  return text;
}

std::string FactOf(const Run& run, std::string_view subject, std::string_view name) {
  for (const analysis::Fact& fact : run.side.facts) {
    if (fact.subject == subject && fact.name == name) return fact.value;
  }
  return "";
}

double SumOf(const std::vector<int64_t>& cells) {
  double sum = 0;
  for (const int64_t ns : cells) sum += static_cast<double>(ns);
  return sum;
}

std::optional<double> BusyPct(const Run& run) {
  double busy = 0;
  for (const analysis::Work& work : run.side.parts.works) busy += SumOf(work.step_ns);
  const double all = SumOf(run.side.parts.length_ns);
  return all > 0 ? std::optional(100 * busy / all) : std::nullopt;
}

// "gemm 12.1 ms, softmax 3.2 ms": what a step's time is most, by `key`.
template <typename F>
std::string Largest(const std::map<std::string, double>& sums, double steps, F text) {
  constexpr size_t kShown = 5;
  std::vector<std::pair<double, std::string>> order;
  for (const auto& [name, ns] : sums) order.emplace_back(-ns, name);
  std::sort(order.begin(), order.end());
  std::string line;
  for (size_t i = 0; i < std::min(order.size(), kShown); ++i)
    line += fmt::format("{}{} {}", i == 0 ? "" : ", ", text(order[i].second),
                        view::FormatDurationNs(-order[i].first / steps));
  if (order.size() > kShown) line += fmt::format(" and {} more", order.size() - kShown);
  return line;
}

void AddSentences(const Baseline& baseline, const analysis::Words& words, view::Table* table) {
  const Run& run = MiddleRun(baseline);
  const auto steps = static_cast<double>(run.side.parts.counted);
  std::map<std::string, double> kernels, moves, idle;
  for (const analysis::Work& work : run.side.parts.works) {
    const bool kernel = work.kind == analysis::WorkKind::kKernel || work.kind == analysis::WorkKind::kCommunication;
    const std::string name(words.Text(work.name));
    (kernel ? kernels : moves)[kernel ? analysis::ShortKernelName(name) : name] += SumOf(work.step_ns);
  }
  for (const analysis::IdleWork& gap : run.side.parts.idles)
    idle[std::string(analysis::IdleKindName(gap.kind))] += SumOf(gap.step_ns);
  const auto plain = [](const std::string& name) { return name; };
  const auto add = [&](const char* what, const std::string& line) {
    if (!line.empty()) table->notes.push_back(std::string(what) + ": " + line + ".");
  };
  add("Kernels, a step", Largest(kernels, steps, plain));
  add("Copies, a step", Largest(moves, steps, plain));
  add("Idle, a step", Largest(idle, steps, plain));
  std::string findings;
  for (const KeptFinding& finding : run.findings) {
    findings += (findings.empty() ? "" : ", ") + finding.id;
    if (finding.gain_pct) findings += fmt::format(" ({:.1f} %)", *finding.gain_pct);
  }
  add("Findings, with the gain that each promised", findings);
  std::string environment;
  for (const analysis::Fact& fact : run.side.facts) {
    constexpr size_t kLongest = 60;
    if (!fact.suspect || fact.value.size() > kLongest) continue;
    environment += fmt::format("{}{} {}", environment.empty() ? "" : ", ", fact.name, fact.value);
  }
  add("Environment", environment);
}

}  // namespace

std::string Answer(const Baseline& baseline) {
  const std::vector<double> middles = MiddlesOf(baseline);
  if (middles.empty()) return "no step times";
  const double middle = analysis::MedianOf(middles);
  std::string text = fmt::format("{} run{}, {} a step", baseline.runs.size(), baseline.runs.size() == 1 ? "" : "s",
                                 view::FormatMs(middle));
  if (middles.size() > 1)
    text += fmt::format(" ({} to {} from run to run)", view::FormatMs(middles.front()), view::FormatMs(middles.back()));
  text += fmt::format(", {} steps/s", view::FormatNumber(1000 / middle));
  if (baseline.items_per_step)
    text += fmt::format(", {} items/s", view::FormatNumber(*baseline.items_per_step * 1000 / middle));
  return text;
}

std::vector<std::string> NotesOf(const Baseline& baseline) {
  std::vector<std::string> notes;
  constexpr size_t kRuns = 3;
  if (baseline.runs.size() < kRuns)
    notes.push_back(
        fmt::format("With {} run{} the spread between runs is hardly known. Record the program again and "
                    "add it: warpscope baseline save {} RUN... --add",
                    baseline.runs.size(), baseline.runs.size() == 1 ? "" : "s", baseline.name));
  if (const auto peaks = analysis::FindTwoPeaks(MiddlesOf(baseline))) {
    notes.push_back(fmt::format("The runs lie on two peaks: {} ({:.0f} % of them) and {}.", view::FormatMs(peaks->low),
                                100 - peaks->high_share_pct, view::FormatMs(peaks->high)));
  }
  return notes;
}

view::Table TableOf(const Baseline& baseline, const analysis::Words& words) {
  view::Table table;
  table.name = "baseline";
  table.title = "Baseline " + baseline.name;
  table.summary = {Answer(baseline) + "."};
  const std::string tags = TagText(baseline), date = DateOf(baseline.saved_s);
  if (!tags.empty()) table.summary.push_back("Scenario: " + tags + ".");
  if (!date.empty()) table.summary.push_back("Saved " + date + ".");
  if (baseline.unprofiled && !baseline.unprofiled->values_ms.empty()) {
    table.summary.push_back(fmt::format("Without recording: {} a {} ({} repeats).",
                                        view::FormatMs(analysis::MedianOf(baseline.unprofiled->values_ms)),
                                        baseline.unprofiled->of, baseline.unprofiled->values_ms.size()));
  }
  table.columns = {{"source", "run", Kind::kName},
                   {"device", "device", Kind::kText, 2},
                   {"steps", "steps", Kind::kCount},
                   {"step_ns", "step", Kind::kDurationNs},
                   {"step_low_ns", "shortest", Kind::kDurationNs, 1},
                   {"step_high_ns", "longest", Kind::kDurationNs, 1},
                   {"steps_per_s", "steps/s", Kind::kNumber},
                   {"gpu_busy_pct", "busy", Kind::kPct},
                   {"peak_memory_bytes", "memory", Kind::kBytes, 3},
                   {"kernels", "kernels", Kind::kNumber, 4},
                   {"git_revision", "revision", Kind::kText, view::kDataOnly}};
  for (const Run& run : baseline.runs) {
    const auto center = analysis::CenterOf(run.side.step_ms);
    const auto [low, high] = std::minmax_element(run.side.step_ms.begin(), run.side.step_ms.end());
    const auto ns = [](double ms) { return view::Int(static_cast<int64_t>(ms * 1e6 + 0.5)); };
    const double kernels =
        static_cast<double>(run.side.parts.kernels) / std::max<uint32_t>(run.side.parts.totals_of, 1);
    table.rows.push_back({view::Text(run.source), view::Text(FactOf(run, "device", "name")),
                          view::Int(run.side.counted()), center ? ns(center->value()) : Cell{}, ns(*low), ns(*high),
                          center ? view::Number(1000 / center->value()) : Cell{}, view::Maybe(BusyPct(run)),
                          view::Maybe(run.side.peak_memory_bytes), view::Number(kernels),
                          view::Text(FactOf(run, "machine", "git_revision"))});
  }
  AddSentences(baseline, words, &table);
  for (std::string& note : NotesOf(baseline)) table.notes.push_back(std::move(note));
  return table;
}

view::Table ListOf(const std::vector<Listed>& listed, const std::string& folder) {
  view::Table table;
  table.name = "baselines";
  table.title = "Baselines";
  table.columns = {{"name", "baseline", Kind::kText},      {"runs", "runs", Kind::kCount},
                   {"step_ns", "step", Kind::kDurationNs}, {"between_runs_pct", "from run to run", Kind::kPct, 2},
                   {"saved", "saved", Kind::kText, 1},     {"tags", "scenario", Kind::kName, 3},
                   {"problem", "problem", Kind::kSentence}};
  size_t problems = 0;
  for (const Listed& one : listed) {
    if (!one.baseline) {
      ++problems;
      table.rows.push_back({view::Text(one.name), Cell{}, Cell{}, Cell{}, Cell{}, Cell{}, view::Text(one.problem)});
      continue;
    }
    const std::vector<double> middles = MiddlesOf(*one.baseline);
    const double middle = analysis::MedianOf(middles);
    const bool several = middles.size() > 1 && middle > 0;
    table.rows.push_back({view::Text(one.name), view::Int(one.baseline->runs.size()),
                          view::Int(static_cast<int64_t>(middle * 1e6 + 0.5)),
                          several ? view::Number(100 * (middles.back() - middles.front()) / middle) : Cell{},
                          view::Text(DateOf(one.baseline->saved_s)), view::Text(TagText(*one.baseline)), Cell{}});
  }
  table.summary = {fmt::format("{} baseline{} in {}.", listed.size(), listed.size() == 1 ? "" : "s", folder)};
  if (problems > 0) table.summary.push_back(fmt::format("{} cannot be read.", problems));
  table.empty_text = "Save one: warpscope baseline save NAME RUN...";
  return table;
}

}  // namespace warpscope::baseline
