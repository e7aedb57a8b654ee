// Trace::Finish(): sort, nest, link. See trace.h.
#include <algorithm>
#include <thread>

#include "model/link.h"
#include "model/order.h"
#include "model/trace.h"

namespace warpscope::model {
namespace {

constexpr size_t kWorthAThread = 20000;  // rows; below, starting one costs more than it saves

// Runs both, side by side if there is enough to do.
template <typename F, typename G>
void Both(bool worth_it, F&& first, G&& second) {
  if (!worth_it) {
    first();
    second();
    return;
  }
  std::thread other(std::forward<F>(first));
  second();
  other.join();
}

bool IsIdentity(const std::vector<Keyed>& order, size_t rows) {
  if (order.size() != rows) return false;
  for (uint32_t i = 0; i < order.size(); ++i) {
    if (order[i].row != i) return false;
  }
  return true;
}

// Column by column, so that never more than two columns exist twice.
template <typename Table>
void Permute(Table& table, const std::vector<Keyed>& order) {
  if (IsIdentity(order, table.size())) return;
  const auto half = [&](unsigned part) {
    unsigned number = 0;
    table.VisitColumns([&](auto& column) {
      // The other half's columns belong to the other thread: not even their size may be looked at.
      if (number++ % 2 != part || column.empty()) return;
      std::remove_reference_t<decltype(column)> sorted(order.size());
      for (size_t i = 0; i < order.size(); ++i) sorted[i] = column[order[i].row];
      column.swap(sorted);
    });
  };
  Both(
      order.size() > kWorthAThread, [&] { half(0); }, [&] { half(1); });
}

// Rows by thread, in the file's order; then each thread by start, the longer first.
std::vector<Keyed> HostOrder(const HostTable& host, std::vector<Trace::RowRange>* ranges) {
  std::vector<uint32_t> next(ranges->size() + 1, 0);
  for (const uint32_t thread : host.thread) ++next[thread + 1];
  for (size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  for (size_t i = 0; i < ranges->size(); ++i) (*ranges)[i] = {next[i], next[i + 1]};
  std::vector<Keyed> order(host.size());
  for (uint32_t row = 0; row < host.size(); ++row) order[next[host.thread[row]]++] = {host.start_ns[row], row};
  const auto less = [&host](const Keyed& a, const Keyed& b) {
    if (a.key != b.key) return a.key < b.key;
    if (host.dur_ns[a.row] != host.dur_ns[b.row]) return host.dur_ns[a.row] > host.dur_ns[b.row];
    return host.kind[a.row] < host.kind[b.row];
  };
  for (const Trace::RowRange range : *ranges) SortRuns(order, range.begin, range.end, less);
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

// The same record twice (a recorder that reads a buffer again). Two of one stream with one start, length, name and
// correlation id cannot both have run - but in files of whole microseconds short neighbours of one graph launch may
// look alike, so such rows are left alone.
bool IsDuplicate(const Trace& trace, uint32_t a, uint32_t b) {
  constexpr int64_t kCoarseNs = 1000, kShortNs = 2000;
  const GpuTable& gpu = trace.gpu;
  const bool coarse = gpu.start_ns[a] % kCoarseNs == 0 && gpu.dur_ns[a] % kCoarseNs == 0;
  if (gpu.dur_ns[a] == 0 || (coarse && gpu.dur_ns[a] <= kShortNs) || gpu.correlation[a] == kNoId) return false;
  return gpu.dur_ns[a] == gpu.dur_ns[b] && gpu.correlation[a] == gpu.correlation[b] && gpu.name[a] == gpu.name[b] &&
         gpu.kind[a] == gpu.kind[b] && SameDetail(trace, a, b);
}

// Order of the rows that stay; those that occur twice are counted.
std::vector<Keyed> GpuOrder(const Trace& trace, uint64_t* duplicates) {
  const GpuTable& gpu = trace.gpu;
  std::vector<Keyed> order(gpu.size());
  for (uint32_t row = 0; row < gpu.size(); ++row) order[row] = {gpu.start_ns[row], row};
  SortRuns(order, 0, order.size(), [&gpu](const Keyed& a, const Keyed& b) {
    return a.key != b.key ? a.key < b.key : gpu.stream[a.row] < gpu.stream[b.row];
  });
  constexpr size_t kLookBack = 8;  // bounds the work on hostile input; real copies stand side by side
  size_t kept = 0;
  for (const Keyed item : order) {
    bool twice = false;
    for (size_t i = 1; i <= std::min(kept, kLookBack); ++i) {
      const Keyed before = order[kept - i];
      if (before.key != item.key || gpu.stream[before.row] != gpu.stream[item.row]) break;
      if (!IsDuplicate(trace, before.row, item.row)) continue;
      ++*duplicates;
      twice = true;
      break;
    }
    if (!twice) order[kept++] = item;
  }
  order.resize(kept);
  return order;
}

void ListStreams(Trace& trace) {
  const GpuTable& gpu = trace.gpu;
  std::vector<uint32_t> rows(trace.streams.size(), 0);
  for (const uint32_t stream : gpu.stream) ++rows[stream];
  trace.stream_rows.assign(trace.streams.size(), {});
  for (size_t i = 0; i < rows.size(); ++i) trace.stream_rows[i].reserve(rows[i]);
  uint64_t zero = 0, overlaps = 0;
  std::vector<int64_t> last_end(trace.streams.size(), INT64_MIN);
  for (uint32_t row = 0; row < gpu.size(); ++row) {
    const uint32_t stream = gpu.stream[row];
    trace.stream_rows[stream].push_back(row);
    if (gpu.dur_ns[row] == 0) ++zero;
    if (gpu.start_ns[row] < last_end[stream]) ++overlaps;
    last_end[stream] = std::max(last_end[stream], gpu.end_ns(row));
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] > 0) trace.devices[trace.streams[i].device].used = true;
  }
  trace.ledger.Add(LedgerCode::kZeroDuration, zero);
  trace.ledger.Add(LedgerCode::kOverlapOnStream, overlaps);
}

template <typename Row, typename Key>
void SortRows(std::vector<Row>& rows, Key key) {
  const auto less = [&](const Row& a, const Row& b) { return key(a) < key(b); };
  if (!std::is_sorted(rows.begin(), rows.end(), less)) std::stable_sort(rows.begin(), rows.end(), less);
}

std::vector<uint32_t> Inverse(const std::vector<Keyed>& order, size_t rows) {
  std::vector<uint32_t> inverse(rows, kNone);
  for (uint32_t i = 0; i < order.size(); ++i) inverse[order[i].row] = i;
  return inverse;
}

void MoveCollectives(Trace& trace, const std::vector<uint32_t>& host_at, const std::vector<uint32_t>& gpu_at) {
  std::vector<Collective> kept;
  for (Collective row : trace.collectives) {
    if (row.host_row != kNone) row.host_row = host_at[row.host_row];
    if (row.gpu_row != kNone) {
      row.gpu_row = gpu_at[row.gpu_row];
      if (row.gpu_row == kNone) continue;  // of a record that occurred twice
    }
    kept.push_back(row);
  }
  trace.collectives.swap(kept);
}

}  // namespace

void Trace::Finish() {
  const size_t host_rows = host.size(), gpu_rows = gpu.size();
  thread_rows.assign(threads.size(), {});
  std::vector<Keyed> host_order, gpu_order;
  uint64_t duplicates = 0;
  Both(
      host_rows + gpu_rows + memory.size() > kWorthAThread,
      [&] {
        gpu_order = GpuOrder(*this, &duplicates);
        SortRows(gpu_annotations, [](const GpuAnnotation& row) { return row.start_ns; });
        SortRows(syncs, [](const Sync& row) { return row.start_ns; });
        SortRows(memory, [](const MemoryEvent& row) { return row.time_ns; });
        SortRows(counters, [](const CounterSample& row) { return row.time_ns; });
      },
      [&] { host_order = HostOrder(host, &thread_rows); });
  host.parent.clear();
  gpu.call.clear();
  Permute(host, host_order);
  Permute(gpu, gpu_order);
  ledger.Add(LedgerCode::kDuplicateRecord, duplicates);
  if (!collectives.empty()) MoveCollectives(*this, Inverse(host_order, host_rows), Inverse(gpu_order, gpu_rows));
  host_order = {};
  gpu_order = {};
  host.parent.assign(host.size(), kNone);
  gpu.call.assign(gpu.size(), kNone);
  std::vector<uint32_t> alone;
  Both(
      host.size() > kWorthAThread,
      [&] {
        ListStreams(*this);
        alone = LinkDeviceWork(this);
      },
      [&] {
        for (const RowRange rows : thread_rows) NestThread(host, rows);
      });
  LiftToLaunches(this, alone);
}

}  // namespace warpscope::model
