#include "page/spans.h"

#include "page/columns.h"

namespace warpscope::page {
namespace {

using model::kNone;

struct SpanWriter {
  Column rows{"rows", ColumnType::kVarint}, start{"start", ColumnType::kDelta}, dur{"dur", ColumnType::kVarint},
      name{"name", ColumnType::kVarint}, kind{"kind", ColumnType::kVarint}, link{"link", ColumnType::kDelta},
      detail{"detail", ColumnType::kVarint};

  void AddLane(const Timeline& timeline, const Names& names, const Track& track, const Lane& lane, uint64_t origin) {
    rows.Add(lane.end - lane.begin);
    uint64_t end = 0, last_link = 0;
    for (uint32_t at = lane.begin; at < lane.end; ++at) {
      const SpanFields span = timeline.Span(track.table, timeline.rows[at]);
      const uint64_t begin = static_cast<uint64_t>(span.start_ns) - origin;
      start.AddDifference(begin, end);
      end = begin + static_cast<uint64_t>(span.dur_ns);
      dur.Add(static_cast<uint64_t>(span.dur_ns));
      name.Add(names.PageId(span.name));
      kind.Add(span.kind);
      const uint32_t caller = span.call == kNone ? kNone : timeline.span_of_host[span.call];
      const uint64_t target = caller == kNone ? UINT64_MAX : caller;  // -1: none
      link.AddDifference(target, last_link);
      last_link = target;
      detail.Add(span.detail == kNone ? 0 : uint64_t{span.detail} + 1);
    }
  }
};

}  // namespace

std::string SpanColumns(const Timeline& timeline, const Names& names, int64_t origin_ns) {
  SpanWriter out;
  const size_t count = timeline.rows.size();
  out.start.Reserve(3 * count);
  out.dur.Reserve(2 * count);
  for (Column* column : {&out.name, &out.kind, &out.link, &out.detail}) column->Reserve(count + count / 2);
  for (const Track& track : timeline.tracks) {
    for (uint32_t lane = track.lane_begin; lane < track.lane_end; ++lane)
      out.AddLane(timeline, names, track, timeline.lanes[lane], static_cast<uint64_t>(origin_ns));
  }
  return WriteColumns({&out.rows, &out.start, &out.dur, &out.name, &out.kind, &out.link, &out.detail});
}

std::string SeriesColumns(const Timeline& timeline, int64_t origin_ns) {
  Column count("count", ColumnType::kVarint), time("time", ColumnType::kDelta), value("value", ColumnType::kFloat32);
  for (const Track& track : timeline.tracks) {
    if (track.table != SpanTable::kSeries) continue;
    const Series& series = timeline.series[track.series];
    count.Add(series.points.size());
    uint64_t last = 0;
    for (const Point& point : series.points) {
      const uint64_t now = static_cast<uint64_t>(point.time_ns) - static_cast<uint64_t>(origin_ns);
      time.AddDifference(now, last);
      last = now;
      value.AddFloat(point.value);
    }
  }
  return WriteColumns({&count, &time, &value});
}

}  // namespace warpscope::page
