// Pager: the spans of a track within a range of time, as many as a screen can tell apart, whatever the recording's
// size: those that share a pixel come as one. Binary search in each lane and a pyramid of longest spans make the cost
// one of pixels, not of spans. [MT] Immutable once built; keeps references to the timeline and its names. Memory: about
// 0.13 bytes a span.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "page/timeline.h"

namespace warpscope::page {

struct PageRange {
  uint32_t track = 0;
  int64_t from_ns = 0, to_ns = 0;  // relative to the origin; from < to
  uint32_t pixels = 1;             // 1 .. kMaxPixels
};
inline constexpr uint32_t kMaxPixels = 8192;

class Pager {
 public:
  Pager(const Timeline& timeline, const Names& names, int64_t origin_ns);

  // Columns as in SpanColumns() of the track's lanes, with `id` (kDelta, from 0 in each lane: the span's index in the
  // whole recording, of merged ones the longest's) and `merged` (kVarint: how many it stands for). REQUIRES: the range
  // is one of the timeline's tracks, and keeps the bounds above.
  std::string Spans(const PageRange& range) const;

 private:
  struct Group {
    uint32_t begin, end;  // spans
  };
  std::vector<Group> GroupsOf(SpanTable table, Lane lane, const PageRange& range) const;
  uint32_t LongestOf(SpanTable table, uint32_t begin, uint32_t end) const;
  int64_t DurNs(SpanTable table, uint32_t span) const;

  const Timeline& timeline_;
  const Names& names_;
  int64_t origin_ns_;
  // longest_[k][i]: the longest of the spans [i * kFan^(k+1), (i+1) * kFan^(k+1)).
  std::vector<std::vector<uint32_t>> longest_;
};

}  // namespace warpscope::page
