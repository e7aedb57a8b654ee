// Which groups of device work ran in which sample, and for what share of it. See counter_attribution.h.
// [MT] Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "model/trace.h"

namespace warpscope::analysis {

// Device work that is taken to behave alike: one kind and name, and of kernels one grid and block.
struct WorkGroup {
  model::GpuKind kind = model::GpuKind::kKernel;
  model::StringId name = model::kNoString;
  uint32_t config = model::kNone;  // of its first row
  uint64_t rows = 0;
  int64_t total_ns = 0;
};

struct GroupShare {
  uint32_t group;
  float share;  // of the sample, 0-1
};

struct SampleRow {
  uint32_t sample;          // row of device_samples
  uint32_t window;          // row of counter_windows
  uint64_t shares_begin;    // into Overlaps::shares, up to that of the next row
  float busy;               // share in which anything ran, 0-1
  bool concurrent = false;  // kernels ran beside each other
};

struct Overlaps {
  std::vector<WorkGroup> groups;
  std::vector<SampleRow> rows;  // in order of device and time
  std::vector<GroupShare> shares;

  const GroupShare* begin(size_t row) const { return shares.data() + rows[row].shares_begin; }
  const GroupShare* end(size_t row) const {
    return shares.data() + (row + 1 < rows.size() ? rows[row + 1].shares_begin : shares.size());
  }
};

Overlaps FindOverlaps(const model::Trace& trace);

}  // namespace warpscope::analysis
