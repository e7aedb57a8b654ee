#include "analysis/copies.h"

#include <algorithm>
#include <array>
#include <map>

#include "analysis/call_tree.h"
#include "analysis/device_time.h"

namespace warpscope::analysis {
namespace {

using model::CopyKind;
using model::GpuKind;
using model::kNone;
using model::MemoryKind;

constexpr uint64_t kSmallBytes = 64 << 10;
constexpr uint64_t kBigBytes = 1 << 20;
constexpr int64_t kHeldSlackNs = 30'000;  // a call may return this long before the recorded end of its copy
constexpr int64_t kAtOnceNs = 30'000;     // from a copy call's return to the synchronisation that belongs to it
constexpr uint32_t kMaxRowsAhead = 256;   // host rows looked at for it: odd files put all rows at one moment

bool IsCopyRow(const model::Trace& trace, uint32_t row) {
  return trace.gpu.kind[row] == GpuKind::kCopy || trace.gpu.kind[row] == GpuKind::kMemset;
}

bool InScope(const model::Trace& trace, uint32_t row, const Scope& scope) {
  const model::Stream& stream = trace.streams[trace.gpu.stream[row]];
  if (scope.device && stream.device != *scope.device) return false;
  if (scope.link_domain && stream.link_domain != *scope.link_domain) return false;
  return scope.window.Contains(trace.gpu.start_ns[row]);
}

double Bandwidth(uint64_t bytes, int64_t dur_ns) {
  return static_cast<double>(bytes) * 1e9 / static_cast<double>(dur_ns);
}

// Best bandwidth of one direction over copies that are long enough to show the link's.
struct Best {
  double big = 0, any = 0;
  void Add(uint64_t bytes, int64_t dur_ns) {
    if (dur_ns <= 0) return;
    const double value = Bandwidth(bytes, dur_ns);
    any = std::max(any, value);
    if (bytes >= kBigBytes) big = std::max(big, value);
  }
  double value() const { return big > 0 ? big : any; }
};

struct Sum {
  CopyRow row;
  std::vector<int64_t> durations;
  std::vector<uint64_t> sizes;
  uint64_t timed_bytes = 0;
  int64_t timed_ns = 0;
  Best best;
};

template <typename T>
T MedianOf(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void AddRow(const Index& index, uint32_t gpu_row, const IntervalSet& kernels, Sum* sum) {
  const model::Trace& trace = index.trace();
  CopyRow& row = sum->row;
  const int64_t dur = trace.gpu.dur_ns[gpu_row];
  if (row.count++ == 0) row.first_row = row.longest_row = gpu_row;
  if (dur > trace.gpu.dur_ns[row.longest_row]) row.longest_row = gpu_row;
  row.total_ns += dur;
  sum->durations.push_back(dur);
  const model::CopyDetail* detail = trace.Copy(gpu_row);
  if (detail != nullptr && detail->bytes) {
    const uint64_t bytes = *detail->bytes;
    ++row.sized_count;
    row.bytes = row.bytes.value_or(0) + bytes;
    row.small_count += bytes < kSmallBytes;
    sum->sizes.push_back(bytes);
    sum->best.Add(bytes, dur);
    if (dur > 0) {
      sum->timed_bytes += bytes;
      sum->timed_ns += dur;
    }
  }
  row.overlapped_ns += kernels.LengthWithin(trace.gpu.start_ns[gpu_row], trace.gpu.end_ns(gpu_row));
  if (row.is_memset) return;
  const CopyBlocking blocking = BlockingOf(index, gpu_row);
  row.synchronous_count += blocking.blocked;
  row.host_blocked_ns += blocking.blocked_ns;
}

void Finish(Sum* sum, const Best& link) {
  CopyRow& row = sum->row;
  row.mean_ns = static_cast<double>(row.total_ns) / static_cast<double>(row.count);
  row.median_ns = static_cast<double>(MedianOf(sum->durations));
  row.min_ns = sum->durations.front();
  row.max_ns = sum->durations.back();
  if (!sum->sizes.empty()) {
    row.median_bytes = MedianOf(sum->sizes);
    row.min_bytes = sum->sizes.front();
    row.max_bytes = sum->sizes.back();
  }
  if (sum->timed_ns > 0) row.bandwidth_bytes_per_s = Bandwidth(sum->timed_bytes, sum->timed_ns);
  if (sum->best.value() > 0) row.best_bandwidth_bytes_per_s = sum->best.value();
  if (!row.is_memset && row.bandwidth_bytes_per_s && link.big > 0)
    row.link_use_pct = 100 * *row.bandwidth_bytes_per_s / link.big;
  if (row.total_ns > 0)
    row.overlapped_pct = 100.0 * static_cast<double>(row.overlapped_ns) / static_cast<double>(row.total_ns);
}

using Key = std::tuple<bool, CopyKind, MemoryKind, MemoryKind>;

Key KeyOf(const model::Trace& trace, uint32_t row) {
  const model::CopyDetail* detail = trace.Copy(row);
  const model::CopyDetail none;
  if (detail == nullptr) detail = &none;
  return {trace.gpu.kind[row] == GpuKind::kMemset, detail->kind, detail->src, detail->dst};
}

}  // namespace

bool CallHeldByCopy(const Index& index, uint32_t gpu_row) {
  const model::Trace& trace = index.trace();
  const uint32_t call = trace.gpu.call[gpu_row];
  if (call == kNone || trace.gpu.kind[gpu_row] != GpuKind::kCopy) return false;
  const model::CopyDetail* detail = trace.Copy(gpu_row);
  const CopyKind kind = detail == nullptr ? CopyKind::kUnknown : detail->kind;
  if (kind == CopyKind::kDeviceToDevice || kind == CopyKind::kPeerToPeer) return false;
  if (trace.host.end_ns(call) < trace.gpu.end_ns(gpu_row) - kHeldSlackNs) return false;
  // The device may be so fast, or the call so slow, that the copy is over before the call returns: that alone is no
  // wait. Synchronous forms and pageable memory make it one.
  if (index.call_kind(call) == CallKind::kCopySync) return true;
  return detail != nullptr && (detail->src == MemoryKind::kPageable || detail->dst == MemoryKind::kPageable);
}

CopyBlocking BlockingOf(const Index& index, uint32_t gpu_row) {
  const model::Trace& trace = index.trace();
  CopyBlocking out;
  const uint32_t call = trace.gpu.call[gpu_row];
  if (call == kNone || trace.gpu.kind[gpu_row] != GpuKind::kCopy) return out;
  if (CallHeldByCopy(index, gpu_row)) {
    out.blocked = true;
    out.blocked_ns = trace.host.dur_ns[call];
  }
  // A stream or device synchronisation that follows at once on the same thread.
  const uint32_t stop = trace.thread_rows[trace.host.thread[call]].end;
  const int64_t returned = trace.host.end_ns(call);
  uint32_t looked_at = 0;
  for (uint32_t row = call + 1; row < stop && trace.host.start_ns[row] <= returned + kAtOnceNs; ++row) {
    if (++looked_at > kMaxRowsAhead) break;
    if (!index.is_call(row) || trace.host.start_ns[row] < returned) continue;
    const CallKind kind = index.call_kind(row);
    if (Issues(kind)) break;
    if (kind != CallKind::kStreamSync && kind != CallKind::kDeviceSync) continue;
    if (trace.host.end_ns(row) < trace.gpu.end_ns(gpu_row)) break;
    out.blocked = true;
    out.sync_call = row;
    out.blocked_ns = std::max(out.blocked_ns, trace.host.dur_ns[call]) + trace.host.dur_ns[row];
    break;
  }
  return out;
}

std::vector<CopyRow> SummarizeCopies(const Index& index, const Scope& scope) {
  const model::Trace& trace = index.trace();
  std::map<Key, Sum> sums;
  std::map<CopyKind, Best> links;
  std::map<uint32_t, IntervalSet> kernels;  // by device
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    if (!IsCopyRow(trace, row)) continue;
    const model::CopyDetail* detail = trace.Copy(row);
    // Of the whole trace. Pageable copies are slowed by staging and say nothing about the link.
    const bool pageable =
        detail != nullptr && (detail->src == MemoryKind::kPageable || detail->dst == MemoryKind::kPageable);
    if (trace.gpu.kind[row] == GpuKind::kCopy && detail != nullptr && detail->bytes && !pageable) {
      links[detail->kind].Add(*detail->bytes, trace.gpu.dur_ns[row]);
    }
    if (!InScope(trace, row, scope)) continue;
    const uint32_t device = trace.streams[trace.gpu.stream[row]].device;
    auto it = kernels.find(device);
    if (it == kernels.end()) {
      Scope whole;
      whole.device = device;
      it = kernels.emplace(device, GpuIntervals(index, whole, GpuClass::kKernel)).first;
    }
    const Key key = KeyOf(trace, row);
    Sum& sum = sums[key];
    std::tie(sum.row.is_memset, sum.row.kind, sum.row.src, sum.row.dst) = key;
    AddRow(index, row, it->second, &sum);
  }
  std::vector<CopyRow> out;
  for (auto& [key, sum] : sums) {
    Finish(&sum, links[sum.row.kind]);
    out.push_back(std::move(sum.row));
  }
  std::stable_sort(out.begin(), out.end(), [](const CopyRow& a, const CopyRow& b) { return a.total_ns > b.total_ns; });
  return out;
}

std::vector<CopyCallerRow> CopiesByCaller(const Index& index, const Scope& scope) {
  const model::Trace& trace = index.trace();
  using CallerKey = std::tuple<CopyKind, MemoryKind, MemoryKind, std::string>;
  std::map<CallerKey, CopyCallerRow> rows;
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    if (trace.gpu.kind[row] != GpuKind::kCopy || !InScope(trace, row, scope)) continue;
    const auto [memset, kind, src, dst] = KeyOf(trace, row);
    const uint32_t call = trace.gpu.call[row];
    const std::string caller = call == kNone ? std::string() : CallerText(index, call);
    CopyCallerRow& out = rows[{kind, src, dst, caller}];
    if (out.count++ == 0) {
      out.kind = kind;
      out.src = src;
      out.dst = dst;
      out.caller = caller;
      out.first_row = row;
    }
    const model::CopyDetail* detail = trace.Copy(row);
    if (detail != nullptr) out.bytes += detail->bytes.value_or(0);
    out.total_ns += trace.gpu.dur_ns[row];
    out.host_blocked_ns += BlockingOf(index, row).blocked_ns;
  }
  std::vector<CopyCallerRow> out;
  for (auto& [key, row] : rows) out.push_back(std::move(row));
  std::stable_sort(out.begin(), out.end(),
                   [](const CopyCallerRow& a, const CopyCallerRow& b) { return a.total_ns > b.total_ns; });
  return out;
}

std::string_view CopyKindText(CopyKind kind) {
  constexpr std::array<std::string_view, 6> kNames = {"unknown",          "host to device", "device to host",
                                                      "device to device", "host to host",   "peer to peer"};
  return kNames[static_cast<size_t>(kind)];
}

std::string_view MemoryKindText(MemoryKind kind) {
  constexpr std::array<std::string_view, 6> kNames = {"unknown", "pageable", "pinned", "device", "managed", "array"};
  return kNames[static_cast<size_t>(kind)];
}

}  // namespace warpscope::analysis
