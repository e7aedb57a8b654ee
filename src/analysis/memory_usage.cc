#include "analysis/memory_usage.h"

#include <algorithm>

#include "analysis/memory_level.h"

namespace warpscope::analysis {
namespace {

using model::kNone;
using model::MemoryEvent;

struct CountedStep {
  int64_t begin_ns, end_ns;
};

std::vector<CountedStep> CountedSteps(const Steps* steps) {
  std::vector<CountedStep> out;
  if (steps == nullptr) return out;
  for (const Step& step : steps->steps) {
    if (!step.warmup) out.push_back({step.begin_ns, step.end_ns});
  }
  return out;
}

// The rank that the steps belong to; kNone if no marker carries a thread.
uint32_t DomainOfSteps(const model::Trace& trace, const Steps* steps) {
  if (steps == nullptr) return kNone;
  for (const Step& step : steps->steps) {
    if (step.thread != kNone) return trace.processes[trace.threads[step.thread].process].link_domain;
  }
  return kNone;
}

// Lowest and highest level within each counted step, the level at its begin included.
class StepLevels {
 public:
  explicit StepLevels(const std::vector<CountedStep>& steps) : steps_(&steps) {}

  // The level was `before` up to `time_ns` and is `after` from then on. Times never fall.
  void Change(int64_t time_ns, int64_t before, int64_t after) {
    Advance(time_ns, before);
    if (at_ >= steps_->size() || low_.size() == at_) return;
    low_[at_] = std::min(low_[at_], static_cast<double>(after));
    high_[at_] = std::max(high_[at_], static_cast<double>(after));
  }
  void Finish(int64_t level, DeviceMemory* out) {
    Advance(INT64_MAX, level);
    out->level_per_step_bytes = std::move(low_);
    out->peak_per_step_bytes = std::move(high_);
  }

 private:
  void Advance(int64_t time_ns, int64_t level) {
    for (; at_ < steps_->size(); ++at_) {
      if (low_.size() == at_ && time_ns >= std::min((*steps_)[at_].begin_ns, (*steps_)[at_].end_ns)) {
        low_.push_back(static_cast<double>(level));
        high_.push_back(static_cast<double>(level));
      }
      if (time_ns < (*steps_)[at_].end_ns) return;
    }
  }

