#include "analysis/step_profile.h"

#include <algorithm>
#include <cmath>

#include "analysis/device_time.h"
#include "analysis/window.h"

namespace warpscope::analysis {
namespace {

using model::GpuKind;
using model::kNone;

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::optional<uint32_t> DomainOf(const Index& index, const Steps& steps) {
  for (const Step& step : steps.steps) {
    if (step.row != kNone) return index.trace().HostDomain(step.row);
  }
  return index.default_domain();
}

// Step that holds a host moment; kNone outside. `at` moves forward with the calls.
uint32_t StepAt(const Steps& steps, int64_t time_ns) {
  const auto next = std::upper_bound(steps.steps.begin(), steps.steps.end(), time_ns,
                                     [](int64_t time, const Step& step) { return time < step.begin_ns; });
  if (next == steps.steps.begin() || time_ns >= std::prev(next)->end_ns) return kNone;
  return static_cast<uint32_t>(std::prev(next) - steps.steps.begin());
}

void CountHost(const Index& index, const Steps& steps, uint32_t domain, std::vector<StepProfile>& profiles) {
  const model::Trace& trace = index.trace();
  for (uint32_t thread = 0; thread < trace.thread_rows.size(); ++thread) {
    if (trace.processes[trace.threads[thread].process].link_domain != domain) continue;
    for (uint32_t row = trace.thread_rows[thread].begin; row < trace.thread_rows[thread].end; ++row) {
      if (!index.is_call(row)) continue;
      const uint32_t step = StepAt(steps, trace.host.start_ns[row]);
      if (step == kNone) continue;
      StepProfile& profile = profiles[step];
      const CallKind kind = index.call_kind(row);
      if (IsSyncCall(kind)) {
        ++profile.syncs;
        profile.sync_ns += trace.host.dur_ns[row];
      } else if (kind == CallKind::kDeviceAlloc || kind == CallKind::kDeviceFree || kind == CallKind::kHostAlloc) {
        ++profile.allocations;
        profile.allocation_ns += trace.host.dur_ns[row];
      } else if (Issues(kind)) {
        ++profile.launches;
      }
    }
  }
}

void CountDevice(const Index& index, const Steps& steps, uint32_t domain, std::vector<StepProfile>& profiles) {
  const model::Trace& trace = index.trace();
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    const uint32_t call = trace.gpu.call[row];
    if (trace.GpuDomain(row) != domain) continue;
    // As steps were found: what has no call was issued when it began, for all that is known.
    const uint32_t step = StepAt(steps, call == kNone ? trace.gpu.start_ns[row] : trace.host.start_ns[call]);
    if (step == kNone) continue;
    if (trace.gpu.kind[row] == GpuKind::kKernel) ++profiles[step].kernels;
    if (trace.gpu.kind[row] == GpuKind::kCopy) ++profiles[step].copies;
  }
}

// The device window of a step runs from the end of the step before it to its own last item.
void PlaceOnDevice(const Steps& steps, std::vector<StepProfile>& profiles) {
  for (size_t i = 0; i < steps.steps.size(); ++i) {
    const Step& step = steps.steps[i];
    const bool has_work = step.gpu_end_ns > step.begin_ns;
    StepProfile& profile = profiles[i];
    profile.device_end_ns = has_work ? step.gpu_end_ns : step.end_ns;
    profile.device_begin_ns = i > 0 && has_work ? profiles[i - 1].device_end_ns : step.begin_ns;
    profile.device_begin_ns = std::min(profile.device_begin_ns, profile.device_end_ns);
    profile.dur_ns = profile.device_end_ns - profile.device_begin_ns;
  }
}

struct Quantity {
  const char* what;
  int64_t StepProfile::*time;
};
constexpr Quantity kTimes[] = {{"device busy", &StepProfile::busy_ns}};
struct Amount {
  const char* what;
  uint64_t StepProfile::*count;
};
constexpr Amount kAmounts[] = {{"launches", &StepProfile::launches},
                               {"kernels", &StepProfile::kernels},
                               {"copies", &StepProfile::copies},
                               {"synchronising calls", &StepProfile::syncs},
                               {"allocations", &StepProfile::allocations}};

class Explainer {
 public:
  Explainer(const std::vector<const StepProfile*>& usual, const StepProfile& outlier, double excess_ns)
      : usual_(usual), outlier_(outlier), excess_ns_(excess_ns) {}

  std::vector<StepExcess> Explain() {
    for (const Quantity& quantity : kTimes) {
      AddTime(quantity.what, [&](const StepProfile& p) { return static_cast<double>(p.*quantity.time); });
    }
    for (size_t cause = 0; cause < kGapCauses; ++cause) {
      AddTime("idle: " + std::string(GapCauseName(static_cast<GapCause>(cause))),
              [&](const StepProfile& p) { return static_cast<double>(p.idle_by_cause_ns[cause]); });
    }
    for (const Amount& amount : kAmounts) AddCount(amount);
    std::stable_sort(out_.begin(), out_.end(), [](const StepExcess& a, const StepExcess& b) {
      if (a.is_count != b.is_count) return !a.is_count;
      return a.is_count ? a.value - a.usual > b.value - b.usual : a.explains_pct > b.explains_pct;
    });
    return std::move(out_);
  }

