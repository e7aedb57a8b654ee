#include "rules/context.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/collectives.h"
#include "analysis/replay/dilation.h"
#include "rules/framework/collective_calls.h"
#include "rules/framework/rank_pace.h"
#include "rules/kernel/counter_join.h"

namespace warpscope::rules {

using model::HostKind;
using model::kNone;

// No recorder makes a step shorter than it is without one; some slack for a loop whose speed varies.
constexpr double kLongerThanRecorded = 1.5;
// Nor does it make the device slower by more than this: a given step that holds less than this share of the device's
// recorded work is one of another program, or in another unit. (One loop of products ran 15 % slower in a long run.)
constexpr double kLeastOfDevice = 0.8;

namespace {

// What the busiest device of the rank works in the counted steps, as time. Communication is left out: part of it is
// waiting for ranks that the recorder slows too.
int64_t LeastWork(const Context& c) {
  std::map<uint32_t, analysis::IntervalSet> busy;
  for (const uint32_t row : c.gpu_rows) {
    if (c.index.is_communication(row)) continue;
    busy[c.trace.streams[c.trace.gpu.stream[row]].device].Append(std::max(c.device_begin_ns, c.trace.gpu.start_ns[row]),
                                                                 std::min(c.device_end_ns, c.trace.gpu.end_ns(row)));
  }
  int64_t most_ns = 0;
  for (const auto& [device, work] : busy) most_ns = std::max(most_ns, work.length_ns());
  return most_ns;
}

}  // namespace

std::unique_ptr<Context> Context::Build(const analysis::Index& index, const analysis::Rank& rank,
                                        const Options& options) {
  std::unique_ptr<Context> context(new Context(index, rank));
  Context& c = *context;
  const model::Trace& trace = c.trace;
  c.file = options.file_argument;
  c.steps = analysis::FindSteps(index, rank.link_domain);
  if (options.only) c.steps = analysis::CountOnly(std::move(c.steps), options.only->first, options.only->second);
  c.begin_ns = c.steps.window_begin_ns;
  c.end_ns = c.steps.window_end_ns;
  c.device_begin_ns = c.steps.device_begin_ns;
  c.device_end_ns = c.steps.device_end_ns;
  if (c.steps.counted() <= 1) {
    // Nothing to anchor on: one step is its own window on both sides.
    c.device_begin_ns = c.begin_ns;
    c.device_end_ns = c.end_ns;
  }
  std::map<uint32_t, int64_t> device_ns;
  for (uint32_t row = 0; row < trace.gpu.size() && trace.gpu.start_ns[row] < c.device_end_ns; ++row) {
    if (trace.GpuDomain(row) != rank.link_domain || trace.gpu.end_ns(row) <= c.device_begin_ns) continue;
    c.gpu_rows.push_back(row);
    device_ns[trace.streams[trace.gpu.stream[row]].device] += trace.gpu.dur_ns[row];
  }
  for (const auto& [device, ns] : device_ns) {
    if (c.device == kNone || ns > device_ns[c.device]) c.device = device;
  }
  for (const uint32_t row : c.gpu_rows) {
    if (trace.streams[trace.gpu.stream[row]].device != c.device) continue;
    c.busy.Append(std::max(c.device_begin_ns, trace.gpu.start_ns[row]),
                  std::min(c.device_end_ns, trace.gpu.end_ns(row)));
  }
  for (const uint32_t thread : rank.issuing_threads) {
    c.host_time.push_back({thread, analysis::PartitionThread(index, thread, c.begin_ns, c.end_ns)});
  }
  c.gaps = analysis::FindIssueGaps(index, rank, c.begin_ns, c.end_ns);
  // Steps found from the launches alone may be turns of an inner loop: a given step time then covers several.
  const double least_ms = c.PerStepMs(LeastWork(c));
  const bool possible = options.true_step_ms && *options.true_step_ms >= kLeastOfDevice * least_ms;
  const std::optional<double> given_ms = possible ? options.true_step_ms : std::nullopt;
  const bool covers_several = given_ms && c.steps.source == analysis::StepSource::kKernelSequence &&
                              *given_ms > kLongerThanRecorded * c.steps.period_ms;
  auto simulator = analysis::Simulator::Build(trace, c.steps,
                                              {.true_step_ms = covers_several ? std::nullopt : given_ms,
                                               .least_step_ms = least_ms,
                                               .most_step_ms = c.PerStepMs(c.window_ns()),
                                               .link_domain = rank.link_domain});
  if (simulator.ok()) {
    c.sim = std::make_unique<analysis::Simulator>(std::move(simulator).value());
    if (covers_several && c.sim->base_step_ms() > 0) c.turns_per_step = *given_ms / c.sim->base_step_ms();
  } else {
    c.sim_reason = simulator.status().message();
  }
  if (c.sim && index.ranks().size() > 1 && !given_ms) {
    const auto straggler = FindStraggler(RankPaces(index));
    if (straggler && straggler->link_domain == rank.link_domain) {
      const auto calls = CollectiveCallsOf(c, analysis::SummarizeCollectives(index, analysis::Scope{}));
      c.baseline = UnslowedKernels(c, calls);
      c.baseline.Add(CheaperCollectives(calls, 0, 1));
    }
  }
  if (!trace.kernel_profiles.empty()) c.measured = MeasureKernels(c);
  return context;
}

double Context::CountPerStep(double total) const {
  constexpr double kFewSteps = 4;
  const double a_step = total / step_count(), whole = std::round(a_step);
  const bool cut = step_count() >= kFewSteps && whole >= 1 && std::abs(total - whole * step_count()) <= 1;
  return cut ? whole : a_step;
}

double Context::SharePct(int64_t total_ns) const {
  if (window_ns() <= 0) return 0;
  return std::min(100.0, 100.0 * static_cast<double>(total_ns) / static_cast<double>(window_ns()));
}

uint32_t Context::OperatorOf(uint32_t gpu_row) const {
  const uint32_t call = trace.gpu.call[gpu_row];
  if (call == kNone) return kNone;
  return Enclosing(call, [&](uint32_t row) { return trace.host.kind[row] == HostKind::kOperator; });
}

uint32_t Context::OutermostOperatorOf(uint32_t gpu_row) const {
  uint32_t outermost = kNone;
  const uint32_t call = trace.gpu.call[gpu_row];
  for (uint32_t row = call; row != kNone; row = trace.host.parent[row]) {
    if (trace.host.kind[row] == HostKind::kOperator) outermost = row;
  }
  return outermost;
}

std::string Context::UserFrame(uint32_t host_row) const {
  const uint32_t frame = Enclosing(host_row, [&](uint32_t row) {
    return IsFrame(trace.host.kind[row]) && index.host_label(row) == analysis::HostLabel::kUserPython;
  });
  return frame == kNone ? std::string() : std::string(trace.HostName(frame));
}

const model::Source& Context::source() const {
  return rank.process == kNone ? trace.sources.front() : trace.sources[trace.processes[rank.process].source];
}

std::optional<analysis::Prediction> Context::Predict(const analysis::WhatIf& point, analysis::Side side,
                                                     const analysis::WhatIf* low, const analysis::WhatIf* high) const {
  if (!sim || point.empty()) return std::nullopt;
  analysis::Prediction prediction;
  if (baseline.empty()) {
    prediction = sim->Predict(point, side, low, high);
  } else {
    const auto beside = [&](const analysis::WhatIf* change) {
      analysis::WhatIf both = baseline;
      if (change != nullptr) both.Add(*change);
      return both;
    };
    const analysis::WhatIf both = beside(&point), cautious = beside(low), hopeful = beside(high);
    prediction = sim->Predict(both, side, low != nullptr ? &cautious : nullptr, high != nullptr ? &hopeful : nullptr);
    // Shares of the step in the baseline.
    const double whole = prediction.step_ms_before, before = sim->Predict(baseline, side).step_ms_after;
    if (!(before > 0)) return std::nullopt;
    const auto gain = [&](double pct) { return 100 * (1 - whole * (1 - pct / 100) / before); };
    prediction.step_ms_before = before;
    prediction.gain_pct = gain(prediction.gain_pct);
    prediction.low_pct = std::min(prediction.gain_pct, std::max(0.0, gain(prediction.low_pct)));
    prediction.high_pct = std::max(prediction.gain_pct, std::min(100.0, gain(prediction.high_pct)));
  }
  prediction.step_ms_before *= turns_per_step;
  prediction.step_ms_after *= turns_per_step;
  return prediction;
}

std::optional<double> Context::base_step_ms() const {
  if (!sim) return std::nullopt;
  const double ms =
      baseline.empty() ? sim->base_step_ms() : sim->Predict(baseline, analysis::Side::kHost).step_ms_after;
  return ms * turns_per_step;
}

bool Context::knows_recorder() const { return analysis::replay::KnownRecorder(trace); }

std::string Context::Query(std::string_view command) const {
  std::string words(command);
  // Of several ranks a table shows all: the numbers of this one stand in its own.
  const bool several = index.ranks().size() > 1 && rank.rank && index.RankNumbered(*rank.rank) == &rank;
  const std::string_view name = command.substr(0, command.find(' '));
  constexpr std::string_view kByRank[] = {"copies", "critical-path", "devices", "gaps",    "kernels", "launches",
                                          "memory", "ops",           "steps",   "streams", "syncs",   "whatif"};
  const bool takes_rank = std::find(std::begin(kByRank), std::end(kByRank), name) != std::end(kByRank);
  if (several && takes_rank && command.find("--rank") == std::string_view::npos)
    words += " --rank " + std::to_string(*rank.rank);
  return "warpscope " + words + " " + file;
}

}  // namespace warpscope::rules
