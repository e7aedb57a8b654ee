#include "page/pager.h"

#include <algorithm>

#include "page/columns.h"

namespace warpscope::page {
namespace {

using model::kNone;

constexpr uint32_t kFan = 32;

}  // namespace

Pager::Pager(const Timeline& timeline, const Names& names, int64_t origin_ns)
    : timeline_(timeline), names_(names), origin_ns_(origin_ns) {
  std::vector<int64_t> dur(timeline.rows.size(), 0);
  for (const Track& track : timeline.tracks) {
    if (track.table == SpanTable::kSeries) continue;
    for (uint32_t at = timeline.lanes[track.lane_begin].begin; at < timeline.lanes[track.lane_end - 1].end; ++at)
      dur[at] = DurNs(track.table, at);
  }
  const std::vector<uint32_t>* below = nullptr;
  for (size_t count = dur.size(); count > kFan; count = (count + kFan - 1) / kFan) {
    std::vector<uint32_t> level;
    for (size_t i = 0; i < count; i += kFan) {
      uint32_t best = kNone;
      for (size_t j = i; j < std::min(i + kFan, count); ++j) {
        const uint32_t span = below == nullptr ? static_cast<uint32_t>(j) : (*below)[j];
        if (best == kNone || dur[span] > dur[best]) best = span;
      }
      level.push_back(best);
    }
    longest_.reserve(8);  // 32^8 spans: `below` stays where it is
    longest_.push_back(std::move(level));
    below = &longest_.back();
  }
}

int64_t Pager::DurNs(SpanTable table, uint32_t span) const {
  const uint32_t row = timeline_.rows[span];
  return timeline_.EndNs(table, row) - timeline_.StartNs(table, row);
}

uint32_t Pager::LongestOf(SpanTable table, uint32_t begin, uint32_t end) const {
  uint32_t best = begin;
  int64_t best_ns = DurNs(table, begin);
  const auto take = [&](uint32_t span) {
    const int64_t ns = DurNs(table, span);
    if (ns > best_ns || (ns == best_ns && span < best)) best = span, best_ns = ns;
  };
  for (uint64_t at = begin; at < end;) {
    // The largest whole block that begins here.
    uint64_t width = 1;
    size_t level = 0;
    while (level < longest_.size() && at % (width * kFan) == 0 && at + width * kFan <= end) width *= kFan, ++level;
    take(level == 0 ? static_cast<uint32_t>(at) : longest_[level - 1][at / width]);
    at += width;
  }
  return best;
}

std::vector<Pager::Group> Pager::GroupsOf(SpanTable table, Lane lane, const PageRange& range) const {
  const auto start = [&](uint32_t span) { return timeline_.StartNs(table, timeline_.rows[span]) - origin_ns_; };
  const auto end = [&](uint32_t span) { return timeline_.EndNs(table, timeline_.rows[span]) - origin_ns_; };
  // First of [begin, last) for which `is` holds; it holds for all behind.
  const auto first = [](uint32_t begin, uint32_t last, const auto& is) {
    uint32_t step = 1;
    uint32_t low = begin;
    while (low < last && !is(low)) {  // by leaps: what is looked for lies near
      begin = low + 1;
      low = last - low > step ? low + step : last;
      step *= 2;
    }
    last = low;
    while (begin < last) {
      const uint32_t middle = begin + (last - begin) / 2;
      is(middle) ? last = middle : begin = middle + 1;
    }
    return begin;
  };
  // The unsigned difference is right for any two times.
  const uint64_t length_ns = static_cast<uint64_t>(range.to_ns) - static_cast<uint64_t>(range.from_ns);
  const uint64_t pixel_ns = std::max<uint64_t>(1, length_ns / range.pixels);
  std::vector<Group> out;
  // What ends at the very begin, and has no length, is seen as well.
  uint32_t at = first(lane.begin, lane.end, [&](uint32_t span) { return end(span) >= range.from_ns; });
  while (at < lane.end && start(at) < range.to_ns) {
    uint32_t stop = at + 1;
    if (static_cast<uint64_t>(DurNs(table, at)) < pixel_ns) {
      const uint64_t offset =
          static_cast<uint64_t>(std::max(start(at), range.from_ns)) - static_cast<uint64_t>(range.from_ns);
      const uint64_t next_ns = (offset / pixel_ns + 1) * pixel_ns;  // the next pixel's begin
      stop = first(at + 1, lane.end, [&](uint32_t span) {
        return start(span) >= range.from_ns &&
               static_cast<uint64_t>(start(span)) - static_cast<uint64_t>(range.from_ns) >= next_ns;
      });
      // Only the last one can be longer than the pixel that it begins in.
      if (stop > at + 1 && static_cast<uint64_t>(DurNs(table, stop - 1)) >= pixel_ns) --stop;
    }
    out.push_back({at, stop});
    at = stop;
  }
  return out;
}

std::string Pager::Spans(const PageRange& range) const {
  const Track& track = timeline_.tracks[range.track];
  Column rows("rows", ColumnType::kVarint), start("start", ColumnType::kDelta), dur("dur", ColumnType::kVarint),
      name("name", ColumnType::kVarint), kind("kind", ColumnType::kVarint), link("link", ColumnType::kDelta),
      detail("detail", ColumnType::kVarint), id("id", ColumnType::kDelta), merged("merged", ColumnType::kVarint);
  for (uint32_t lane = track.lane_begin; lane < track.lane_end; ++lane) {
    const std::vector<Group> groups = GroupsOf(track.table, timeline_.lanes[lane], range);
    rows.Add(groups.size());
    uint64_t end_ns = 0, last_link = 0, last_id = 0;
    for (const Group& group : groups) {
      const bool single = group.end - group.begin == 1;
      const uint32_t shown = single ? group.begin : LongestOf(track.table, group.begin, group.end);
      const SpanFields span = timeline_.Span(track.table, timeline_.rows[shown]);
      const auto at = [&](int64_t time_ns) {
        return static_cast<uint64_t>(time_ns) - static_cast<uint64_t>(origin_ns_);
      };
      const uint64_t begin_ns = at(timeline_.StartNs(track.table, timeline_.rows[group.begin]));
      start.AddDifference(begin_ns, end_ns);
      end_ns = at(timeline_.EndNs(track.table, timeline_.rows[group.end - 1]));
      dur.Add(end_ns - begin_ns);
      name.Add(names_.PageId(span.name));
      kind.Add(span.kind);
      const uint32_t caller = span.call == kNone || !single ? kNone : timeline_.span_of_host[span.call];
      const uint64_t target = caller == kNone ? UINT64_MAX : caller;
      link.AddDifference(target, last_link);
      last_link = target;
      detail.Add(span.detail == kNone || !single ? 0 : uint64_t{span.detail} + 1);
      id.AddDifference(shown, last_id);
      last_id = shown;
      merged.Add(group.end - group.begin);
    }
  }
  return WriteColumns({&rows, &start, &dur, &name, &kind, &link, &detail, &id, &merged});
}

}  // namespace warpscope::page
