#include "rules/context.h"

#include <algorithm>
#include <map>

#include "rules/kernel/counter_join.h"

namespace warpscope::rules {

using model::HostKind;
using model::kNone;

// No recorder makes a step shorter than it is without one; some slack for a loop whose speed varies.
constexpr double kLongerThanRecorded = 1.5;

std::unique_ptr<Context> Context::Build(const analysis::Index& index, const analysis::Rank& rank,
                                        const Options& options) {
  std::unique_ptr<Context> context(new Context(index, rank));
  Context& c = *context;
  const model::Trace& trace = c.trace;
  c.file = options.file_argument;
  c.steps = analysis::FindSteps(index, rank.link_domain);
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
    c.busy.Append(std::max(c.device_begin_ns, trace.gpu.start_ns[row]),
                  std::min(c.device_end_ns, trace.gpu.end_ns(row)));
  }
  for (const auto& [device, ns] : device_ns) {
    if (c.device == kNone || ns > device_ns[c.device]) c.device = device;
  }
  for (const uint32_t thread : rank.issuing_threads) {
    c.host_time.push_back({thread, analysis::PartitionThread(index, thread, c.begin_ns, c.end_ns)});
  }
  c.gaps = analysis::FindIssueGaps(index, rank, c.begin_ns, c.end_ns);
  // Steps found from the launches alone may be turns of an inner loop: a given step time then covers several.
  const bool covers_several = options.true_step_ms && c.steps.source == analysis::StepSource::kKernelSequence &&
                              *options.true_step_ms > kLongerThanRecorded * c.steps.period_ms;
  auto simulator = analysis::Simulator::Build(
      trace, c.steps,
      {.true_step_ms = covers_several ? std::nullopt : options.true_step_ms, .link_domain = rank.link_domain});
  if (simulator.ok()) {
    c.sim = std::make_unique<analysis::Simulator>(std::move(simulator).value());
    if (covers_several && c.sim->base_step_ms() > 0) c.turns_per_step = *options.true_step_ms / c.sim->base_step_ms();
  } else {
    c.sim_reason = simulator.status().message();
  }
  if (!trace.kernel_profiles.empty()) c.measured = MeasureKernels(c);
  return context;
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
    return trace.host.kind[row] == HostKind::kPython && index.host_label(row) == analysis::HostLabel::kUserPython;
  });
  return frame == kNone ? std::string() : std::string(trace.HostName(frame));
}

const model::Source& Context::source() const {
  return rank.process == kNone ? trace.sources.front() : trace.sources[trace.processes[rank.process].source];
}

std::optional<analysis::Prediction> Context::Predict(const analysis::WhatIf& point, analysis::Side side,
                                                     const analysis::WhatIf* low, const analysis::WhatIf* high) const {
  if (!sim || point.empty()) return std::nullopt;
  analysis::Prediction prediction = sim->Predict(point, side, low, high);
  prediction.step_ms_before *= turns_per_step;
  prediction.step_ms_after *= turns_per_step;
  return prediction;
}

std::string Context::Query(std::string_view command) const { return "warpscope " + std::string(command) + " " + file; }

}  // namespace warpscope::rules
