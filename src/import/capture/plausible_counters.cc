#include "import/capture/plausible_counters.h"

#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "model/sampled_metrics.h"

namespace warpscope::import::capture {
namespace {

using model::SampledQuantity;

// Shares of the peak over the time that elapsed, in percent. Their edges differ by a part of a sample.
constexpr double kSlackPct = 5;
// One warp is at least that share of the most that an SM holds: 64 of them on the largest.
constexpr double kOneWarpPct = 100.0 / 64, kActivePct = 99;
// Single samples may be torn; a counter that lies does so all the time.
constexpr uint64_t kFewestImpossible = 3;
constexpr double kMostImpossibleShare = 0.01;

struct Columns {
  std::optional<uint32_t> sm_active, warps_active;  // within the window's set
};

Columns ColumnsOf(const model::CounterWindow& window, const model::Trace& trace) {
  Columns columns;
  for (uint32_t metric = window.metric_begin; metric < window.metric_end; ++metric) {
    const auto quantity = model::SampledQuantityOf(trace.Text(trace.sampled_metrics[metric].name));
    if (quantity == SampledQuantity::kSmActive) columns.sm_active = metric - window.metric_begin;
    if (quantity == SampledQuantity::kWarpsActive) columns.warps_active = metric - window.metric_begin;
  }
  return columns;
}

bool IsImpossible(double sm_active, double warps_active) {
  return warps_active > sm_active + kSlackPct || (sm_active > kActivePct && warps_active < kOneWarpPct / 2);
}

struct Judged {
  uint64_t samples = 0, impossible = 0;
};

}  // namespace

std::vector<std::string> LeaveImpossibleOut(const std::vector<uint32_t>& windows, model::Trace* trace) {
  std::map<uint32_t, Judged> devices;
  for (const uint32_t row : windows) {
    const model::CounterWindow& window = trace->counter_windows[row];
    const Columns columns = ColumnsOf(window, *trace);
    if (!columns.sm_active || !columns.warps_active) continue;
    Judged& judged = devices[window.device];
    for (uint32_t sample = window.sample_begin; sample < window.sample_end; ++sample) {
      const float* const values = &trace->sampled_values[trace->device_samples[sample].value_begin];
      const double sm_active = values[*columns.sm_active], warps_active = values[*columns.warps_active];
      if (!std::isfinite(sm_active) || !std::isfinite(warps_active)) continue;
      ++judged.samples;
      judged.impossible += IsImpossible(sm_active, warps_active) ? 1 : 0;
    }
  }
  std::vector<std::string> told;
  for (const auto& [device, judged] : devices) {
    if (judged.impossible < kFewestImpossible ||
        static_cast<double>(judged.impossible) < kMostImpossibleShare * static_cast<double>(judged.samples))
      continue;
    for (const uint32_t row : windows) {
      const model::CounterWindow& window = trace->counter_windows[row];
      const Columns columns = ColumnsOf(window, *trace);
      if (window.device != device || !columns.warps_active) continue;
      for (uint32_t sample = window.sample_begin; sample < window.sample_end; ++sample)
        trace->sampled_values[trace->device_samples[sample].value_begin + *columns.warps_active] =
            std::numeric_limits<float>::quiet_NaN();
    }
    told.push_back(
        "active warps of device " + std::to_string(trace->devices[device].id) + ": " +
        std::to_string(judged.impossible) + " of " + std::to_string(judged.samples) +
        " samples contradict how many SMs were active, so this counter did not count here: occupancy is left "
        "out; measure it with: warpscope counters");
  }
  return told;
}

}  // namespace warpscope::import::capture
