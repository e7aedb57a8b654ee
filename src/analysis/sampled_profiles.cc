#include "analysis/sampled_profiles.h"

#include <algorithm>
#include <initializer_list>
#include <string>

#include "analysis/counter_attribution.h"

namespace warpscope::analysis {
namespace {

using Value = std::optional<double>;

Value Pct(const AttributedKernel& kernel, Sampled quantity) {
  const auto value = kernel[quantity];
  return value ? Value(value->pct) : std::nullopt;
}

// Of those that are known; absent: none is.
Value Largest(std::initializer_list<Value> values) {
  Value largest;
  for (const Value& value : values) {
    if (value && (!largest || *value > *largest)) largest = value;
  }
  return largest;
}

Value Sum(Value a, Value b) { return a && b ? Value(std::min(*a + *b, 100.0)) : std::nullopt; }

class Profile {
 public:
  explicit Profile(model::Trace* trace) : trace_(*trace) {}

  void Add(std::string_view name, std::string_view unit, Value value) {
    if (!value) return;
    trace_.metrics.push_back({trace_.strings.Intern(name), trace_.strings.Intern(unit), *value});
  }

 private:
  model::Trace& trace_;
};

// The chip's limit is the largest of its parts: sm__throughput and gpu__compute_memory_throughput are so defined
// (Nsight Compute, Kernel Profiling Guide, "Throughput Metrics").
void AddMetrics(const AttributedKernel& kernel, Profile profile) {
  const auto pct = [&](Sampled quantity) { return Pct(kernel, quantity); };
  const Value dram = Sum(pct(Sampled::kDramRead), pct(Sampled::kDramWrite));
  const Value issue = kernel.PerActivePct(Sampled::kIssue);
  profile.Add("gpu__time_duration.sum", "ns",
              static_cast<double>(kernel.total_ns) / static_cast<double>(kernel.launches));
  profile.Add("sm__cycles_active.avg.pct_of_peak_sustained_elapsed", "%", pct(Sampled::kSmActive));
  profile.Add("sm__throughput.avg.pct_of_peak_sustained_elapsed", "%",
              Largest({pct(Sampled::kIssue), pct(Sampled::kFma), pct(Sampled::kAlu), pct(Sampled::kTensor),
                       pct(Sampled::kFp64), pct(Sampled::kXu)}));
  profile.Add("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "%",
              Largest({dram, pct(Sampled::kL2), pct(Sampled::kL1Data)}));
  profile.Add("gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", "%", dram);
  profile.Add("lts__t_sectors.avg.pct_of_peak_sustained_elapsed", "%", pct(Sampled::kL2));
  profile.Add("lts__t_sector_hit_rate.pct", "%", pct(Sampled::kL2Hit));
  profile.Add("l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed", "%", pct(Sampled::kL1Data));
  const Value sectors = pct(Sampled::kL1Sectors), hits = pct(Sampled::kL1SectorHits);
  if (sectors && hits && *sectors >= 1)
    profile.Add("l1tex__t_sector_hit_rate.pct", "%", std::min(*hits / *sectors * 100, 100.0));
  profile.Add("sm__warps_active.avg.pct_of_peak_sustained_active", "%", kernel.OccupancyPct());
  profile.Add("smsp__issue_active.avg.pct_of_peak_sustained_active", "%", issue);
  if (issue) profile.Add("smsp__issue_active.avg.per_cycle_active", "inst/cycle", *issue / 100);
  // Of the time in which an SM was active, as ncu's sections have them, and of the kernel's time, which rates follow
  // from.
  constexpr std::pair<Sampled, std::string_view> kPipes[] = {{Sampled::kFma, "sm__inst_executed_pipe_fma"},
                                                             {Sampled::kAlu, "sm__inst_executed_pipe_alu"},
                                                             {Sampled::kTensor, "sm__pipe_tensor_cycles_active"},
                                                             {Sampled::kFp64, "sm__pipe_fp64_cycles_active"},
                                                             {Sampled::kXu, "sm__inst_executed_pipe_xu"}};
  for (const auto& [quantity, name] : kPipes) {
    profile.Add(std::string(name) + ".avg.pct_of_peak_sustained_active", "%", kernel.PerActivePct(quantity));
    profile.Add(std::string(name) + ".avg.pct_of_peak_sustained_elapsed", "%", pct(quantity));
  }
}

}  // namespace

void AddSampledProfiles(model::Trace* trace) {
  if (!trace->kernel_profiles.empty() || trace->counter_windows.empty()) return;
  const CounterAttribution all = AttributeCounters(*trace);
  for (const AttributedKernel& kernel : all.kernels) {
    if (!kernel.is_known()) continue;
    model::KernelProfile profile;
    profile.process = trace->counter_windows.front().process;
    profile.source = trace->processes[profile.process].source;
    profile.device = trace->counter_windows.front().device;
    profile.id = trace->kernel_profiles.size();
    profile.name = kernel.name;
    profile.config = kernel.config;
    profile.dur_ns = kernel.total_ns / static_cast<int64_t>(kernel.launches);
    profile.metric_begin = static_cast<uint32_t>(trace->metrics.size());
    AddMetrics(kernel, Profile(trace));
    profile.metric_end = static_cast<uint32_t>(trace->metrics.size());
    profile.advice_begin = profile.advice_end = static_cast<uint32_t>(trace->advice.size());
    trace->kernel_profiles.push_back(profile);
  }
}

bool IsSampled(const model::Trace& trace, const model::KernelProfile& profile) {
  return !trace.counter_windows.empty() && profile.process == trace.counter_windows.front().process &&
         profile.source == trace.processes[profile.process].source;
}

}  // namespace warpscope::analysis
