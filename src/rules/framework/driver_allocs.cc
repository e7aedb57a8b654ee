#include "rules/framework/driver_allocs.h"

#include <algorithm>
#include <set>

#include "analysis/gaps.h"
#include "rules/framework/conv_search.h"

namespace warpscope::rules {
namespace {

using analysis::CallKind;
using model::kNone;

constexpr uint64_t kMinTurns = 4;

bool IsAllocatorCall(CallKind kind) {
  return kind == CallKind::kDeviceAlloc || kind == CallKind::kDeviceFree || kind == CallKind::kHostAlloc ||
         kind == CallKind::kHostFree;
}

bool Elsewhere(const Context& c, uint32_t row) {
  const analysis::GapCause cause = analysis::ActivityOf(c.index, row).cause;
  return cause == analysis::GapCause::kDataLoading || cause == analysis::GapCause::kCompilation ||
         cause == analysis::GapCause::kProfiler;
}

size_t StepAt(const Context& c, int64_t time_ns) {
  for (size_t i = 0; i < c.steps.steps.size(); ++i) {
    if (time_ns >= c.steps.steps[i].begin_ns && time_ns < c.steps.steps[i].end_ns) return i;
  }
  return SIZE_MAX;
}

void Count(const Context& c, uint32_t row, DriverAllocs& allocs) {
  const CallKind kind = c.index.call_kind(row);
  const int64_t ns = c.trace.host.dur_ns[row];
  allocs.calls.push_back(row);
  allocs.total_ns += ns;
  if (kind == CallKind::kDeviceAlloc) ++allocs.allocs;
  const bool frees = kind == CallKind::kDeviceFree;
  allocs.turns += kind == CallKind::kDeviceAlloc && allocs.last_freed;
  if (frees || kind == CallKind::kDeviceAlloc) allocs.last_freed = frees;
  if (kind == CallKind::kHostAlloc) ++allocs.host_allocs;
  if (kind == CallKind::kDeviceFree || kind == CallKind::kHostFree) ++allocs.frees, allocs.free_ns += ns;
  if (allocs.longest == kNone || ns > c.trace.host.dur_ns[allocs.longest]) allocs.longest = row;
  allocs.empty_cache |= c.Enclosing(row, [&](uint32_t at) {
    return c.trace.HostName(at).find("empty_cache") != std::string_view::npos;
  }) != kNone;
}

}  // namespace

DriverAllocs FindDriverAllocs(const Context& c) {
  DriverAllocs allocs;
  std::vector<uint32_t> rows;
  for (const uint32_t thread : c.rank.issuing_threads) {
    const auto range = c.trace.thread_rows[thread];
    for (uint32_t row = range.begin; row < range.end; ++row) {
      if (c.index.is_call(row) && c.InWindow(row) && IsAllocatorCall(c.index.call_kind(row)) && !Elsewhere(c, row))
        rows.push_back(row);
    }
  }
  if (rows.empty()) return allocs;
  const ConvSearches searches = FindConvSearches(c);
  std::set<size_t> steps;
  for (const uint32_t row : rows) {
    if (searches.Covers(c, row)) continue;
    Count(c, row, allocs);
    steps.insert(StepAt(c, c.trace.host.start_ns[row]));
  }
  steps.erase(SIZE_MAX);
  allocs.steps_with_calls = static_cast<uint32_t>(steps.size());
  return allocs;
}

namespace {

// Turns found by their launches may be parts of a step: then the calls must be spread over the whole window.
constexpr size_t kSlices = 8, kMinSlices = 5;

size_t SlicesWith(const Context& c, const DriverAllocs& allocs) {
  std::set<int64_t> slices;
  const int64_t length_ns = std::max<int64_t>(1, (c.end_ns - c.begin_ns) / static_cast<int64_t>(kSlices));
  for (const uint32_t row : allocs.calls) slices.insert((c.trace.host.start_ns[row] - c.begin_ns) / length_ns);
  return slices.size();
}

}  // namespace

bool IsSteady(const Context& c, const DriverAllocs& allocs) {
  if (allocs.calls.empty()) return false;
  const uint32_t counted = c.steps.counted();
  if (counted < 2) return allocs.turns >= kMinTurns;  // no steps: taken and given back, over and over
  if (allocs.steps_with_calls >= 2 && 2 * allocs.steps_with_calls >= counted) return true;
  return c.steps.source == analysis::StepSource::kKernelSequence && SlicesWith(c, allocs) >= kMinSlices;
}

analysis::WhatIf WithoutAllocs(const DriverAllocs& allocs) {
  analysis::WhatIf change;
  for (const uint32_t row : allocs.calls) change.RemoveCall(row);
  return change;
}

}  // namespace warpscope::rules
