#include "analysis/replay/dilation.h"

#include <algorithm>
#include <cmath>

namespace warpscope::analysis::replay {
namespace {

bool IsTorchProfiler(const model::Source& source) {
  // A chrome trace that was made from another recorder's file keeps that one's name.
  return source.format == "kineto" && (source.producer.empty() || source.producer.rfind("torch.profiler", 0) == 0);
}

bool IsOwnCapture(const model::Source& source) {
  return source.format == "capture" || source.producer.rfind("warpscope record", 0) == 0;
}

bool IsNsys(const model::Source& source) {
  return source.vendor == model::Vendor::kNvidia && (source.format == "nsys");
}

// The recorder of the timeline; a monitor's log or a counter report may be read before it. Null: none that is known.
const model::Source* RecorderOf(const model::Trace& trace) {
  for (const model::Source& source : trace.sources) {
    if (IsTorchProfiler(source) || IsOwnCapture(source) || IsNsys(source)) return &source;
  }
  return nullptr;
}

constexpr std::string_view kMachineOfTheConstants = "H200";
// Nsight Systems: what it adds to a launch. Measured on H200s (2025.3.1, launches of an empty kernel, interleaved
// rounds): 1.4 us on one machine, 2.7 us with `-t cuda -s none` and 3.0 us with its defaults on another; a loop of tiny
// operators 2.9 us each. The middle; half and one and a half times it, the doubt of every recorder's cost, hold them
// all. Another call costs what CUPTI's record of a call costs.
constexpr double kNsysLaunchUs = 2.0;
constexpr double kLeastSpeed = 0.7, kMostSpeed = 2.5;  // beyond, the speed says more about the program than the host

class Corrector {
 public:
  Corrector(const Model& model, const DilationCosts& costs, const Correction& correction)
      : model_(model), costs_(costs), correction_(correction) {
    const model::Source* recorder = RecorderOf(*model.trace);
    operator_us_ = costs.operator_us;
    if (recorder != nullptr && recorder->record_shapes.value_or(false)) operator_us_ += costs.shapes_us;
    if (recorder != nullptr && recorder->profile_memory.value_or(false)) operator_us_ += costs.memory_us;
    const double speed = std::clamp(model.parameters.host_speed, kLeastSpeed, kMostSpeed);
    unit_ns_ = 1000.0 * correction.lambda * (costs.costs_follow_speed ? speed : 1.0);
    left_ratio_ = correction.mu * std::pow(speed, -costs.host_speed_power * std::min(1.0, correction.lambda));
    return_ratio_ = 1.0 - (1.0 - costs.return_ratio) * std::min(1.0, correction.lambda);
  }

  // Other ranks run the same program under the same recorder: what this rank waited for them shrinks as its own host
  // work does.
  void Collectives(Weights& weights) const {
    const double own_ratio = before_ns_ > 0 ? after_ns_ / before_ns_ : 1.0;
    for (const auto& wait : model_.collective_waits) {
      weights.dur[wait.item] -= std::llround((1.0 - own_ratio) * static_cast<double>(wait.wait_ns));
    }
  }

  void Item(uint32_t i, Weights& weights) {
    const Graph& graph = model_.graph;
    const int64_t before = weights.dur[i] + weights.prev_lag[i];
    const double call_us = Issues(model_.call_class[i]) ? costs_.launch_us : costs_.call_us;
    const double spilt_ns =
        costs_.spills ? std::max(0.0, unit_ns_ * call_us - (1.0 - costs_.least_left_ratio) * Positive(weights.dur[i]))
                      : 0.0;
    if (graph.prev[i] != kNoItem) weights.prev_lag[i] = Gap(weights.prev_lag[i], model_.counts[i], spilt_ns);
    weights.dur[i] = Left(WithoutOverhead(weights.dur[i], model_.counts[i].overhead_call_ns), unit_ns_ * call_us);
    before_ns_ += static_cast<double>(before);
    after_ns_ += static_cast<double>(weights.dur[i] + weights.prev_lag[i]);
    for (uint32_t e = graph.edge_begin[i]; e < graph.edge_begin[i + 1]; ++e) {
      if (graph.edge_kind[e] != EdgeKind::kSyncTarget) continue;
      weights.edge_lag[e] = std::llround(return_ratio_ * static_cast<double>(weights.edge_lag[e]));
    }
  }

