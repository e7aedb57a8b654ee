// Parts of steps as Ascend's step_trace_time tables tell them: Stage = Computing + Communication(Not Overlapped) +
// Free; Overlapped lies in Computing, Bubble in the communication, Preparing before the stage (Ascend/msprof-analyze,
// docs on step_trace_time.csv; the sum holds in every row seen).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "rules/measurements/summaries.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

enum Part : uint8_t { kComputing, kExposed, kFree, kPreparing, kStage, kBubble, kParts };
constexpr std::string_view kNames[kParts] = {"Computing", "Communication(Not Overlapped)", "Free", "Preparing", "Stage",
                                             "Bubble"};

struct Step {
  std::optional<int64_t> rank;
  std::array<double, kParts> ms{};
  double total_ms() const { return ms[kComputing] + ms[kExposed] + ms[kFree]; }
};

std::vector<Step> StepsOf(const model::Trace& trace) {
  std::map<std::pair<std::optional<int64_t>, model::StringId>, Step> steps;
  for (const model::SummaryRow& row : trace.summaries) {
    if (row.kind != model::SummaryKind::kStepPart || !row.total_ns || row.name == model::kNoString) continue;
    Step& step = steps[{row.rank, row.group}];
    step.rank = row.rank;
    for (size_t part = 0; part < kParts; ++part) {
      if (kNames[part] == trace.Text(row.name)) step.ms[part] += static_cast<double>(*row.total_ns) / 1e6;
    }
  }
  std::vector<Step> out;
  for (const auto& [key, step] : steps) {
    if (step.total_ms() > 0) out.push_back(step);
  }
  return out;
}

double Mean(const std::vector<Step>& steps, Part part) {
  double sum = 0;
  for (const Step& step : steps) sum += step.ms[part];
  return sum / static_cast<double>(steps.size());
}

struct Shares {
  double step_ms = 0, computing = 0, exposed = 0, free = 0;  // pct
};

Finding FreeFinding(const Shares& shares, const DeviceWords& words) {
  Finding finding;
  finding.id = "totals_free";
  finding.layer = Layer::kApplication;
  finding.title = fmt::format("The {} has nothing to do for {} of a step", words.device, Pct(shares.free));
  finding.share_pct = shares.free;
  finding.evidence.push_back({fmt::format("of {} a step, {} are free: neither computing nor communication runs",
                                          Ms(shares.step_ms), Ms(shares.step_ms * shares.free / 100)),
                              ""});
  finding.actions.push_back(
      {"Find out what the host does meanwhile: data loading, launching many small operators, waiting "
       "for results. The totals do not tell; a timeline with host activity does.",
       ""});
  finding.verify = "Record again: Free in step_trace_time.csv falls.";
  finding.concept_text = fmt::format(
      "Work is handed to the {} by the host. If the host is slower than the device, the device waits; that time can be "
      "won without making any kernel faster.",
      words.device);
  return finding;
}

Finding ExposedFinding(const Shares& shares, const DeviceWords& words) {
  Finding finding;
  finding.id = "totals_communication";
  finding.layer = Layer::kFramework;
  finding.title = fmt::format("Communication that nothing overlaps takes {} of a step", Pct(shares.exposed));
  finding.share_pct = shares.exposed;
  finding.evidence.push_back(
      {fmt::format("of {} a step, {} are {} communication without computing beside it", Ms(shares.step_ms),
                   Ms(shares.step_ms * shares.exposed / 100), words.communication),
       ""});
  finding.actions.push_back(
      {"Look at the waiting part first (communication.json): waiting for a slower rank is no matter of "
       "the network. Then overlap what remains with computing: gradient buckets, asynchronous "
       "collectives, larger micro-batches.",
       ""});
  finding.verify = "Record again: Communication(Not Overlapped) in step_trace_time.csv falls.";
  finding.concept_text =
      "A collective ends when its last rank has arrived. Its time is transfer plus waiting, and only what runs beside "
      "computing is hidden.";
  return finding;
}

