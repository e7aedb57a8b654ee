#include "analysis/kernels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <unordered_map>

#include "analysis/device_time.h"
#include "analysis/distribution.h"

namespace warpscope::analysis {
namespace {

using model::GpuKind;
using model::kNone;
using model::LaunchConfig;

bool InScope(const model::Trace& trace, uint32_t row, const Scope& scope) {
  if (trace.gpu.kind[row] != GpuKind::kKernel && trace.gpu.kind[row] != GpuKind::kGraphLaunch) return false;
  const model::Stream& stream = trace.streams[trace.gpu.stream[row]];
  if (scope.device && stream.device != *scope.device) return false;
  if (scope.link_domain && stream.link_domain != *scope.link_domain) return false;
  return scope.window.Contains(trace.gpu.start_ns[row]);
}

// Launch configurations that differ only in their graph node are one geometry.
std::vector<uint32_t> GeometryOfConfig(const model::Trace& trace) {
  std::map<std::array<uint64_t, 8>, uint32_t> ids;
  std::vector<uint32_t> out;
  out.reserve(trace.launch_configs.size());
  for (const LaunchConfig& c : trace.launch_configs) {
    const uint64_t none = UINT64_MAX;
    const std::array<uint64_t, 8> key = {c.grid[0],
                                         c.grid[1],
                                         c.grid[2],
                                         c.block[0],
                                         c.block[1],
                                         c.block[2],
                                         c.registers_per_thread ? *c.registers_per_thread : none,
                                         c.shared_bytes ? *c.shared_bytes : none};
    out.push_back(ids.try_emplace(key, static_cast<uint32_t>(ids.size())).first->second);
  }
  return out;
}

struct Geometry {
  uint32_t config = kNone;  // row of launch_configs
  int64_t total_ns = 0;
};

struct Group {
  uint32_t first_row = 0, longest_row = 0;
  std::vector<int64_t> durations;
  std::unordered_map<uint32_t, Geometry> geometries;
  double occupancy_weighted = 0;
  int64_t occupancy_ns = 0;
};

void AddRow(const model::Trace& trace, const std::vector<uint32_t>& geometry_of, uint32_t row, Group* group) {
  const int64_t dur = trace.gpu.dur_ns[row];
  if (group->durations.empty()) group->first_row = group->longest_row = row;
  if (dur > trace.gpu.dur_ns[group->longest_row]) group->longest_row = row;
  group->durations.push_back(dur);
  const LaunchConfig* config = trace.Launch(row);
  if (config == nullptr) return;
  if (config->block[0] > 0) {
    Geometry& geometry = group->geometries[geometry_of[trace.gpu.detail[row]]];
    geometry.config = std::min(geometry.config, trace.gpu.detail[row]);
    geometry.total_ns += dur;
  }
  if (config->recorded_occupancy_pct) {
    group->occupancy_weighted += static_cast<double>(*config->recorded_occupancy_pct) * static_cast<double>(dur);
    group->occupancy_ns += dur;
  }
}

void FillGeometry(const model::Trace& trace, const Group& group, int64_t total_ns, KernelRow* out) {
  const Geometry* best = nullptr;
  for (const auto& [id, geometry] : group.geometries) {
    const bool better = best == nullptr || geometry.total_ns > best->total_ns ||
                        (geometry.total_ns == best->total_ns && geometry.config < best->config);
    if (better) best = &geometry;
  }
  if (best == nullptr) return;
  out->config = trace.launch_configs[best->config];
  out->config_count = static_cast<uint32_t>(group.geometries.size());
  out->config_share_pct =
      total_ns > 0 ? 100.0 * static_cast<double>(best->total_ns) / static_cast<double>(total_ns) : 100.0;
  const model::Device& device = trace.devices[trace.streams[trace.gpu.stream[group.first_row]].device];
  const std::optional<Waves> waves = LaunchWaves(device, *out->config);
  if (!waves) return;
  out->occupancy = waves->occupancy;
  if (waves->waves > 0) {
    out->waves_per_sm = waves->waves;
    out->tail_efficiency_ratio = waves->tail_efficiency_ratio;
  }
}

struct Totals {
  int64_t kernel_ns = 0, busy_ns = 0, window_ns = 0;
};

Totals SumUp(const Index& index, const Scope& scope) {
  Totals totals;
  for (const DeviceTime& device : DeviceTimes(index, scope)) {
    totals.busy_ns += device.busy_ns;
    totals.window_ns += device.end_ns - device.begin_ns;
  }
  const model::Trace& trace = index.trace();
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    if (InScope(trace, row, scope)) totals.kernel_ns += trace.gpu.dur_ns[row];
  }
  return totals;
}

double Percent(int64_t part, int64_t whole) {
  return whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}

KernelRow ToRow(const Index& index, Group& group, const Totals& totals) {
  const model::Trace& trace = index.trace();
  KernelRow row;
  row.name = trace.gpu.name[group.first_row];
  row.short_name = ShortKernelName(trace.Text(row.name));
  row.kernel_class = index.kernel_class(group.first_row);
  const Distribution d = Distribute(std::move(group.durations));
  row.count = d.count;
  row.total_ns = d.sum_ns;
  row.min_ns = d.min_ns;
  row.max_ns = d.max_ns;
  row.mean_ns = d.mean_ns;
  row.median_ns = d.median_ns;
  row.stddev_ns = d.stddev_ns;
  row.share_of_kernels_pct = Percent(row.total_ns, totals.kernel_ns);
  if (totals.busy_ns > 0) row.share_of_busy_pct = Percent(row.total_ns, totals.busy_ns);
  if (totals.window_ns > 0) row.share_of_window_pct = Percent(row.total_ns, totals.window_ns);
  row.first_row = group.first_row;
  row.longest_row = group.longest_row;
  FillGeometry(trace, group, row.total_ns, &row);
  if (group.occupancy_ns > 0)
    row.recorded_occupancy_pct = group.occupancy_weighted / static_cast<double>(group.occupancy_ns);
  return row;
}

}  // namespace