 private:
  static double Positive(int64_t ns) { return static_cast<double>(std::max<int64_t>(0, ns)); }

  int64_t Gap(int64_t gap_ns, const RowCounts& counts, double more_ns) const {
    const double python_only = static_cast<double>(counts.python_only_ns);
    const double slow_down = correction_.lambda * costs_.python_only_ratio;
    const double minus = unit_ns_ * (operator_us_ * counts.operators + costs_.python_us * counts.python) +
                         python_only * slow_down / (1.0 + slow_down) + more_ns;
    const int64_t gap = WithoutOverhead(gap_ns, counts.overhead_gap_ns);
    const int64_t quiet = std::clamp<int64_t>(counts.quiet_ns, 0, std::max<int64_t>(0, gap));
    return Left(gap - quiet, minus) + std::llround(correction_.mu * correction_.quiet * static_cast<double>(quiet));
  }

  int64_t WithoutOverhead(int64_t value_ns, int64_t overhead_ns) const {
    const auto minus = std::llround(std::min(1.0, correction_.lambda) * static_cast<double>(overhead_ns));
    return overhead_ns == 0 || value_ns <= 0 ? value_ns : std::max<int64_t>(0, value_ns - minus);
  }

  int64_t Left(int64_t value_ns, double minus_ns) const {
    if (value_ns <= 0) return value_ns;
    const auto value = static_cast<double>(value_ns);
    return std::llround(left_ratio_ * std::max(value * costs_.least_left_ratio, value - minus_ns));
  }

  const Model& model_;
  const DilationCosts& costs_;
  const Correction& correction_;
  double operator_us_, unit_ns_, left_ratio_, return_ratio_;
  double before_ns_ = 0, after_ns_ = 0;
};

DilationCosts Nothing() {
  return {.operator_us = 0,
          .shapes_us = 0,
          .memory_us = 0,
          .python_us = 0,
          .launch_us = 0,
          .call_us = 0,
          .python_only_ratio = 0,
          .return_ratio = 1.0,
          .least_left_ratio = 1.0,
          .host_speed_power = 0};
}

DilationCosts CostsOfCapture(const model::Trace& trace) {
  DilationCosts costs = Nothing();
  costs.launch_us = kCaptureLaunchUs;
  costs.call_us = kCaptureCallUs;
  costs.least_left_ratio = 0.25;
  costs.spills = true;
  for (const model::Source& source : trace.sources) {
    if (!source.launch_cost_ns) continue;
    costs.launch_us = static_cast<double>(std::max<int64_t>(0, *source.launch_cost_ns)) / 1000;
    break;
  }
  return costs;
}

// Nsight Systems: its records are CUPTI's, so what exceeds a call's length lies in the time before it.
DilationCosts CostsOfNsys() {
  DilationCosts costs = Nothing();
  costs.launch_us = kNsysLaunchUs;
  costs.call_us = kCaptureCallUs;
  costs.least_left_ratio = 0.25;
  costs.spills = true;
  return costs;
}

}  // namespace

bool KnownRecorder(const model::Trace& trace) { return RecorderOf(trace) != nullptr; }

DilationCosts CostsFor(const model::Trace& trace) {
  const model::Source* recorder = RecorderOf(trace);
  if (recorder == nullptr) return Nothing();
  if (IsOwnCapture(*recorder)) return CostsOfCapture(trace);
  DilationCosts costs = IsNsys(*recorder) ? CostsOfNsys() : DilationCosts{};
  const bool known_machine = std::any_of(trace.devices.begin(), trace.devices.end(), [](const model::Device& device) {
    return device.name.find(kMachineOfTheConstants) != std::string::npos;
  });
  if (known_machine) return costs;
  costs.host_speed_power = 0;
  costs.costs_follow_speed = true;
  return costs;
}

Weights Corrected(const Model& model, const DilationCosts& costs, const Correction& correction) {
  Weights weights = model.structural;
  if (correction.lambda == 0 && correction.mu == 1.0 && correction.quiet == 1.0) return weights;
  Corrector corrector(model, costs, correction);
  for (uint32_t i = 0; i < model.graph.size(); ++i) {
    const ItemKind kind = model.graph.kind[i];
    if (kind == ItemKind::kHostCall || kind == ItemKind::kMarker) corrector.Item(i, weights);
  }
  corrector.Collectives(weights);
  return weights;
}

}  // namespace warpscope::analysis::replay