  const std::vector<CountedStep>* steps_;
  size_t at_ = 0;
  std::vector<double> low_, high_;
};

struct Account {
  explicit Account(const std::vector<CountedStep>& steps) : levels(steps) {}
  DeviceMemory memory;
  StepLevels levels;
  bool in_domain = false;  // some event is of the steps' rank
  int64_t zero_bytes = 0;  // what relative levels are measured from
  std::optional<int64_t> reserved_at_peak_bytes;
};

// `before` is the level that the event found.
void Count(const MemoryEvent& event, const MemoryLevel& before, const MemoryLevel& after, Account* account) {
  DeviceMemory& out = account->memory;
  if (out.events == 0) {
    out.absolute = before.absolute;
    account->zero_bytes = before.absolute ? 0 : before.allocated_bytes;
    out.start_allocated_bytes = SaturatingSubtract(before.allocated_bytes, account->zero_bytes);
    out.peak_allocated_bytes = out.start_allocated_bytes;
    out.peak_time_ns = event.time_ns;
    out.peak_reserved_bytes = account->reserved_at_peak_bytes = before.reserved_bytes;
  }
  ++out.events;
  out.allocations += event.bytes > 0;
  out.frees += event.bytes < 0;
  if (event.bytes > 0) out.allocated_bytes_total = SaturatingAdd(out.allocated_bytes_total, event.bytes);
  out.end_allocated_bytes = SaturatingSubtract(after.allocated_bytes, account->zero_bytes);
  if (*out.end_allocated_bytes > *out.peak_allocated_bytes) {
    out.peak_allocated_bytes = out.end_allocated_bytes;
    out.peak_time_ns = event.time_ns;
    account->reserved_at_peak_bytes = after.reserved_bytes;
  }
  if (after.reserved_bytes) {
    out.peak_reserved_bytes = std::max(out.peak_reserved_bytes.value_or(*after.reserved_bytes), *after.reserved_bytes);
  }
}

// The host's recorder writes a reserved total of 0, which means "none": there is no cache.
void Conclude(const model::Trace& trace, Account* account) {
  DeviceMemory& out = account->memory;
  if (out.peak_reserved_bytes && *out.peak_reserved_bytes <= 0) out.peak_reserved_bytes.reset();
  const auto reserved = account->reserved_at_peak_bytes;
  if (out.peak_reserved_bytes && out.absolute && reserved && *reserved > 0 && *reserved >= *out.peak_allocated_bytes) {
    out.unused_reserved_bytes = SaturatingSubtract(*reserved, *out.peak_allocated_bytes);
    out.unused_reserved_pct = 100.0 * static_cast<double>(*out.unused_reserved_bytes) / static_cast<double>(*reserved);
  }
  out.growth = JudgeGrowth(out.level_per_step_bytes);
  if (out.growth.shape != GrowthShape::kRamp || !out.absolute || out.device >= trace.devices.size()) return;
  const auto capacity = trace.devices[out.device].memory_bytes;
  if (!capacity || out.growth.bytes_per_step <= 0) return;
  const double used = out.peak_per_step_bytes.back();
  out.growth.steps_to_full = std::max(0.0, static_cast<double>(*capacity) - used) / out.growth.bytes_per_step;
}

bool IsAllocator(CallKind kind) {
  return kind == CallKind::kDeviceAlloc || kind == CallKind::kDeviceFree || kind == CallKind::kHostAlloc;
}

// Calls inside the counted steps, for the figures per step.
class CallsPerStep {
 public:
  explicit CallsPerStep(const std::vector<CountedStep>& steps) : steps_(&steps), hit_(steps.size(), false) {}
  void Add(int64_t time_ns) {
    const auto after = std::upper_bound(steps_->begin(), steps_->end(), time_ns,
                                        [](int64_t time, const CountedStep& step) { return time < step.begin_ns; });
    if (after == steps_->begin() || time_ns >= (after - 1)->end_ns) return;
    hit_[static_cast<size_t>(after - steps_->begin()) - 1] = true;
    ++calls_;
  }
  void Finish(AllocatorChurn* out) const {
    if (steps_->empty()) return;
    out->calls_per_step = static_cast<double>(calls_) / static_cast<double>(steps_->size());
    out->steps_with_calls = static_cast<uint64_t>(std::count(hit_.begin(), hit_.end(), true));
  }