std::optional<Waves> LaunchWaves(const model::Device& device, const LaunchConfig& config) {
  const std::optional<SmLimits> limits = LimitsOf(device);
  const uint64_t threads = uint64_t{config.block[0]} * config.block[1] * config.block[2];
  if (!limits || !config.registers_per_thread || threads == 0 || threads > 1U << 20) return std::nullopt;
  Waves out;
  out.occupancy = ComputeOccupancy(
      *limits, {static_cast<uint32_t>(threads), *config.registers_per_thread, config.shared_bytes.value_or(0)});
  out.blocks = uint64_t{config.grid[0]} * config.grid[1] * config.grid[2];
  const uint64_t resident = uint64_t{device.sm_count.value_or(0)} * out.occupancy.active_blocks_per_sm;
  if (resident > 0 && out.blocks > 0) {
    out.waves = static_cast<double>(out.blocks) / static_cast<double>(resident);
    out.tail_efficiency_ratio = out.waves / std::ceil(out.waves);
  }
  return out;
}

std::vector<KernelRow> SummarizeKernels(const Index& index, const Scope& scope, const KernelOptions& options) {
  const model::Trace& trace = index.trace();
  const std::vector<uint32_t> geometry_of = GeometryOfConfig(trace);
  std::unordered_map<uint64_t, uint32_t> slots;
  std::vector<Group> groups;
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    if (!InScope(trace, row, scope)) continue;
    uint64_t key = trace.gpu.name[row];
    if (options.by_geometry)
      key |= uint64_t{trace.Launch(row) == nullptr ? kNone : geometry_of[trace.gpu.detail[row]]} << 32;
    const auto [it, fresh] = slots.try_emplace(key, static_cast<uint32_t>(groups.size()));
    if (fresh) groups.emplace_back();
    AddRow(trace, geometry_of, row, &groups[it->second]);
  }
  const Totals totals = SumUp(index, scope);
  std::vector<KernelRow> out;
  for (Group& group : groups) out.push_back(ToRow(index, group, totals));
  std::sort(out.begin(), out.end(), [&](const KernelRow& a, const KernelRow& b) {
    if (a.total_ns != b.total_ns) return a.total_ns > b.total_ns;
    if (a.name != b.name) return trace.Text(a.name) < trace.Text(b.name);
    return a.first_row < b.first_row;
  });
  return out;
}

std::vector<KernelCategoryRow> SummarizeKernelCategories(const Index& index, const Scope& scope) {
  const model::Trace& trace = index.trace();
  std::map<KernelCategory, KernelCategoryRow> rows;
  int64_t total_ns = 0;
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    if (!InScope(trace, row, scope)) continue;
    KernelCategoryRow& out = rows[index.kernel_class(row).category];
    out.category = index.kernel_class(row).category;
    ++out.count;
    out.total_ns += trace.gpu.dur_ns[row];
    total_ns += trace.gpu.dur_ns[row];
  }
  std::vector<KernelCategoryRow> out;
  for (auto& [category, row] : rows) {
    row.share_of_kernels_pct = Percent(row.total_ns, total_ns);
    out.push_back(row);
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.total_ns > b.total_ns; });
  return out;
}

}  // namespace warpscope::analysis
