// From a recording to what a baseline keeps of it.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "analysis/diff/shift.h"
#include "analysis/gate/noise.h"
#include "analysis/gate/other_program.h"
#include "analysis/readings.h"
#include "baseline/baseline.h"
#include "rules/framework/rank_pace.h"

namespace warpscope::baseline {
namespace {

struct Mean {
  double sum = 0;
  uint64_t count = 0;
  std::string unit;
};

std::vector<KeptValue> ValuesOf(const std::map<std::string, Mean>& means) {
  std::vector<KeptValue> values;
  for (const auto& [name, mean] : means) {
    if (mean.count > 0) values.push_back({name, mean.unit, mean.sum / static_cast<double>(mean.count)});
  }
  return values;
}

std::vector<KeptValue> ReadingsOf(const model::Trace& trace) {
  std::map<std::string, Mean> means;
  for (const analysis::ReadingSeries& series : analysis::ReadingSeriesOf(trace)) {
    const bool unused = series.device != model::kNone && !trace.devices[series.device].used && trace.devices.size() > 1;
    if (series.info == nullptr || series.numbers == 0 || series.device == model::kNone || unused) continue;
    Mean& mean = means[std::string(trace.Text(series.name))];
    mean.sum += series.mean * static_cast<double>(series.numbers);
    mean.count += series.numbers;
    if (series.unit != model::kNoString) mean.unit = trace.Text(series.unit);
  }
  return ValuesOf(means);
}

std::vector<KeptValue> CountersOf(const model::Trace& trace) {
  std::map<std::string, Mean> means;
  for (const model::CounterWindow& window : trace.counter_windows) {
    for (uint32_t sample = window.sample_begin; sample < window.sample_end; ++sample) {
      for (uint32_t metric = window.metric_begin; metric < window.metric_end; ++metric) {
        const uint64_t at = trace.device_samples[sample].value_begin + (metric - window.metric_begin);
        const double value = at < trace.sampled_values.size() ? trace.sampled_values[at] : NAN;
        if (!std::isfinite(value)) continue;
        const model::SampledMetric& about = trace.sampled_metrics[metric];
        Mean& mean = means[std::string(trace.Text(about.name))];
        mean.sum += value, ++mean.count;
        if (about.unit != model::kNoString) mean.unit = trace.Text(about.unit);
      }
    }
  }
  return ValuesOf(means);
}

// "692.capture": what one process of a run recorded (docs/formats/capture.md). It tells nothing apart: the folder does.
bool IsStreamOfAProcess(const std::filesystem::path& path) {
  const std::string number = path.stem().string();
  return path.extension() == ".capture" && !number.empty() &&
         std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string LastPart(const model::Trace& trace) {
  if (trace.sources.empty()) return "";
  std::filesystem::path path(trace.sources.front().path);
  if (!path.has_filename()) path = path.parent_path();
  if (IsStreamOfAProcess(path) && path.parent_path().has_filename()) path = path.parent_path();
  return path.filename().string();
}

Status NothingToKeep(const model::Trace& trace) {
  const std::string path = trace.sources.empty() ? "the recording" : trace.sources.front().path;
  return {StatusCode::kUnsupported, path + ": holds no device work to compare; record the program's GPU work"};
}

}  // namespace

Result<analysis::RunSide> SideForBaseline(const model::Trace& trace, std::optional<int64_t> rank,
                                          analysis::Words* words) {
  const analysis::Index index(trace);
  if (trace.gpu.size() == 0 || index.ranks().empty()) return NothingToKeep(trace);
  if (rank && index.RankNumbered(*rank) == nullptr) {
    return Status(StatusCode::kInvalidArgument,
                  "rank " + std::to_string(*rank) + ": there is none; there are: " + index.RankNumbers());
  }
  rules::AnalyzeOptions options;
  options.rank = rank;
  analysis::RunSide side = analysis::RunSideOf(index, rules::RankToJudge(index, options).link_domain, words);
  if (side.parts.counted == 0) return NothingToKeep(trace);
  analysis::Thin({.tail_ratio = 0}, &side, words);
  return side;
}

Result<analysis::RunSide> SideLike(const analysis::RunSide& base, const model::Trace& trace, analysis::Words* words) {
  const std::optional<int64_t> number = base.ranks > 1 ? base.rank : std::nullopt;
  if (!number) return SideForBaseline(trace, std::nullopt, words);
  const analysis::Index index(trace);
  if (index.ranks().size() > 1 && rules::FindStraggler(rules::RankPaces(index))) {
    WS_ASSIGN_OR_RETURN(analysis::RunSide side, SideForBaseline(trace, std::nullopt, words));
    if (side.rank == number || !analysis::IsOtherProgram(analysis::LikenessOf(base, side, *words))) return side;
  }
  return SideForBaseline(trace, number, words);
}

namespace {

// The given step is a mean of many; a loop of a step of several turns is told by the verdict (Context::turns_per_step).
void GiveStep(double true_step_ms, analysis::RunSide* side) {
  const double mean_ms = analysis::MeanOf(side->step_ms);
  if (mean_ms > 0 && true_step_ms > 0 && true_step_ms <= mean_ms)
    side->recorder = analysis::GivenRecorderCost(true_step_ms, mean_ms);
}

}  // namespace

Result<Run> RunOf(const model::Trace& trace, const rules::AnalyzeOptions& options, analysis::Words* words) {
  Run run;
  WS_ASSIGN_OR_RETURN(run.side, SideForBaseline(trace, options.rank, words));
  analysis::Thin({}, &run.side, words);
  run.source = LastPart(trace);
  run.readings = ReadingsOf(trace), run.counters = CountersOf(trace);
  const auto verdict = rules::Analyze(trace, options);
  if (!verdict.ok()) return run;  // its times can be compared all the same
  run.base_step_ms = verdict.value().base_step_ms;
  if (options.true_step_ms) GiveStep(*options.true_step_ms, &run.side);
  for (const rules::Finding& finding : verdict.value().findings) {
    KeptFinding kept{finding.id, finding.subject, finding.title, {}, {}, {}};
    if (finding.predicted) {
      kept.gain_pct = finding.predicted->gain_pct;
      kept.low_pct = finding.predicted->low_pct, kept.high_pct = finding.predicted->high_pct;
    }
    run.findings.push_back(std::move(kept));
  }
  for (const rules::Abstention& abstention : verdict.value().abstained) run.abstained.push_back(abstention.id);
  return run;
}

const Run& MiddleRun(const Baseline& baseline) {
  std::vector<std::pair<double, size_t>> order;
  for (size_t i = 0; i < baseline.runs.size(); ++i) {
    const auto center = analysis::CenterOf(baseline.runs[i].side.step_ms);
    order.emplace_back(center ? center->log : 0, i);
  }
  std::sort(order.begin(), order.end());
  return baseline.runs[order[(order.size() - 1) / 2].second];
}

}  // namespace warpscope::baseline
