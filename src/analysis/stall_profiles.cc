#include "analysis/stall_profiles.h"

#include <map>
#include <string>
#include <vector>

#include "analysis/kernels.h"
#include "analysis/stalls.h"

namespace warpscope::analysis {
namespace {

using model::kNone;

constexpr std::string_view kSamples = "smsp__pcsamp_warps_issue_stalled_";
constexpr std::string_view kTheoretical = "sm__maximum_warps_per_active_cycle_pct";

// The launch that stands for a kernel's name: the geometry with most device time.
struct Typical {
  uint32_t row = kNone;  // of gpu
  int64_t total_ns = 0;
};

std::map<model::StringId, Typical> TypicalLaunches(const model::Trace& trace) {
  std::map<std::pair<model::StringId, uint32_t>, Typical> by_geometry;
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    if (trace.gpu.kind[row] != model::GpuKind::kKernel) continue;
    Typical& typical = by_geometry[{trace.gpu.name[row], trace.gpu.detail[row]}];
    if (typical.row == kNone) typical.row = row;
    typical.total_ns += trace.gpu.dur_ns[row];
  }
  std::map<model::StringId, Typical> by_name;
  for (const auto& [key, typical] : by_geometry) {
    Typical& best = by_name[key.first];
    if (typical.total_ns > best.total_ns) best = typical;
  }
  return by_name;
}

void AddReasons(const StalledKernel& kernel, model::Trace* trace) {
  const model::StringId unit = trace->strings.Intern("");
  for (const StallCount& count : kernel.reasons) {
    trace->metrics.push_back({trace->strings.Intern(std::string(kSamples) + std::string(count.reason)), unit,
                              static_cast<double>(count.samples)});
  }
}

// A profile's metrics lie side by side: they move to the end, where there is room for more.
void Extend(model::KernelProfile* profile, const StalledKernel& kernel, model::Trace* trace) {
  const uint32_t begin = static_cast<uint32_t>(trace->metrics.size());
  trace->metrics.reserve(trace->metrics.size() + (profile->metric_end - profile->metric_begin));
  for (uint32_t i = profile->metric_begin; i < profile->metric_end; ++i) {
    const model::Metric metric = trace->metrics[i];
    trace->metrics.push_back(metric);
  }
  AddReasons(kernel, trace);
  profile->metric_begin = begin;
  profile->metric_end = static_cast<uint32_t>(trace->metrics.size());
}

void Make(const StalledKernel& kernel, const Typical& typical, model::Trace* trace) {
  model::KernelProfile profile;
  const model::Stream& stream = trace->streams[trace->gpu.stream[typical.row]];
  profile.process = trace->pc_windows.empty() ? 0 : trace->pc_windows.front().process;
  profile.source = trace->processes[profile.process].source;
  profile.device = stream.device;
  profile.id = trace->kernel_profiles.size();
  profile.name = kernel.name;
  profile.metric_begin = static_cast<uint32_t>(trace->metrics.size());
  AddReasons(kernel, trace);
  const uint32_t config = trace->gpu.detail[typical.row];
  if (config != kNone) {
    const auto waves = LaunchWaves(trace->devices[stream.device], trace->launch_configs[config]);
    if (waves && waves->occupancy.occupancy_pct > 0)
      trace->metrics.push_back(
          {trace->strings.Intern(kTheoretical), trace->strings.Intern("%"), waves->occupancy.occupancy_pct});
  }
  profile.metric_end = static_cast<uint32_t>(trace->metrics.size());
  profile.advice_begin = profile.advice_end = static_cast<uint32_t>(trace->advice.size());
  trace->kernel_profiles.push_back(profile);
}

}  // namespace

void AddStallProfiles(model::Trace* trace) {
  if (trace->pc_samples.empty() || (!trace->kernel_profiles.empty() && trace->counter_windows.empty())) return;
  const std::map<model::StringId, Typical> launches = TypicalLaunches(*trace);
  const size_t before = trace->kernel_profiles.size();
  for (const StalledKernel& kernel : SummarizeStalls(*trace)) {
    if (kernel.samples < kLeastStallSamples) continue;
    bool known = false;
    for (size_t i = 0; i < before; ++i) {
      if (trace->kernel_profiles[i].name != kernel.name) continue;
      Extend(&trace->kernel_profiles[i], kernel, trace);
      known = true;
    }
    const auto launch = launches.find(kernel.name);
    if (!known && launch != launches.end()) Make(kernel, launch->second, trace);
  }
}

}  // namespace warpscope::analysis
