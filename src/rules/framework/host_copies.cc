#include "rules/framework/host_copies.h"

#include <algorithm>
#include <map>

#include "analysis/call_tree.h"
#include "analysis/device_time.h"
#include "rules/build.h"

namespace warpscope::rules {

using model::CopyKind;
using model::kNone;
using model::MemoryKind;

std::vector<HostCopy> HostCopies(const Context& c) {
  std::vector<HostCopy> copies;
  for (const uint32_t row : c.gpu_rows) {
    if (c.trace.gpu.kind[row] != model::GpuKind::kCopy || c.trace.gpu.call[row] == kNone) continue;
    const model::CopyDetail* detail = c.trace.Copy(row);
    if (detail == nullptr) continue;
    const bool up = detail->kind == CopyKind::kHostToDevice;
    if (!up && detail->kind != CopyKind::kDeviceToHost) continue;
    if (c.index.call_kind(c.trace.gpu.call[row]) == analysis::CallKind::kGraphLaunch) continue;
    HostCopy copy{row, detail->kind, up ? detail->src : detail->dst, detail->bytes, false, {}};
    copy.small = copy.bytes ? *copy.bytes <= kSmallCopyBytes : c.trace.gpu.dur_ns[row] <= kSmallCopyNs;
    copy.blocking = analysis::BlockingOf(c.index, row);
    copies.push_back(copy);
  }
  return copies;
}

analysis::IntervalSet KernelIntervals(const Context& c) {
  analysis::IntervalSet kernels;
  for (const uint32_t row : c.gpu_rows) {
    const model::GpuKind kind = c.trace.gpu.kind[row];
    if (kind != model::GpuKind::kKernel && kind != model::GpuKind::kGraphLaunch) continue;
    kernels.Append(std::max(c.begin_ns, c.trace.gpu.start_ns[row]), std::min(c.end_ns, c.trace.gpu.end_ns(row)));
  }
  return kernels;
}

int64_t AloneNs(const Context& c, uint32_t gpu_row, const analysis::IntervalSet& kernels) {
  return c.trace.gpu.dur_ns[gpu_row] - kernels.LengthWithin(c.trace.gpu.start_ns[gpu_row], c.trace.gpu.end_ns(gpu_row));
}

namespace {

constexpr uint64_t kRateBytes = 1 << 20;
constexpr double kLinkShare = 0.85;

// PCIe x16 by the generation that this device generation is sold with; boards whose name says that CPU and GPU share
// a package are linked by NVLink-C2C (450 GB/s each way).
double LinkBytesPerS(const Context& c) {
  if (c.device == kNone) return 31.5e9;
  const model::Device& device = c.trace.devices[c.device];
  for (const std::string_view name : {"GH200", "GB200", "GB300", "GB10"}) {
    if (device.name.find(name) != std::string::npos) return 450e9;
  }
  if (!device.cc_major) return 31.5e9;
  if (*device.cc_major < 8) return 15.75e9;
  return *device.cc_major < 9 ? 31.5e9 : 63e9;
}

}  // namespace

LinkRate PinnedRate(const Context& c, const std::vector<HostCopy>& copies, CopyKind kind) {
  double best = 0;
  for (const HostCopy& copy : copies) {
    if (copy.kind != kind || copy.memory != MemoryKind::kPinned || copy.bytes.value_or(0) < kRateBytes) continue;
    const int64_t ns = c.trace.gpu.dur_ns[copy.row];
    if (ns > 0) best = std::max(best, static_cast<double>(*copy.bytes) * 1e9 / static_cast<double>(ns));
  }
  return best > 0 ? LinkRate{best, true} : LinkRate{kLinkShare * LinkBytesPerS(c), false};
}

int64_t Scaled(int64_t ns, double factor) {
  constexpr double kMost = 3e18;
  return static_cast<int64_t>(std::clamp(static_cast<double>(ns) * factor, 0.0, kMost));
}

int64_t PinnedNs(const Context& c, const HostCopy& copy, const LinkRate& rate) {
  const int64_t recorded = c.trace.gpu.dur_ns[copy.row];
  if (!copy.bytes) return recorded;
  return std::min(recorded, Scaled(1, static_cast<double>(*copy.bytes) * 1e9 / rate.bytes_per_s) + 2'000);
}

std::vector<CopyGroup> GroupByCaller(const Context& c, const std::vector<HostCopy>& copies) {
  std::map<std::string, CopyGroup> groups;
  for (const HostCopy& copy : copies) {
    const std::string caller = Place(c, c.trace.gpu.call[copy.row]);
    CopyGroup& group = groups[caller];
    if (group.count == 0) group.caller = caller, group.first_row = copy.row;
    ++group.count;
    group.bytes += copy.bytes.value_or(0);
    group.total_ns += c.trace.gpu.dur_ns[copy.row];
  }
  std::vector<CopyGroup> sorted;
  for (auto& [caller, group] : groups) sorted.push_back(std::move(group));
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const CopyGroup& a, const CopyGroup& b) { return a.total_ns > b.total_ns; });
  return sorted;
}

}  // namespace warpscope::rules
