// Copies and fills by direction or caller.
#include "analysis/copies.h"

#include <fmt/format.h>

#include "view/format.h"
#include "view/tables/shared.h"

namespace warpscope::view {
namespace {

// "pageable to device"; absent if neither end is known.
Cell BothEnds(model::MemoryKind src, model::MemoryKind dst) {
  if (src == model::MemoryKind::kUnknown && dst == model::MemoryKind::kUnknown) return {};
  return Text(fmt::format("{} to {}", analysis::MemoryKindText(src), analysis::MemoryKindText(dst)));
}

Cell MemoryCell(model::MemoryKind kind) {
  return kind == model::MemoryKind::kUnknown ? Cell{} : Text(analysis::MemoryKindText(kind));
}

Table ByKind(const Subject& subject) {
  Table table;
  table.name = "copies";
  table.title = "Copies and fills, most device time first";
  table.columns = {{"kind", "direction", Kind::kText},
                   {"memory", "memory", Kind::kText, 1},
                   {"src_memory", "from", Kind::kText, kDataOnly},
                   {"dst_memory", "to", Kind::kText, kDataOnly},
                   {"count", "count", Kind::kCount},
                   {"bytes", "bytes", Kind::kBytes},
                   {"total_ns", "total", Kind::kDurationNs},
                   {"bandwidth_bytes_per_s", "rate", Kind::kBytesPerS},
                   {"link_use_pct", "of best", Kind::kPct, 4},
                   {"synchronous_count", "blocking", Kind::kCount, 1},
                   {"host_blocked_ns", "host held", Kind::kDurationNs, 3},
                   {"overlapped_pct", "beside kernels", Kind::kPct, 3},
                   {"small_count", "< 64 KiB", Kind::kCount, 6},
                   {"median_bytes", "median bytes", Kind::kBytes, 7},
                   {"mean_ns", "mean", Kind::kDurationNs, 8},
                   {"median_ns", "median", Kind::kDurationNs, kDataOnly},
                   {"min_ns", "min", Kind::kDurationNs, kDataOnly},
                   {"max_ns", "max", Kind::kDurationNs, 9},
                   {"min_bytes", "min bytes", Kind::kBytes, kDataOnly},
                   {"max_bytes", "max bytes", Kind::kBytes, kDataOnly},
                   {"best_bandwidth_bytes_per_s", "best rate", Kind::kBytesPerS, kDataOnly},
                   {"overlapped_ns", "time beside kernels", Kind::kDurationNs, kDataOnly},
                   {"sized_count", "with size", Kind::kCount, kDataOnly}};
  for (const auto& row : analysis::SummarizeCopies(subject.index, subject.device_scope)) {
    table.rows.push_back({Text(row.is_memset ? "memset" : analysis::CopyKindText(row.kind)),
                          row.is_memset ? Cell{} : BothEnds(row.src, row.dst),
                          row.is_memset ? Cell{} : MemoryCell(row.src),
                          row.is_memset ? Cell{} : MemoryCell(row.dst),
                          Int(row.count),
                          Maybe(row.bytes),
                          Int(row.total_ns),
                          Maybe(row.bandwidth_bytes_per_s),
                          Maybe(row.link_use_pct),
                          Int(row.synchronous_count),
                          Int(row.host_blocked_ns),
                          Number(row.overlapped_pct),
                          Int(row.small_count),
                          Maybe(row.median_bytes),
                          Number(row.mean_ns),
                          Number(row.median_ns),
                          Int(row.min_ns),
                          Int(row.max_ns),
                          Maybe(row.min_bytes),
                          Maybe(row.max_bytes),
                          Maybe(row.best_bandwidth_bytes_per_s),
                          Int(row.overlapped_ns),
                          Int(row.sized_count)});
  }
  table.notes = {
      "blocking: the host was held until the copy's end. of best: of the best rate in this direction by copies of >= 1 "
      "MiB here.",
      "Who asked for them: --by caller."};
  return table;
}

Table ByCaller(const Subject& subject) {
  Table table;
  table.name = "copies.caller";
  table.title = "Who asked for copies, most device time first";
  table.columns = {{"caller", "asked for by", Kind::kName},
                   {"kind", "direction", Kind::kText},
                   {"memory", "memory", Kind::kText, 1},
                   {"src_memory", "from", Kind::kText, kDataOnly},
                   {"dst_memory", "to", Kind::kText, kDataOnly},
                   {"count", "count", Kind::kCount},
                   {"bytes", "bytes", Kind::kBytes},
                   {"total_ns", "total", Kind::kDurationNs},
                   {"host_blocked_ns", "host held", Kind::kDurationNs, 1}};
  for (const auto& row : analysis::CopiesByCaller(subject.index, subject.device_scope)) {
    table.rows.push_back({Text(row.caller), Text(analysis::CopyKindText(row.kind)), BothEnds(row.src, row.dst),
                          MemoryCell(row.src), MemoryCell(row.dst), Int(row.count), Int(row.bytes), Int(row.total_ns),
                          Int(row.host_blocked_ns)});
  }
  return table;
}

}  // namespace

Table CopyTable(const Subject& subject, CopiesBy by) {
  Table table = by == CopiesBy::kKind ? ByKind(subject) : ByCaller(subject);
  table.empty_text = "No copies were recorded.";
  return table;
}

}  // namespace warpscope::view
