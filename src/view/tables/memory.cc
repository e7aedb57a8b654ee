// Memory by device, step or time.
#include <fmt/format.h>

#include "analysis/memory_usage.h"
#include "view/format.h"
#include "view/tables/shared.h"

namespace warpscope::view {
namespace {

using analysis::MemoryUsage;

std::string_view ShapeText(analysis::GrowthShape shape) {
  switch (shape) {
    case analysis::GrowthShape::kUnknown: return "too few steps to tell";
    case analysis::GrowthShape::kFlat: return "flat";
    case analysis::GrowthShape::kRamp: return "grows every step";
    case analysis::GrowthShape::kPlateau: return "levelled off";
    case analysis::GrowthShape::kSawTooth: return "grows and falls back";
  }
  return "";
}

Table ByDevice(const Subject& subject, const MemoryUsage& usage) {
  Table table;
  table.name = "memory";
  table.title = "Memory of the framework's allocator";
  table.columns = {{"device", "device", Kind::kName},
                   {"peak_allocated_bytes", "peak in use", Kind::kBytes},
                   {"peak_reserved_bytes", "peak reserved", Kind::kBytes},
                   {"unused_reserved_pct", "unused then", Kind::kPct, 3},
                   {"unused_reserved_bytes", "unused bytes", Kind::kBytes, 6},
                   {"start_allocated_bytes", "at start", Kind::kBytes, 4},
                   {"end_allocated_bytes", "at end", Kind::kBytes, 4},
                   {"allocations", "allocations", Kind::kCount, 1},
                   {"frees", "frees", Kind::kCount, 5},
                   {"allocated_bytes_total", "allocated in all", Kind::kBytes, 5},
                   {"growth", "step to step", Kind::kText},
                   {"growth_bytes_per_step", "a step", Kind::kBytes, 2},
                   {"steps_to_full", "steps to full", Kind::kNumber, 7},
                   {"peak_time_ns", "peak at", Kind::kTimeNs, 7},
                   {"absolute", "totals recorded", Kind::kText, kDataOnly}};
  for (const auto& device : usage.devices) {
    const bool judged = device.growth.shape != analysis::GrowthShape::kUnknown;
    table.rows.push_back({Text(DeviceLabel(subject.trace(), device.device)), Maybe(device.peak_allocated_bytes),
                          Maybe(device.peak_reserved_bytes), Maybe(device.unused_reserved_pct),
                          Maybe(device.unused_reserved_bytes), Maybe(device.start_allocated_bytes),
                          Maybe(device.end_allocated_bytes), Int(device.allocations), Int(device.frees),
                          Int(device.allocated_bytes_total), Text(ShapeText(device.growth.shape)),
                          judged ? Number(device.growth.bytes_per_step) : Cell{}, Maybe(device.growth.steps_to_full),
                          TimeCell(subject, device.peak_time_ns), Text(device.absolute ? "yes" : "no")});
  }
  table.notes = {"More: --by stack (who holds it), --by step, --by time."};
  return table;
}

Table ByStep(const Subject& subject, const MemoryUsage& usage) {
  Table table;
  table.name = "memory.step";
  table.title = "Memory in use, step by step";
  table.columns = {{"device", "device", Kind::kName},
                   {"step", "counted step", Kind::kId},
                   {"lowest_bytes", "lowest", Kind::kBytes},
                   {"peak_bytes", "peak", Kind::kBytes}};
  for (const auto& device : usage.devices) {
    const size_t count = std::min(device.level_per_step_bytes.size(), device.peak_per_step_bytes.size());
    for (size_t step = 0; step < count; ++step) {
      table.rows.push_back({Text(DeviceLabel(subject.trace(), device.device)), Int(step),
                            Number(device.level_per_step_bytes[step]), Number(device.peak_per_step_bytes[step])});
    }
  }
  return table;
}

Table ByTime(const Subject& subject, const MemoryUsage& usage) {
  Table table;
  table.name = "memory.time";
  table.title = "Memory in use over time";
  table.columns = {{"device", "device", Kind::kName},
                   {"time_ns", "at", Kind::kTimeNs},
                   {"allocated_bytes", "in use", Kind::kBytes},
                   {"reserved_bytes", "reserved", Kind::kBytes}};
  for (const auto& device : usage.devices) {
    for (const auto& point : analysis::MemoryTimeline(subject.index, device.device, subject.host_scope)) {
      table.rows.push_back({Text(DeviceLabel(subject.trace(), device.device)), TimeCell(subject, point.time_ns),
                            Int(point.allocated_bytes), Maybe(point.reserved_bytes)});
    }
  }
  return table;
}

}  // namespace

Table MemoryTable(const Subject& subject, MemoryBy by) {
  const MemoryUsage usage = analysis::SummarizeMemory(subject.index, subject.host_scope, subject.whole_steps());
  Table table;
  switch (by) {
    case MemoryBy::kDevice: table = ByDevice(subject, usage); break;
    case MemoryBy::kStep: table = ByStep(subject, usage); break;
    case MemoryBy::kTime: table = ByTime(subject, usage); break;
  }
  const auto& churn = usage.churn;
  if (churn.alloc_calls + churn.free_calls > 0) {
    std::string line = fmt::format(
        "The driver's own allocator was called {} times ({}) to allocate and {} times ({}) to free",
        FormatCount(static_cast<int64_t>(churn.alloc_calls)), FormatDurationNs(static_cast<double>(churn.alloc_ns)),
        FormatCount(static_cast<int64_t>(churn.free_calls)), FormatDurationNs(static_cast<double>(churn.free_ns)));
    if (churn.calls_per_step) line += fmt::format(", {} a step", FormatNumber(*churn.calls_per_step));
    table.summary.push_back(line + ".");
  }
  table.empty_text = "No memory events were recorded. For PyTorch: record with profile_memory=True.";
  return table;
}

}  // namespace warpscope::view
