// Occupancy of one block shape with what would lift it; the limits of every compute capability.
#include "analysis/occupancy.h"

#include <fmt/format.h>

#include "view/format.h"
#include "view/tables/shared.h"

namespace warpscope::view {
namespace {

using analysis::BlockShape;
using analysis::Occupancy;

std::vector<Cell> Row(std::string_view change, const BlockShape& shape, const Occupancy& occupancy) {
  return {Text(change),
          Int(shape.threads),
          Int(shape.registers_per_thread),
          Int(shape.shared_bytes),
          Int(occupancy.active_blocks_per_sm),
          Int(occupancy.active_warps_per_sm),
          Number(occupancy.occupancy_pct),
          Text(analysis::LimiterText(occupancy.limiters)),
          Int(occupancy.blocks_by_warps),
          Int(occupancy.blocks_by_blocks),
          Int(occupancy.blocks_by_registers),
          Int(occupancy.blocks_by_shared)};
}

std::string ChangeText(const analysis::OccupancyStep& step) {
  switch (step.what) {
    case analysis::OccupancyStep::kRegisters: return fmt::format("{} registers", step.shape.registers_per_thread);
    case analysis::OccupancyStep::kShared: return fmt::format("{} shared", FormatBytes(step.shape.shared_bytes));
    case analysis::OccupancyStep::kBlockSize: return fmt::format("{} threads", step.shape.threads);
  }
  return "";
}

}  // namespace

Table OccupancyTable(const analysis::SmLimits& limits, const BlockShape& shape) {
  Table table;
  table.name = "occupancy";
  table.title = fmt::format(
      "Compute capability {}.{}: {} threads a block, {} registers a thread, {} shared memory a block", limits.cc_major,
      limits.cc_minor, shape.threads, shape.registers_per_thread, FormatBytes(shape.shared_bytes));
  table.columns = {{"change", "with", Kind::kText},
                   {"block_threads", "threads", Kind::kCount, 2},
                   {"registers_per_thread", "regs", Kind::kCount, 2},
                   {"shared_bytes", "shared", Kind::kBytes, 2},
                   {"blocks_per_sm", "blocks an SM", Kind::kCount},
                   {"warps_per_sm", "warps an SM", Kind::kCount},
                   {"occupancy_pct", "occupancy", Kind::kPct},
                   {"limiter", "limited by", Kind::kText},
                   {"blocks_by_warps", "blocks by warps", Kind::kCount, 5},
                   {"blocks_by_blocks", "by block limit", Kind::kCount, 6},
                   {"blocks_by_registers", "by registers", Kind::kCount, 5},
                   {"blocks_by_shared", "by shared memory", Kind::kCount, 5}};
  const Occupancy occupancy = analysis::ComputeOccupancy(limits, shape);
  table.rows.push_back(Row("as given", shape, occupancy));
  const auto steps = analysis::WhatWouldLift(limits, shape);
  for (const auto& step : steps) table.rows.push_back(Row(ChangeText(step), step.shape, step.occupancy));
  if (occupancy.active_blocks_per_sm == 0) {
    table.summary.push_back(fmt::format("This block cannot run on an SM at all; it fails by {}.",
                                        analysis::LimiterText(occupancy.limiters)));
  } else {
    table.summary.push_back(fmt::format("{} of {} warps fit on an SM at once ({}); limited by {}.",
                                        occupancy.active_warps_per_sm, limits.max_warps_per_sm,
                                        FormatPct(occupancy.occupancy_pct), analysis::LimiterText(occupancy.limiters)));
  }
  table.summary.push_back(steps.empty() ? "No single change of one number lifts it." : "What would lift it:");
  table.notes = {"Occupancy is room for hiding latency, not speed: many fast kernels run well below 100 %."};
  return table;
}

Table CapabilityTable() {
  Table table;
  table.name = "occupancy.limits";
  table.title = "Limits of an SM by compute capability";
  table.columns = {{"cc", "cc", Kind::kText},
                   {"max_warps_per_sm", "warps", Kind::kCount},
                   {"max_threads_per_sm", "threads", Kind::kCount},
                   {"max_blocks_per_sm", "blocks", Kind::kCount},
                   {"registers_per_sm", "registers", Kind::kCount},
                   {"shared_bytes_per_sm", "shared memory", Kind::kBytes},
                   {"shared_bytes_per_block_optin", "a block at most", Kind::kBytes},
                   {"shared_reserved_bytes", "reserved a block", Kind::kBytes, 2}};
  for (const analysis::SmLimits& limits : analysis::AllLimits()) {
    table.rows.push_back({Text(fmt::format("{}.{}", limits.cc_major, limits.cc_minor)), Int(limits.max_warps_per_sm),
                          Int(limits.max_threads_per_sm), Int(limits.max_blocks_per_sm), Int(limits.registers_per_sm),
                          Int(limits.shared_bytes_per_sm), Int(limits.shared_bytes_per_block_optin),
                          Int(limits.shared_reserved_bytes)});
  }
  return table;
}

}  // namespace warpscope::view