// The rank that waits least is the one that the others wait for.
std::optional<Finding> SlowRankFinding(const std::vector<Step>& steps) {
  struct Rank {
    double exposed_ms = 0, free_ms = 0, computing_ms = 0;
    int count = 0;
  };
  std::map<int64_t, Rank> ranks;
  for (const Step& step : steps) {
    if (!step.rank) continue;
    Rank& rank = ranks[*step.rank];
    rank.exposed_ms += step.ms[kExposed];
    rank.free_ms += step.ms[kFree];
    rank.computing_ms += step.ms[kComputing];
    ++rank.count;
  }
  if (ranks.size() < 2) return std::nullopt;
  double step_ms = 0;
  for (const Step& step : steps) step_ms += step.total_ms();
  step_ms /= static_cast<double>(steps.size());
  for (auto& [number, rank] : ranks) {
    const double count = rank.count;
    rank.exposed_ms /= count, rank.free_ms /= count, rank.computing_ms /= count;
  }
  const auto by_wait = [](const auto& a, const auto& b) { return a.second.exposed_ms < b.second.exposed_ms; };
  const auto least = std::min_element(ranks.begin(), ranks.end(), by_wait);
  const auto most = std::max_element(ranks.begin(), ranks.end(), by_wait);
  const double spread_ms = most->second.exposed_ms - least->second.exposed_ms;
  constexpr double kWorthPct = 10;
  const double pct = 100 * spread_ms / step_ms;
  if (pct < kWorthPct) return std::nullopt;
  double free_ms = 0, computing_ms = 0;
  for (const auto& [number, rank] : ranks) free_ms += rank.free_ms, computing_ms += rank.computing_ms;
  free_ms /= static_cast<double>(ranks.size()), computing_ms /= static_cast<double>(ranks.size());
  const double more_free = least->second.free_ms - free_ms, more_computing = least->second.computing_ms - computing_ms;
  Finding finding;
  finding.id = "totals_slow_rank";
  finding.layer = Layer::kApplication;
  finding.title = fmt::format("The other ranks wait for rank {}", least->first);
  finding.subject = fmt::format("rank {}", least->first);
  finding.share_pct = pct;
  finding.evidence.push_back(
      {fmt::format("it spends {} a step in communication that nothing overlaps, rank {} spends {}",
                   Ms(least->second.exposed_ms), most->first, Ms(most->second.exposed_ms)),
       ""});
  if (more_free > 0 || more_computing > 0) {
    const bool host = more_free >= more_computing;
    finding.evidence.push_back(
        {host ? fmt::format("it is free {} longer than the mean: its host is late", Ms(more_free))
              : fmt::format("it computes {} longer than the mean: it has more work or a slower device",
                            Ms(more_computing)),
         ""});
  }
  finding.actions.push_back(
      {fmt::format("Record a timeline of rank {} and of one other, and compare what their hosts and "
                   "devices do in the same step.",
                   least->first),
       ""});
  finding.verify = "Record again: the ranks' Communication(Not Overlapped) come closer to each other.";
  finding.concept_text =
      "In a synchronised step every rank waits for the slowest. The slow one itself waits least, so it is found by the "
      "shortest, not the longest, communication.";
  return finding;
}

void AddBreakdown(const Shares& shares, const DeviceWords& words, Verdict& verdict) {
  const auto add = [&](std::string_view name, std::string label, double pct, bool busy) {
    if (pct > 0)
      verdict.breakdown.push_back({std::string(name), std::move(label), shares.step_ms * pct / 100, pct, busy});
  };
  add("device_compute", fmt::format("{} computes", words.device), shares.computing, true);
  add("communication", fmt::format("{} communication that nothing overlaps", words.communication), shares.exposed,
      true);
  add("idle", fmt::format("idle: the {} has nothing to do", words.device), shares.free, false);
}

}  // namespace

bool JudgeStepParts(const model::Trace& trace, Verdict& verdict) {
  const std::vector<Step> steps = StepsOf(trace);
  if (steps.empty()) return false;
  const DeviceWords words = WordsFor(trace);
  Shares shares;
  const double computing_ms = Mean(steps, kComputing), exposed_ms = Mean(steps, kExposed), free_ms = Mean(steps, kFree);
  shares.step_ms = computing_ms + exposed_ms + free_ms;
  shares.computing = 100 * computing_ms / shares.step_ms;
  shares.exposed = 100 * exposed_ms / shares.step_ms;
  shares.free = 100 * free_ms / shares.step_ms;
  std::set<int64_t> ranks;
  for (const Step& step : steps) {
    if (step.rank) ranks.insert(*step.rank);
  }
  verdict.step_count = static_cast<uint32_t>(steps.size() / std::max<size_t>(ranks.size(), 1));
  verdict.step_source = "the profiler's own totals of steps";
  verdict.step_median_ms = shares.step_ms;
  verdict.answer = fmt::format(
      "A step takes {}: the {} computes {} of it, {} is communication that nothing overlaps, and {} "
      "it has nothing to do.",
      Ms(shares.step_ms), words.device, Pct(shares.computing), Pct(shares.exposed), Pct(shares.free));
  AddBreakdown(shares, words, verdict);
  constexpr double kWorthPct = 10;
  if (auto slow = SlowRankFinding(steps)) verdict.findings.push_back(std::move(*slow));
  if (shares.free >= kWorthPct) verdict.findings.push_back(FreeFinding(shares, words));
  if (shares.exposed >= kWorthPct) verdict.findings.push_back(ExposedFinding(shares, words));
  std::stable_sort(verdict.findings.begin(), verdict.findings.end(), [](const Finding& a, const Finding& b) {
    return a.share_pct.value_or(0) > b.share_pct.value_or(0);
  });
  if (ranks.size() > 1) verdict.notes.push_back(fmt::format("Step times are means over {} ranks.", ranks.size()));
  if (const double preparing_ms = Mean(steps, kPreparing); preparing_ms > 0.01 * shares.step_ms)
    verdict.notes.push_back(fmt::format(
        "Before the first work of a step {} pass (Preparing); they are not part of the step here.", Ms(preparing_ms)));
  return true;
}

}  // namespace warpscope::rules
