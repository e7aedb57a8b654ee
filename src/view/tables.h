// Table builders: one a command, each in src/view/tables/. They choose columns and words; the numbers are the
// analyses'. [MT] Pure functions; rows come in the analyses' total order.
#pragma once

#include <functional>
#include <string_view>

#include "analysis/index.h"
#include "analysis/occupancy.h"
#include "analysis/replay/simulator.h"
#include "analysis/steps.h"
#include "analysis/window.h"
#include "base/status.h"
#include "model/trace.h"
#include "view/table.h"

namespace warpscope::view {

// What a builder looks at. References must outlive the call.
struct Subject {
  const analysis::Index& index;
  const analysis::Steps& steps;
  analysis::Scope host_scope, device_scope;
  int64_t origin_ns = 0;  // times are shown relative to it
  bool of_steps = false;  // the scopes are those of the counted steps
  const model::Trace& trace() const { return index.trace(); }
  // The steps to divide sums by: null where only a part of the time was selected, which need not be whole steps.
  const analysis::Steps* whole_steps() const { return host_scope.window.everything() || of_steps ? &steps : nullptr; }
};

enum class OpsBy : uint8_t { kOp, kShape, kModule, kLine, kAnnotation };
enum class GapsBy : uint8_t { kCause, kSubject, kGap };
enum class CopiesBy : uint8_t { kKind, kCaller };
enum class SyncsBy : uint8_t { kCaller, kCall };
enum class LaunchesBy : uint8_t { kKernel, kSummary, kQueue };
enum class CountersBy : uint8_t { kKernel, kLaunch, kMetric, kAdvice };
enum class CollectivesBy : uint8_t { kName, kCall, kRank };
enum class MemoryBy : uint8_t { kDevice, kStep, kTime };
enum class StallsBy : uint8_t { kKernel, kLine, kInstruction };
enum class KernelsBy : uint8_t { kName, kGeometry, kCategory };
enum class HostBy : uint8_t { kLine, kFunction, kThread };
enum class PathBy : uint8_t { kWhat, kItem };

// Which rows a table of counters holds.
struct CountersQuery {
  std::function<bool(std::string_view kernel)> wants_kernel;
  std::function<bool(std::string_view metric)> wants_metric;
};

// Which kernels a table of stalls holds.
struct StallsQuery {
  std::function<bool(std::string_view kernel)> wants_kernel;
};

Table CountersTable(const Subject& subject, CountersBy by, const CountersQuery& query);
// Of counters that were sampled beside the timeline: one row a kernel and geometry.
Table SampledCountersTable(const Subject& subject, const CountersQuery& query);
Table KernelTable(const Subject& subject, KernelsBy by);
Table OperatorTable(const Subject& subject, OpsBy by);
Table HostTable(const Subject& subject, HostBy by);
Table GapTable(const Subject& subject, GapsBy by);
Table CopyTable(const Subject& subject, CopiesBy by);
Table SyncTable(const Subject& subject, SyncsBy by);
Table LaunchTable(const Subject& subject, LaunchesBy by);
Table StallTable(const Subject& subject, StallsBy by, const StallsQuery& query);
Table StepTable(const Subject& subject);
Table StreamTable(const Subject& subject);
Table DeviceTable(const Subject& subject);
Table CollectiveTable(const Subject& subject, CollectivesBy by);
Table MemoryTable(const Subject& subject, MemoryBy by);
Table CriticalPathTable(const Subject& subject, const analysis::Simulator& simulator, PathBy by);
Table LedgerTable(const model::Trace& trace);
// The table of facts, empty, and one fact that was written down of the machine (device -1) or a device.
Table EmptyEnvironmentTable(std::string title);
void AddRecordedFact(Table& table, int device, std::string_view name, std::string_view value);
Table EnvironmentTable(const Subject& subject);  // what the file says about its producer, devices and processes
Table OccupancyTable(const analysis::SmLimits& limits, const analysis::BlockShape& shape);
Table CapabilityTable();  // the limits of every known compute capability

}  // namespace warpscope::view
