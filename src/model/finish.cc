// Trace::Finish(): sort, nest, link. See trace.h.
#include <algorithm>
#include <numeric>
#include <thread>
#include <unordered_map>

#include "model/trace.h"

namespace warpscope::model {
namespace {

template <typename Less>
std::vector<uint32_t> SortedOrder(uint32_t count, const Less& less) {
  std::vector<uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  if (!std::is_sorted(order.begin(), order.end(), less)) std::stable_sort(order.begin(), order.end(), less);
  return order;
}

bool IsIdentity(const std::vector<uint32_t>& order, size_t count) {
  if (order.size() != count) return false;
  for (uint32_t i = 0; i < order.size(); ++i) {
    if (order[i] != i) return false;
  }
  return true;
}

// Row i becomes what was row order[i]; rows that are not in `order` are dropped.
template <typename Table>
void Permute(Table& table, const std::vector<uint32_t>& order) {
  if (IsIdentity(order, table.size())) return;
  table.VisitColumns([&](auto& column) {
    if (column.empty()) return;
    std::remove_reference_t<decltype(column)> sorted(order.size());
    for (size_t i = 0; i < order.size(); ++i) sorted[i] = column[order[i]];
    column.swap(sorted);
  });
}

// Where each of `count` old rows is now; kNone if it was dropped.
std::vector<uint32_t> Inverse(const std::vector<uint32_t>& order, uint32_t count) {
  std::vector<uint32_t> inverse(count, kNone);
  for (uint32_t i = 0; i < order.size(); ++i) inverse[order[i]] = i;
  return inverse;
}

std::vector<uint32_t> SortHost(Trace& trace) {
  HostTable& host = trace.host;
  auto order = SortedOrder(host.size(), [&](uint32_t a, uint32_t b) {
    if (host.thread[a] != host.thread[b]) return host.thread[a] < host.thread[b];
    if (host.start_ns[a] != host.start_ns[b]) return host.start_ns[a] < host.start_ns[b];
    if (host.dur_ns[a] != host.dur_ns[b]) return host.dur_ns[a] > host.dur_ns[b];
    return host.kind[a] < host.kind[b];
  });
  Permute(host, order);
  trace.thread_rows.assign(trace.threads.size(), {});
  for (uint32_t row = 0; row < host.size();) {
    const uint32_t thread = host.thread[row];
    uint32_t end = row;
    while (end < host.size() && host.thread[end] == thread) ++end;
    trace.thread_rows[thread] = {row, end};
    row = end;
  }
  return order;
}

// Nesting by containment, O(n). A span that only partly overlaps its predecessor is no child of it: the predecessor is
// closed, and the nearest span that holds the new one whole becomes the parent.
void NestThread(HostTable& host, Trace::RowRange rows) {
  std::vector<uint32_t> open;
  for (uint32_t row = rows.begin; row < rows.end; ++row) {
    while (!open.empty() && host.end_ns(open.back()) < host.end_ns(row)) open.pop_back();
    host.parent[row] = open.empty() ? kNone : open.back();
    open.push_back(row);
  }
}

bool SameDetail(const Trace& trace, uint32_t a, uint32_t b) {
  const uint32_t detail_a = trace.gpu.detail[a], detail_b = trace.gpu.detail[b];
  if (detail_a == detail_b) return true;
  if (detail_a == kNone || detail_b == kNone) return false;
  return trace.gpu.kind[a] == GpuKind::kKernel ? trace.launch_configs[detail_a] == trace.launch_configs[detail_b]
                                               : trace.copy_details[detail_a] == trace.copy_details[detail_b];
}

bool SameGpuRecord(const Trace& trace, uint32_t a, uint32_t b) {
  const GpuTable& gpu = trace.gpu;
  return gpu.dur_ns[a] == gpu.dur_ns[b] && gpu.correlation[a] == gpu.correlation[b] && gpu.name[a] == gpu.name[b] &&
         gpu.kind[a] == gpu.kind[b] && SameDetail(trace, a, b);
}

// Takes out records that were written twice (a recorder that reads a buffer again). Two of one stream with one start,
// length, name and correlation id cannot both have run. Records of length 0 are left alone: in files of whole
// microseconds neighbours of one graph launch may look alike.
void DropDuplicates(Trace& trace, std::vector<uint32_t>& order) {
  constexpr size_t kLookBack = 8;  // bounds the work on hostile input; real copies stand side by side
  const GpuTable& gpu = trace.gpu;
  size_t kept = 0;
  for (const uint32_t row : order) {
    bool twice = false;
    for (size_t back = 1; back <= std::min(kept, kLookBack) && !twice; ++back) {
      const uint32_t other = order[kept - back];
      if (gpu.start_ns[other] != gpu.start_ns[row] || gpu.stream[other] != gpu.stream[row]) break;
      twice = gpu.dur_ns[row] > 0 && gpu.correlation[row] != kNoId && SameGpuRecord(trace, other, row);
    }
    if (twice) trace.ledger.Add(LedgerCode::kDuplicateRecord);
    else order[kept++] = row;
  }
  order.resize(kept);
}

std::vector<uint32_t> SortGpu(Trace& trace) {
  GpuTable& gpu = trace.gpu;
  auto order = SortedOrder(gpu.size(), [&](uint32_t a, uint32_t b) {
    if (gpu.start_ns[a] != gpu.start_ns[b]) return gpu.start_ns[a] < gpu.start_ns[b];
    return gpu.stream[a] < gpu.stream[b];
  });
  DropDuplicates(trace, order);
  Permute(gpu, order);
  trace.stream_rows.assign(trace.streams.size(), {});
  for (uint32_t row = 0; row < gpu.size(); ++row) {
    trace.stream_rows[gpu.stream[row]].push_back(row);
    trace.devices[trace.streams[gpu.stream[row]].device].used = true;
    if (gpu.dur_ns[row] == 0) trace.ledger.Add(LedgerCode::kZeroDuration);
  }
  for (const auto& rows : trace.stream_rows) {
    int64_t last_end = INT64_MIN;
    for (const uint32_t row : rows) {
      if (gpu.start_ns[row] < last_end) trace.ledger.Add(LedgerCode::kOverlapOnStream);
      last_end = std::max(last_end, gpu.end_ns(row));
    }
  }
  return order;
}

struct LinkKey {
  uint64_t correlation;
  uint32_t domain;
  bool operator==(const LinkKey&) const = default;
};
struct LinkKeyHash {
  size_t operator()(const LinkKey& key) const {
    return (key.correlation * 0x9E3779B97F4A7C15ULL) ^ (uint64_t{key.domain} << 32);
  }
};
using CallIndex = std::unordered_map<LinkKey, uint32_t, LinkKeyHash>;

bool IsCall(HostKind kind) { return kind == HostKind::kRuntimeCall || kind == HostKind::kDriverCall; }

// The outermost call of a correlation id wins (a runtime call that encloses its driver call shares the id).
CallIndex IndexCalls(Trace& trace) {
  const HostTable& host = trace.host;
  CallIndex index;
  index.reserve(trace.gpu.size() + 16);
  for (uint32_t row = 0; row < host.size(); ++row) {
    if (!IsCall(host.kind[row]) || host.correlation[row] == kNoId) continue;
    const auto [it, fresh] = index.try_emplace({host.correlation[row], trace.HostDomain(row)}, row);
    if (fresh) continue;
    const uint32_t first = it->second;
    const bool nested = host.thread[first] == host.thread[row] && host.end_ns(first) >= host.end_ns(row);
    if (nested) continue;
    const bool first_launches = IsLaunchCall(trace.HostName(first));
    const bool this_launches = IsLaunchCall(trace.HostName(row));
    if (first_launches && this_launches) trace.ledger.Add(LedgerCode::kDuplicateCorrelation);
    if (this_launches && !first_launches) it->second = row;
  }
  return index;
}

void LinkGpu(Trace& trace, const CallIndex& calls) {
  GpuTable& gpu = trace.gpu;
  std::vector<bool> launched(trace.host.size(), false);
  for (uint32_t row = 0; row < gpu.size(); ++row) {
    gpu.call[row] = kNone;
    const auto it = gpu.correlation[row] == kNoId ? calls.end() : calls.find({gpu.correlation[row], trace.GpuDomain(row)});
    if (it == calls.end()) {
      trace.ledger.Add(LedgerCode::kUnmatchedKernel);
      continue;
    }
    gpu.call[row] = it->second;
    launched[it->second] = true;
    if (gpu.start_ns[row] < trace.host.start_ns[it->second]) trace.ledger.Add(LedgerCode::kKernelBeforeLaunch);
  }
  for (const auto& [key, row] : calls) {
    const std::string_view name = trace.HostName(row);
    if (launched[row] || !IsLaunchCall(name)) continue;
    trace.ledger.Add(IsGraphLaunchCall(name) ? LedgerCode::kGraphUnderRecorded : LedgerCode::kLaunchWithoutKernel);
  }
  for (Sync& sync : trace.syncs) {
    if (sync.correlation == kNoId || sync.stream == kNone) continue;
    const auto it = calls.find({sync.correlation, trace.streams[sync.stream].link_domain});
    if (it != calls.end()) sync.call = it->second;
  }
}

template <typename Row, typename Key>
void SortRows(std::vector<Row>& rows, Key key) {
  std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) { return key(a) < key(b); });
}

}  // namespace