 private:
  template <typename F>
  double Usual(const F& value) const {
    std::vector<double> values;
    for (const StepProfile* profile : usual_) values.push_back(value(*profile));
    return Median(std::move(values));
  }
  template <typename F>
  void AddTime(const std::string& what, const F& value) {
    const double usual = Usual(value);
    const double more = value(outlier_) - usual;
    if (more < 0.1 * excess_ns_) return;
    out_.push_back({what, value(outlier_) / 1e6, usual / 1e6, false, 100 * more / excess_ns_});
  }
  void AddCount(const Amount& amount) {
    const auto value = [&](const StepProfile& p) { return static_cast<double>(p.*amount.count); };
    const double usual = Usual(value);
    if (value(outlier_) <= 1.2 * usual || value(outlier_) - usual < 2) return;
    out_.push_back({amount.what, value(outlier_), usual, true, 0});
  }

  const std::vector<const StepProfile*>& usual_;
  const StepProfile& outlier_;
  double excess_ns_;
  std::vector<StepExcess> out_;
};

}  // namespace

std::vector<StepProfile> ProfileSteps(const Index& index, const Steps& steps, const GapSummary* gaps) {
  const model::Trace& trace = index.trace();
  const uint32_t domain = *DomainOf(index, steps);
  std::vector<StepProfile> profiles(steps.steps.size());
  for (uint32_t i = 0; i < profiles.size(); ++i) profiles[i].step = i;
  PlaceOnDevice(steps, profiles);
  CountHost(index, steps, domain, profiles);
  CountDevice(index, steps, domain, profiles);
  const Scope scope{domain, std::nullopt, {}};
  const IntervalSet busy = GpuIntervals(index, scope);
  const IntervalSet communication = GpuIntervals(index, scope, GpuClass::kCommunication);
  const IntervalSet copies = GpuIntervals(index, scope, GpuClass::kCopy);
  for (StepProfile& profile : profiles) {
    profile.busy_ns = busy.LengthWithin(profile.device_begin_ns, profile.device_end_ns);
    profile.idle_ns = profile.dur_ns - profile.busy_ns;
    profile.communication_ns = communication.LengthWithin(profile.device_begin_ns, profile.device_end_ns);
    profile.copy_ns = copies.LengthWithin(profile.device_begin_ns, profile.device_end_ns);
  }
  if (gaps == nullptr) return profiles;
  for (const Gap& gap : gaps->gaps) {
    if (gap.step == kNone || gap.step >= profiles.size() || trace.devices.size() <= gap.device) continue;
    for (const GapPart& part : gap.parts)
      profiles[gap.step].idle_by_cause_ns[static_cast<size_t>(part.cause)] += part.dur_ns;
  }
  return profiles;
}

std::vector<OutlierStep> ExplainOutliers(const Index&, const Steps& steps, const std::vector<StepProfile>& profiles) {
  std::vector<const StepProfile*> usual;
  std::vector<double> durations;
  for (const StepProfile& profile : profiles) {
    if (steps.steps[profile.step].warmup || steps.steps[profile.step].cut) continue;
    durations.push_back(static_cast<double>(profile.dur_ns));
    if (!steps.steps[profile.step].outlier) usual.push_back(&profile);
  }
  const double median = Median(durations);
  std::vector<double> distance;
  for (const double dur : durations) distance.push_back(std::abs(dur - median));
  const double mad = 1.4826 * Median(std::move(distance));
  std::vector<OutlierStep> out;
  for (const StepProfile& profile : profiles) {
    if (!steps.steps[profile.step].outlier) continue;
    const double excess = static_cast<double>(profile.dur_ns) - median;
    OutlierStep outlier{
        profile.step, static_cast<double>(profile.dur_ns) / 1e6, median / 1e6, mad > 0 ? excess / mad : 0, {}};
    if (excess > 0) outlier.excess = Explainer(usual, profile, excess).Explain();
    out.push_back(std::move(outlier));
  }
  return out;
}

// A period p holds if slow steps are exactly p apart (one missing is forgiven in long rows), seen three times or more.
std::optional<uint32_t> SlowStepPeriod(const Steps& steps) {
  if (steps.whole() < steps.counted()) return std::nullopt;  // how many steps a break left out is not known
  const double median = Median(steps.durations_ms);
  std::vector<uint32_t> slow;
  for (uint32_t i = 0; i < steps.durations_ms.size(); ++i) {
    if (steps.durations_ms[i] > 1.3 * median) slow.push_back(i);
  }
  if (slow.size() < 3 || slow.size() * 2 > steps.durations_ms.size()) return std::nullopt;
  const uint32_t period = slow[1] - slow[0];
  if (period < 2) return std::nullopt;
  uint32_t misses = 0;
  for (size_t i = 1; i < slow.size(); ++i) misses += (slow[i] - slow[i - 1]) % period != 0 ? 1 : 0;
  if (misses * 10 > slow.size()) return std::nullopt;
  return period;
}

}  // namespace warpscope::analysis
