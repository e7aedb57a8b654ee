#include "analysis/attribution_overlap.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace warpscope::analysis {
namespace {

// Time in which kernels overlap, of a sample, beyond which the sample counts as concurrent: edges of consecutive
// kernels overlap by some hundred nanoseconds when launches are chained.
constexpr double kConcurrentShare = 0.05;

using GroupKey = std::tuple<model::GpuKind, model::StringId, std::array<uint32_t, 6>>;

// Group of each row of gpu.
std::vector<uint32_t> GroupRows(const model::Trace& trace, std::vector<WorkGroup>* groups) {
  std::map<GroupKey, uint32_t> numbers;
  std::vector<uint32_t> group_of(trace.gpu.size());
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    std::array<uint32_t, 6> geometry{};
    if (const model::LaunchConfig* config = trace.Launch(row)) {
      for (size_t i = 0; i < 3; ++i) geometry[i] = config->grid[i], geometry[i + 3] = config->block[i];
    }
    const GroupKey key(trace.gpu.kind[row], trace.gpu.name[row], geometry);
    const auto [it, is_new] = numbers.try_emplace(key, static_cast<uint32_t>(groups->size()));
    if (is_new) {
      const bool kernel = trace.gpu.kind[row] == model::GpuKind::kKernel;
      groups->push_back(
          {trace.gpu.kind[row], trace.gpu.name[row], kernel ? trace.gpu.detail[row] : model::kNone, 0, 0});
    }
    group_of[row] = it->second;
    WorkGroup& group = (*groups)[it->second];
    ++group.rows;
    group.total_ns += trace.gpu.dur_ns[row];
  }
  return group_of;
}

struct Placed {
  int64_t start_ns, end_ns;
  uint32_t sample, window;
};

// Samples of one device in order of time.
std::vector<Placed> SamplesOf(const model::Trace& trace, uint32_t device) {
  std::vector<Placed> samples;
  for (uint32_t row = 0; row < trace.counter_windows.size(); ++row) {
    const model::CounterWindow& window = trace.counter_windows[row];
    if (window.device != device) continue;
    for (uint32_t sample = window.sample_begin; sample < window.sample_end; ++sample) {
      const model::DeviceSample& of = trace.device_samples[sample];
      samples.push_back({of.start_ns, of.start_ns + of.dur_ns, sample, row});
    }
  }
  std::stable_sort(samples.begin(), samples.end(),
                   [](const Placed& a, const Placed& b) { return a.start_ns < b.start_ns; });
  return samples;
}

class Sweep {
 public:
  Sweep(const model::Trace& trace, const std::vector<uint32_t>& group_of, Overlaps* out)
      : trace_(trace), group_of_(group_of), out_(*out), share_of_(out->groups.size(), 0) {}

  void Run(uint32_t device) {
    const std::vector<Placed> samples = SamplesOf(trace_, device);
    if (samples.empty()) return;
    std::vector<uint32_t> active;
    uint32_t next = 0;
    for (const Placed& sample : samples) {
      for (; next < trace_.gpu.size() && trace_.gpu.start_ns[next] < sample.end_ns; ++next) {
        if (trace_.streams[trace_.gpu.stream[next]].device == device && trace_.gpu.end_ns(next) > sample.start_ns)
          active.push_back(next);
      }
      std::erase_if(active, [&](uint32_t row) { return trace_.gpu.end_ns(row) <= sample.start_ns; });
      Add(sample, active);
    }
  }

 private:
  // `active` is in order of start.
  void Add(const Placed& sample, const std::vector<uint32_t>& active) {
    const auto length = static_cast<double>(sample.end_ns - sample.start_ns);
    int64_t any_until = sample.start_ns, kernels_until = sample.start_ns;
    int64_t any_ns = 0, kernel_union_ns = 0, kernel_sum_ns = 0;
    touched_.clear();
    for (const uint32_t row : active) {
      const int64_t begin = std::max(trace_.gpu.start_ns[row], sample.start_ns);
      const int64_t end = std::min(trace_.gpu.end_ns(row), sample.end_ns);
      if (end <= begin) continue;
      any_ns += std::max<int64_t>(0, end - std::max(begin, any_until));
      any_until = std::max(any_until, end);
      if (trace_.gpu.kind[row] != model::GpuKind::kCopy) {
        kernel_sum_ns += end - begin;
        kernel_union_ns += std::max<int64_t>(0, end - std::max(begin, kernels_until));
        kernels_until = std::max(kernels_until, end);
      }
      const uint32_t group = group_of_[row];
      if (share_of_[group] == 0) touched_.push_back(group);
      share_of_[group] += static_cast<double>(end - begin) / length;
    }
    SampleRow row{sample.sample, sample.window, out_.shares.size(), static_cast<float>(any_ns / length)};
    row.concurrent = static_cast<double>(kernel_sum_ns - kernel_union_ns) > kConcurrentShare * length;
    for (const uint32_t group : touched_) {
      out_.shares.push_back({group, static_cast<float>(share_of_[group])});
      share_of_[group] = 0;
    }
    out_.rows.push_back(row);
  }

  const model::Trace& trace_;
  const std::vector<uint32_t>& group_of_;
  Overlaps& out_;
  std::vector<double> share_of_;
  std::vector<uint32_t> touched_;
};

}  // namespace

Overlaps FindOverlaps(const model::Trace& trace) {
  Overlaps out;
  if (trace.device_samples.empty()) return out;
  const std::vector<uint32_t> group_of = GroupRows(trace, &out.groups);
  Sweep sweep(trace, group_of, &out);
  for (uint32_t device = 0; device < trace.devices.size(); ++device) sweep.Run(device);
  return out;
}

}  // namespace warpscope::analysis
