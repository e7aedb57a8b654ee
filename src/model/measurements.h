// Measurements: what tools record about a program or a device without a timeline - counters of single kernel launches
// (Nsight Compute, rocprof counters), totals by name (summary tables), and readings of a device (nvidia-smi).
// Rows of Trace, beside the timeline's tables. Texts are the recorded ones, units are kept as recorded unless a
// reader's page in docs/formats says that it converts. Absent as in trace.h. [MT] Values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/string_pool.h"

namespace warpscope::model {

// Absent, floating, integer or text.
using MetricValue = std::variant<std::monostate, double, uint64_t, StringId>;

// One metric of one profiled launch. Names and units as the tool writes them in base units ("gpu__time_duration.sum",
// "ns").
struct Metric {
  StringId name = kNoString;
  StringId unit = kNoString;  // kNoString: a plain number
  MetricValue value;
};

enum class AdviceKind : uint8_t { kOk, kNote, kWarning, kError, kOptimization };

// What the recording tool itself concluded about one launch. Shown as its words, never as ours.
struct Advice {
  StringId section = kNoString;  // "SpeedOfLight"
  StringId rule = kNoString;     // "SOLBottleneck"
  StringId title = kNoString, text = kNoString;
  AdviceKind kind = AdviceKind::kNote;
  std::optional<double> speedup_pct;  // as the tool estimates it, 0-100
  bool speedup_is_global = false;     // of the kernel's time; else of the part that the rule looks at
};

// One kernel launch as a counter tool measured it. Its clock is the tool's (replayed, often at locked clocks), so it
// has a duration and no place in time.
struct KernelProfile {
  uint32_t source = 0;            // row of sources
  uint32_t process = UINT32_MAX;  // row of processes; kNone if unknown
  uint32_t device = UINT32_MAX;   // row of devices; kNone if unknown
  uint64_t id = 0;                // as the tool numbers launches
  StringId name = kNoString;      // demangled, with arguments if recorded
  StringId mangled_name = kNoString;
  uint32_t config = UINT32_MAX;  // row of launch_configs; kNone if unknown
  int64_t context = -1, stream = -1;
  std::optional<int64_t> dur_ns;
  uint32_t metric_begin = 0, metric_end = 0;  // rows of Trace::metrics
  uint32_t advice_begin = 0, advice_end = 0;  // rows of Trace::advice
  uint32_t code = UINT32_MAX;                 // row of Trace::kernel_codes; kNone if not recorded
};

// The code of a profiled kernel, as far as the report carries it.
struct KernelCode {
  StringId sass = kNoString, ptx = kNoString;
  StringId source_file = kNoString;
  uint64_t cubin_bytes = 0;
};

enum class SummaryKind : uint8_t { kKernel, kCopy, kOperator, kApiCall, kCollective, kAnnotation, kOsCall, kStepPart };

// One line of a table of totals: the tool summed, the single events are gone.
struct SummaryRow {
  uint32_t source = 0;
  SummaryKind kind = SummaryKind::kKernel;
  StringId name = kNoString;
  StringId group = kNoString;  // the table's further key: core type, step, domain; kNoString if none
  std::optional<uint64_t> count;
  std::optional<int64_t> total_ns, min_ns, max_ns;
  std::optional<int64_t> rank;
};

// One value that a monitor read from a device (or from the machine: device kNone).
struct Reading {
  uint32_t source = 0;
  uint32_t device = UINT32_MAX;    // row of devices
  std::optional<int64_t> time_ns;  // epoch if the file tells it, else since the first sample; absent: a single look
  StringId name = kNoString;       // catalogue name where known ("temperature_gpu"), else as recorded
  StringId unit = kNoString;       // "celsius", "watts", "pct", "mib", "mhz" ...; kNoString for text and plain numbers
  std::optional<double> value;     // absent: see text; both absent: the tool said that it has no value
  StringId text = kNoString;       // of values that are no number ("Active", "P0", driver version)
};

}  // namespace warpscope::model
