// Device work of the window as units: one row, or all nodes of one graph launch.
#include <algorithm>

#include "analysis/replay/build.h"

namespace warpscope::analysis::replay {
namespace {

using model::GpuKind;
using model::HostKind;
using model::kNone;

uint32_t OutermostCall(const model::HostTable& host, uint32_t row) {
  while (host.parent[row] != kNone) {
    const HostKind kind = host.kind[host.parent[row]];
    if (kind != HostKind::kRuntimeCall && kind != HostKind::kDriverCall) break;
    row = host.parent[row];
  }
  return row;
}

UnitKind KindOf(const model::Trace& trace, uint32_t row) {
  switch (trace.gpu.kind[row]) {
    case GpuKind::kKernel: return UnitKind::kKernel;
    case GpuKind::kMemset: return UnitKind::kMemset;
    case GpuKind::kGraphLaunch: return UnitKind::kGraph;
    case GpuKind::kCopy: break;
  }
  const model::CopyDetail* copy = trace.Copy(row);
  if (!copy) return UnitKind::kOtherCopy;
  if (copy->kind == model::CopyKind::kHostToDevice) return UnitKind::kHostToDevice;
  if (copy->kind == model::CopyKind::kDeviceToHost) return UnitKind::kDeviceToHost;
  return UnitKind::kOtherCopy;
}

struct Row {
  uint32_t call;
  uint32_t row;
};

// Rows issued in the window, those still running when it opens, and those without a known call.
std::vector<Row> RowsOfWindow(const Draft& draft) {
  const auto& trace = *draft.trace;
  std::vector<Row> rows;
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    if (trace.GpuDomain(row) != draft.domain) continue;
    const uint32_t host_row = trace.gpu.call[row];
    uint32_t call = kNoItem;
    if (host_row != kNone) {
      const uint32_t outer = OutermostCall(trace.host, host_row);
      call = draft.call_of_row[outer];
      if (call == kNoItem && trace.host.start_ns[outer] >= draft.end_ns) continue;
    }
    if (call == kNoItem) {
      const bool runs_inside = trace.gpu.end_ns(row) > draft.origin_ns && trace.gpu.start_ns[row] < draft.end_ns;
      if (!runs_inside) continue;
    }
    rows.push_back({call, row});
  }
  std::stable_sort(rows.begin(), rows.end(), [](Row a, Row b) { return a.call < b.call; });  // rows stay in start order
  return rows;
}

void AddUnit(Draft& draft, const std::vector<Row>& rows, size_t begin, size_t end) {
  const auto& trace = *draft.trace;
  Unit unit;
  unit.call = rows[begin].call;
  const bool graph = end - begin > 1;
  unit.kind = graph ? UnitKind::kGraph : KindOf(trace, rows[begin].row);
  if (unit.call != kNoItem && draft.calls[unit.call].call_class == CallClass::kGraphLaunch)
    unit.kind = UnitKind::kGraph;
  unit.stream = trace.gpu.stream[rows[begin].row];
  unit.row_begin = static_cast<uint32_t>(draft.unit_rows.size());
  unit.start = draft.At(trace.gpu.start_ns[rows[begin].row]);
  unit.end = unit.start;
  for (size_t i = begin; i < end; ++i) {
    draft.unit_rows.push_back(rows[i].row);
    unit.end = std::max(unit.end, draft.At(trace.gpu.end_ns(rows[i].row)));
  }
  unit.row_end = static_cast<uint32_t>(draft.unit_rows.size());
  if (unit.call == kNoItem) {
    const uint32_t host_row = trace.gpu.call[rows[begin].row];
    unit.pending = host_row != kNone || unit.start < 0;
  }
  draft.units.push_back(unit);
}

void MakeUnits(Draft& draft, const std::vector<Row>& rows) {
  for (size_t i = 0; i < rows.size();) {
    const uint32_t call = rows[i].call;
    size_t j = i + 1;
    const bool graph = call != kNoItem && draft.calls[call].call_class == CallClass::kGraphLaunch;
    if (graph) {
      while (j < rows.size() && rows[j].call == call) ++j;
    }
    AddUnit(draft, rows, i, j);
    i = j;
  }
}

void IndexUnits(Draft& draft) {
  std::stable_sort(draft.units.begin(), draft.units.end(),
                   [](const Unit& a, const Unit& b) { return a.call < b.call; });
  for (uint32_t u = 0; u < draft.units.size(); ++u) {
    if (draft.units[u].call == kNoItem) continue;
    Call& call = draft.calls[draft.units[u].call];
    if (call.unit_begin == call.unit_end) call.unit_begin = u;
    call.unit_end = u + 1;
  }
  draft.stream_units.assign(draft.trace->streams.size(), {});
  for (uint32_t u = 0; u < draft.units.size(); ++u) draft.stream_units[draft.units[u].stream].push_back(u);
  for (auto& units : draft.stream_units) {
    std::stable_sort(units.begin(), units.end(),
                     [&](uint32_t a, uint32_t b) { return draft.units[a].start < draft.units[b].start; });
  }
}

// A copy to or from pageable memory, or a copy that is synchronous by name, holds its caller until it is done. Judged
// by the recording: small ones return early.
void FindBlockingCopies(Draft& draft) {
  constexpr int64_t kEarlyReturnNs = 50'000;
  for (Call& call : draft.calls) {
    if (call.call_class != CallClass::kCopy && call.call_class != CallClass::kBlockingCopy) continue;
    if (call.unit_end - call.unit_begin != 1) continue;
    const Unit& unit = draft.units[call.unit_begin];
    const model::CopyDetail* copy = draft.trace->Copy(draft.unit_rows[unit.row_begin]);
    const bool pageable =
        copy && (copy->src == model::MemoryKind::kPageable || copy->dst == model::MemoryKind::kPageable);
    const bool may_block = pageable || call.call_class == CallClass::kBlockingCopy;
    call.blocks =
        may_block && unit.start >= call.start && unit.start < call.end && unit.end <= call.end + kEarlyReturnNs;
  }
}

}  // namespace

void CollectUnits(Draft& draft) {
  MakeUnits(draft, RowsOfWindow(draft));
  IndexUnits(draft);
  FindBlockingCopies(draft);
}

}  // namespace warpscope::analysis::replay