 private:
  const std::vector<CountedStep>* steps_;
  std::vector<bool> hit_;
  uint64_t calls_ = 0;
};

AllocatorChurn CountChurn(const Index& index, const Scope& scope, const std::vector<CountedStep>& steps,
                          uint32_t steps_domain) {
  const model::Trace& trace = index.trace();
  AllocatorChurn out;
  CallsPerStep per_step(steps);
  uint32_t first_host_alloc = kNone;
  const auto earlier = [&](uint32_t row, uint32_t than) {
    return than == kNone || trace.host.start_ns[row] < trace.host.start_ns[than];
  };
  for (uint32_t row = 0; row < trace.host.size(); ++row) {
    if (!index.is_call(row) || !scope.window.Contains(trace.host.start_ns[row])) continue;
    const CallKind kind = index.call_kind(row);
    if (!IsAllocator(kind)) continue;
    // A driver call inside a runtime call is the same allocation.
    const uint32_t parent = trace.host.parent[row];
    if (parent != kNone && index.is_call(parent) && IsAllocator(index.call_kind(parent))) continue;
    const uint32_t domain = trace.HostDomain(row);
    if (scope.link_domain && domain != *scope.link_domain) continue;
    const int64_t dur_ns = trace.host.dur_ns[row];
    if (kind == CallKind::kHostAlloc) {
      ++out.host_alloc_calls;
      out.host_alloc_ns = SaturatingAdd(out.host_alloc_ns, dur_ns);
      if (earlier(row, first_host_alloc)) first_host_alloc = row;
      continue;
    }
    ++(kind == CallKind::kDeviceAlloc ? out.alloc_calls : out.free_calls);
    int64_t& total_ns = kind == CallKind::kDeviceAlloc ? out.alloc_ns : out.free_ns;
    total_ns = SaturatingAdd(total_ns, dur_ns);
    if (earlier(row, out.first_row)) out.first_row = row;
    if (steps_domain == kNone || domain == steps_domain) per_step.Add(trace.host.start_ns[row]);
  }
  if (out.first_row == kNone) out.first_row = first_host_alloc;
  per_step.Finish(&out);
  return out;
}

}  // namespace

MemoryUsage SummarizeMemory(const Index& index, const Scope& scope, const Steps* steps) {
  const model::Trace& trace = index.trace();
  const std::vector<CountedStep> counted = CountedSteps(steps);
  const uint32_t steps_domain = DomainOfSteps(trace, steps);
  MemoryUsage out;
  out.churn = CountChurn(index, scope, counted, steps_domain);
  if (trace.memory.empty()) return out;

  MemoryLevels levels(index, scope);
  std::vector<Account> accounts(trace.devices.size() + 1, Account(counted));
  for (const MemoryEvent& event : trace.memory) {
    if (!levels.InScope(event)) continue;
    Account& account = accounts[std::min<size_t>(event.device, trace.devices.size())];
    account.memory.device = event.device;
    const uint32_t domain = levels.DomainOf(event);
    account.in_domain |= steps_domain == kNone || domain == kNone || domain == steps_domain;
    const MemoryLevel before = levels.Of(event.device);
    const MemoryLevel& after = levels.Apply(event);
    account.levels.Change(event.time_ns, before.allocated_bytes, after.allocated_bytes);
    if (scope.window.Contains(event.time_ns)) Count(event, before, after, &account);
  }
  for (Account& account : accounts) {
    if (account.memory.events == 0) continue;
    // Steps of one rank say nothing about another rank's device.
    if (account.in_domain) account.levels.Finish(levels.Of(account.memory.device).allocated_bytes, &account.memory);
    Conclude(trace, &account);
    out.devices.push_back(std::move(account.memory));
  }
  return out;
}

std::vector<MemoryPoint> MemoryTimeline(const Index& index, uint32_t device, const Scope& scope, size_t max_points) {
  Scope levels_scope = scope;
  levels_scope.device = device;
  MemoryLevels levels(index, levels_scope);
  std::vector<MemoryPoint> points;
  for (const MemoryEvent& event : index.trace().memory) {
    if (!levels.InScope(event)) continue;
    const MemoryLevel& level = levels.Apply(event);
    if (scope.window.Contains(event.time_ns))
      points.push_back({event.time_ns, level.allocated_bytes, level.reserved_bytes});
  }
  max_points = std::max<size_t>(max_points, 2);
  if (points.size() <= max_points) return points;
  // Each of max_points / 2 runs of points leaves its lowest and its highest.
  const size_t runs = max_points / 2;
  std::vector<MemoryPoint> thinned;
  thinned.reserve(runs * 2);
  for (size_t run = 0; run < runs; ++run) {
    const auto begin = points.begin() + static_cast<int64_t>(points.size() * run / runs);
    const auto end = points.begin() + static_cast<int64_t>(points.size() * (run + 1) / runs);
    const auto [low, high] = std::minmax_element(
        begin, end, [](const MemoryPoint& a, const MemoryPoint& b) { return a.allocated_bytes < b.allocated_bytes; });
    thinned.push_back(*std::min(low, high));
    if (low != high) thinned.push_back(*std::max(low, high));
  }
  return thinned;
}

}  // namespace warpscope::analysis
