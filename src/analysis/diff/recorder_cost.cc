#include "analysis/diff/recorder_cost.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/diff/shift.h"
#include "analysis/replay/dilation.h"
#include "analysis/replay/simulator.h"

namespace warpscope::analysis {
namespace {

constexpr double kGivenError = 0.03;  // of a given step: runs of one program differ
constexpr double kHalf = 0.5;         // of the cost: its doubt (simulator.cc, kSpread)
constexpr double kLeastRatio = 1e-3;

bool IsWaiting(const Work& work) { return work.kind == WorkKind::kCommunication; }

double SumOf(const std::vector<int64_t>& cells) {
  return std::accumulate(cells.begin(), cells.end(), 0.0,
                         [](double sum, int64_t ns) { return sum + static_cast<double>(ns); });
}

struct Totals {
  double length_ns = 0, work_ns = 0, idle_ns = 0;  // of all kept steps; work without communication
};

Totals TotalsOf(const StepParts& parts) {
  Totals totals;
  totals.length_ns = SumOf(parts.length_ns);
  totals.idle_ns = SumOf(parts.rest_ns);
  for (const IdleWork& idle : parts.idles) totals.idle_ns += SumOf(idle.step_ns);
  for (const Work& work : parts.works) totals.work_ns += IsWaiting(work) ? 0 : SumOf(work.step_ns);
  return totals;
}

// Work of the device in the middle step, of its length: the ratio is one for all steps, though a recorder's cost may
// lie in few of them, and takes none of them below what the device needs.
double LeastRatio(const StepParts& parts) {
  std::vector<double> ratios;
  for (uint32_t step = 0; step < parts.counted; ++step) {
    double work_ns = 0;
    for (const Work& work : parts.works) work_ns += IsWaiting(work) ? 0 : static_cast<double>(work.step_ns[step]);
    if (parts.length_ns[step] > 0)
      ratios.push_back(std::min(1.0, work_ns / static_cast<double>(parts.length_ns[step])));
  }
  return ratios.empty() ? 0 : MedianOf(std::move(ratios));
}

void ScaleCell(double ratio, int64_t* ns) { *ns = std::llround(ratio * static_cast<double>(*ns)); }

// A step of `recorded_ms` takes `step_ms` without the recorder; `longest_ms` if that took less, `shortest_ms` if more.
RecorderCost CostOf(double recorded_ms, double step_ms, double longest_ms, double shortest_ms) {
  const auto ratio = [&](double ms) { return std::clamp(ms / recorded_ms, kLeastRatio, 1.0); };
  RecorderCost cost;
  cost.known = true;
  cost.left_ratio = ratio(step_ms);
  cost.less_ratio = std::max(cost.left_ratio, ratio(longest_ms));
  cost.more_ratio = std::min(cost.left_ratio, ratio(shortest_ms));
  cost.cost_ms = recorded_ms * (1 - cost.left_ratio);
  return cost;
}

}  // namespace

RecorderCost UnknownRecorderCost(const StepParts& parts) {
  const Totals totals = TotalsOf(parts);
  RecorderCost cost;
  if (totals.length_ns > 0) cost.at_most_pct = 100 * std::min(1.0, totals.idle_ns / totals.length_ns);
  if (parts.kernel_launches > 0)
    cost.launch_call_ns = static_cast<double>(parts.launch_call_ns) / static_cast<double>(parts.kernel_launches);
  return cost;
}

std::optional<RecorderCost> RecorderCostOf(const Index& index, const Steps& steps, uint32_t domain,
                                           const StepParts& parts) {
  if (parts.counted == 0) return std::nullopt;
  const Totals totals = TotalsOf(parts);
  const RecorderCost unknown = UnknownRecorderCost(parts);
  if (!replay::KnownRecorder(index.trace())) return unknown;
  SimulatorOptions options;
  options.least_step_ms = totals.work_ns / 1e6 / parts.counted;
  options.link_domain = domain;
  const auto simulator = Simulator::Build(index.trace(), steps, options);
  if (!simulator.ok() || !(simulator.value().recorded_step_ms() > 0)) return unknown;
  const auto [half, more] = simulator.value().doubtful_base_steps_ms();
  RecorderCost cost = CostOf(simulator.value().recorded_step_ms(), simulator.value().base_step_ms(), half, more);
  const double least = LeastRatio(parts);
  cost.left_ratio = std::max(cost.left_ratio, least);
  cost.less_ratio = std::max(cost.less_ratio, least);
  cost.more_ratio = std::max(cost.more_ratio, least);
  cost.cost_ms = simulator.value().recorded_step_ms() * (1 - cost.left_ratio);
  cost.at_most_pct = unknown.at_most_pct, cost.launch_call_ns = unknown.launch_call_ns;
  return cost;
}

RecorderCost HalfSureRecorderCost(double base_step_ms, double recorded_step_ms) {
  const double spread_ms = kHalf * std::max(0.0, recorded_step_ms - base_step_ms);
  return CostOf(recorded_step_ms, base_step_ms, base_step_ms + spread_ms, base_step_ms - spread_ms);
}

RecorderCost GivenRecorderCost(double true_step_ms, double recorded_step_ms) {
  return CostOf(recorded_step_ms, true_step_ms, true_step_ms * (1 + kGivenError), true_step_ms * (1 - kGivenError));
}

void TakeOutRecorder(double left_ratio, StepParts* parts) {
  if (left_ratio >= 1) return;
  for (uint32_t step = 0; step < parts->counted; ++step) {
    const auto length = static_cast<double>(parts->length_ns[step]);
    double waiting = static_cast<double>(parts->rest_ns[step]);
    for (const IdleWork& idle : parts->idles) waiting += static_cast<double>(idle.step_ns[step]);
    for (const Work& work : parts->works) waiting += IsWaiting(work) ? static_cast<double>(work.step_ns[step]) : 0;
    const double taken = length * (1 - left_ratio);
    const double of_waiting = waiting > 0 ? std::max(0.0, 1 - taken / waiting) : 0;
    const double rest = length - waiting, of_rest = rest > 0 && taken > waiting ? (length - taken) / rest : 1;
    int64_t sum = 0;
    const auto scale = [&](double ratio, int64_t* ns) {
      ScaleCell(ratio, ns);
      sum += *ns;
    };
    for (IdleWork& idle : parts->idles) scale(of_waiting, &idle.step_ns[step]);
    for (Work& work : parts->works) scale(IsWaiting(work) ? of_waiting : of_rest, &work.step_ns[step]);
    scale(of_waiting, &parts->rest_ns[step]);
    parts->length_ns[step] = sum;  // parts add up to the step, rounding included
  }
  for (double& ms : parts->step_ms) ms *= left_ratio;
}

}  // namespace warpscope::analysis
