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

bool IsIdentity(const std::vector<uint32_t>& order) {
  for (uint32_t i = 0; i < order.size(); ++i) {
    if (order[i] != i) return false;
  }
  return true;
}

template <typename Table>
void Permute(Table& table, const std::vector<uint32_t>& order) {
  if (IsIdentity(order)) return;
  table.VisitColumns([&](auto& column) {
    if (column.empty()) return;
    std::remove_reference_t<decltype(column)> sorted(column.size());
    for (size_t i = 0; i < order.size(); ++i) sorted[i] = column[order[i]];
    column.swap(sorted);
  });
}

std::vector<uint32_t> Inverse(const std::vector<uint32_t>& order) {
  std::vector<uint32_t> inverse(order.size());
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

std::vector<uint32_t> SortGpu(Trace& trace) {
  GpuTable& gpu = trace.gpu;
  auto order = SortedOrder(gpu.size(), [&](uint32_t a, uint32_t b) {
    if (gpu.start_ns[a] != gpu.start_ns[b]) return gpu.start_ns[a] < gpu.start_ns[b];
    return gpu.stream[a] < gpu.stream[b];
  });
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
  std::vector<uint32_t> gpu_order;
  std::thread gpu_sort([&] { gpu_order = SortGpu(*this); });
  const std::vector<uint32_t> host_order = SortHost(*this);
  for (const RowRange rows : thread_rows) NestThread(host, rows);
  gpu_sort.join();
  if (!collectives.empty()) {
    const auto host_at = Inverse(host_order);
    const auto gpu_at = Inverse(gpu_order);
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
