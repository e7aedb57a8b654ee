#include "import/capture/plausible_counters.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "model/sampled_metrics.h"

namespace warpscope::import::capture {
namespace {

using model::SampledQuantity;

struct Columns {
  std::optional<uint32_t> sm_active, warps_active;  // within the window's set
  model::StringId warps_name = model::kNoString;
};

Columns ColumnsOf(const model::CounterWindow& window, const model::Trace& trace) {
  Columns columns;
  for (uint32_t metric = window.metric_begin; metric < window.metric_end; ++metric) {
    const auto quantity = model::SampledQuantityOf(trace.Text(trace.sampled_metrics[metric].name));
    if (quantity == SampledQuantity::kSmActive) columns.sm_active = metric - window.metric_begin;
    if (quantity != SampledQuantity::kWarpsActive) continue;
    columns.warps_active = metric - window.metric_begin;
    columns.warps_name = trace.sampled_metrics[metric].name;
  }
  return columns;
}

// Shares of the peak over the time that elapsed, in percent. Their edges differ by a part of a sample; one warp is at
// least 1 / 64 of the most that an SM holds.
bool Contradict(double sm_active_pct, double warps_active_pct) {
  constexpr double kSlackPct = 5, kOneWarp = 1.0 / 64;
  return warps_active_pct > sm_active_pct + kSlackPct ||
         (sm_active_pct > kSlackPct && warps_active_pct < sm_active_pct * kOneWarp / 2);
}

struct Judged {
  uint64_t samples = 0, impossible = 0;  // in all
  uint64_t run_samples = 0, run_impossible = 0;
  uint32_t run = UINT32_MAX;  // metric_begin of the windows in a row
  bool lies = false;

  // Single samples may be torn; a counter that lies does so all the time.
  void EndRun() {
    constexpr uint64_t kFewest = 3, kShare = 100;  // one in a hundred
    lies = lies || (run_impossible >= kFewest && run_impossible * kShare >= run_samples);
    run_samples = run_impossible = 0;
  }
};

}  // namespace

std::vector<ImpossibleCounter> LeaveImpossibleOut(const std::vector<uint32_t>& windows, model::Trace* trace) {
  std::map<std::pair<uint32_t, model::StringId>, Judged> counters;  // of a device, by the metric that it is read from
  uint32_t last = UINT32_MAX;
  for (const uint32_t row : windows) {
    const model::CounterWindow& window = trace->counter_windows[row];
    const Columns columns = ColumnsOf(window, *trace);
    if (!columns.sm_active || !columns.warps_active) continue;
    Judged& judged = counters[{window.device, columns.warps_name}];
    if (judged.run != window.metric_begin || row != last + 1) judged.EndRun();
    judged.run = window.metric_begin, last = row;
    for (uint32_t sample = window.sample_begin; sample < window.sample_end; ++sample) {
      const float* const values = &trace->sampled_values[trace->device_samples[sample].value_begin];
      const double sm_active = values[*columns.sm_active], warps_active = values[*columns.warps_active];
      if (!std::isfinite(sm_active) || !std::isfinite(warps_active)) continue;
      ++judged.samples;
      ++judged.run_samples;
      if (!Contradict(sm_active, warps_active)) continue;
      ++judged.impossible, ++judged.run_impossible;
    }
  }
  for (auto& [counter, judged] : counters) judged.EndRun();
  std::vector<ImpossibleCounter> told;
  for (const auto& [counter, judged] : counters) {
    if (!judged.lies) continue;
    const auto [device, name] = counter;
    bool other = false;
    for (const auto& [each, its] : counters) other = other || (each.first == device && !its.lies && its.samples > 0);
    for (const uint32_t row : windows) {
      const model::CounterWindow& window = trace->counter_windows[row];
      const Columns columns = ColumnsOf(window, *trace);
      if (window.device != device || !columns.warps_active || columns.warps_name != name) continue;
      for (uint32_t sample = window.sample_begin; sample < window.sample_end; ++sample)
        trace->sampled_values[trace->device_samples[sample].value_begin + *columns.warps_active] =
            std::numeric_limits<float>::quiet_NaN();
    }
    std::string sentence = "active warps of device " + std::to_string(trace->devices[device].id) + ": " +
                           std::to_string(judged.impossible) + " of " + std::to_string(judged.samples) +
                           " samples contradict how many SMs were active, so this counter did not count here: " +
                           (other ? "occupancy comes from windows with another one"
                                  : "occupancy is left out; measure it with: warpscope counters");
    told.push_back({std::move(sentence), other});
  }
  return told;
}

void ScaleL2Hits(const std::vector<uint32_t>& windows, model::Trace* trace) {
  constexpr float kHalf = 50, kSlack = 0.05F;
  constexpr uint64_t kFewest = 3;  // samples that tell the end of the scale
  struct Seen {
    std::vector<uint64_t> values;  // rows of sampled_values
    uint64_t at_half = 0, above = 0;
  };
  std::map<uint32_t, Seen> devices;
  for (const uint32_t row : windows) {
    const model::CounterWindow& window = trace->counter_windows[row];
    for (uint32_t metric = window.metric_begin; metric < window.metric_end; ++metric) {
      const std::string_view name = trace->Text(trace->sampled_metrics[metric].name);
      if (name.find("lts__average_t_sector_hit_rate_realtime") == name.npos) continue;
      Seen& seen = devices[window.device];
      for (uint32_t sample = window.sample_begin; sample < window.sample_end; ++sample) {
        const uint64_t at = trace->device_samples[sample].value_begin + metric - window.metric_begin;
        const float value = trace->sampled_values[at];
        if (!std::isfinite(value)) continue;
        seen.values.push_back(at);
        seen.at_half += std::abs(value - kHalf) <= kSlack ? 1 : 0;
        seen.above += value > kHalf + kSlack ? 1 : 0;
      }
    }
  }
  for (const auto& [device, seen] : devices) {
    if (seen.above > 0) continue;
    const bool ends = seen.at_half >= kFewest;
    for (const uint64_t at : seen.values) {
      float& value = trace->sampled_values[at];
      value = ends ? std::min(2 * value, 2 * kHalf) : std::numeric_limits<float>::quiet_NaN();
    }
  }
}

}  // namespace warpscope::import::capture