void Trace::Finish() {
  host.parent.assign(host.size(), kNone);
  gpu.call.assign(gpu.size(), kNone);
  const uint32_t gpu_count = gpu.size();
  std::vector<uint32_t> gpu_order;
  std::thread gpu_sort([&] { gpu_order = SortGpu(*this); });
  const std::vector<uint32_t> host_order = SortHost(*this);
  for (const RowRange rows : thread_rows) NestThread(host, rows);
  gpu_sort.join();
  if (!collectives.empty()) {
    const auto host_at = Inverse(host_order, host.size());
    const auto gpu_at = Inverse(gpu_order, gpu_count);
    std::erase_if(collectives, [&](const Collective& collective) {
      return collective.gpu_row != kNone && gpu_at[collective.gpu_row] == kNone;
    });
    for (Collective& collective : collectives) {
      if (collective.gpu_row != kNone) collective.gpu_row = gpu_at[collective.gpu_row];
      if (collective.host_row != kNone) collective.host_row = host_at[collective.host_row];
    }
  }
  SortRows(gpu_annotations, [](const GpuAnnotation& row) { return row.start_ns; });
  SortRows(syncs, [](const Sync& row) { return row.start_ns; });
  SortRows(memory, [](const MemoryEvent& row) { return row.time_ns; });
  SortRows(counters, [](const CounterSample& row) { return row.time_ns; });
  LinkGpu(*this, IndexCalls(*this));
}

}  // namespace warpscope::model
