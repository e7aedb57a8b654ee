#include "page/allocations.h"

#include <algorithm>
#include <map>

#include "page/columns.h"

namespace warpscope::page {
namespace {

using model::kNone;

// The track whose line the allocations of a device make up.
std::map<uint32_t, uint32_t> TrackOfDevice(const Timeline& timeline) {
  std::map<uint32_t, uint32_t> out;
  for (uint32_t i = 0; i < timeline.tracks.size(); ++i) {
    const Track& track = timeline.tracks[i];
    if (track.kind == "memory") out.try_emplace(timeline.series[track.series].device, i);
  }
  return out;
}

}  // namespace

PageAllocations ChooseAllocations(const Timeline& timeline, Names* names) {
  PageAllocations out;
  const auto tracks = TrackOfDevice(timeline);
  if (tracks.empty()) return out;
  out.allocations = analysis::FindAllocations(timeline.index);
  auto& rows = out.allocations.rows;
  std::erase_if(rows, [&](const analysis::Allocation& row) { return !tracks.contains(row.device); });
  if (rows.size() > kMaxAllocations) {
    std::vector<int64_t> sizes;
    sizes.reserve(rows.size());
    for (const analysis::Allocation& row : rows) sizes.push_back(row.bytes);
    std::nth_element(sizes.begin(), sizes.begin() + kMaxAllocations - 1, sizes.end(), std::greater<>());
    out.smallest_bytes = sizes[kMaxAllocations - 1];
    out.left_out = rows.size() - kMaxAllocations;
    size_t ties = kMaxAllocations;
    for (const analysis::Allocation& row : rows) ties -= row.bytes > out.smallest_bytes ? 1 : 0;
    std::erase_if(rows, [&](const analysis::Allocation& row) {
      if (row.bytes != out.smallest_bytes) return row.bytes < out.smallest_bytes;
      if (ties == 0) return true;
      --ties;
      return false;
    });
  }
  for (const analysis::StackNode& node : out.allocations.nodes) names->Count(node.name);
  return out;
}

std::string AllocationColumns(const PageAllocations& chosen, const Timeline& timeline, const Names& names,
                              int64_t origin_ns) {
  Column frame_name("frame_name", ColumnType::kVarint), frame_parent("frame_parent", ColumnType::kVarint);
  for (const analysis::StackNode& node : chosen.allocations.nodes) {
    frame_name.Add(names.PageId(node.name));
    frame_parent.Add(node.parent == kNone ? 0 : uint64_t{node.parent} + 1);
  }
  Column track("track", ColumnType::kVarint), begin("begin", ColumnType::kDelta), dur("dur", ColumnType::kVarint),
      bytes("bytes", ColumnType::kVarint), stack("stack", ColumnType::kVarint), before("before", ColumnType::kVarint);
  const auto tracks = TrackOfDevice(timeline);
  uint64_t last = 0;
  for (const analysis::Allocation& row : chosen.allocations.rows) {
    const uint64_t now = static_cast<uint64_t>(row.begin_ns) - static_cast<uint64_t>(origin_ns);
    track.Add(tracks.at(row.device));
    begin.AddDifference(now, last);
    last = now;
    const bool freed = row.end_ns != analysis::kNotFreed;
    dur.Add(freed ? static_cast<uint64_t>(row.end_ns) - static_cast<uint64_t>(row.begin_ns) + 1 : 0);
    bytes.Add(static_cast<uint64_t>(row.bytes));
    stack.Add(row.stack == kNone ? 0 : uint64_t{row.stack} + 1);
    before.Add(row.from_before ? 1 : 0);
  }
  return WriteColumns({&frame_name, &frame_parent, &track, &begin, &dur, &bytes, &stack, &before});
}

}  // namespace warpscope::page
