#include "import/ascend/tables.h"

#include <cmath>

#include "import/ascend/folder.h"

namespace warpscope::import::ascend {
namespace {

// The most particular first.
constexpr Table kTables[] = {
    {"op_summary", "Op Name|Task Duration(us)", kOpSummary, &ReadOpSummary},
    {"kernel_details", "Name|Type|Accelerator Core|Start Time(us)|Duration(us)", kKernelDetails, &ReadKernelDetails},
    {"op_statistic", "OP Type|Core Type|Count|Total Time(us)", "", &ReadOpStatistic},
    {"api_statistic", "API Name|Time(us)|Count", "", &ReadApiStatistic},
    {"operator_details", "Name|Host Self Duration(us)|Host Total Duration(us)", "", &ReadOperatorDetails},
    {"step_trace_time", "Step|Computing|Communication(Not Overlapped)|Free", "", &ReadStepTraceTime},
    {"operator_memory", "Name|Size(KB)|Allocation Time(us)", "", &ReadOperatorMemory},
    {"memory_record", "Component|Timestamp(us)|Total Allocated(MB)|Total Reserved(MB)", "", &ReadMemoryRecord},
    {"npu_module_mem", "Component|Timestamp(us)|Total Reserved(MB)|Device", "", &ReadModuleMemory},
    {"l2_cache", "Stream Id|Task Id|Hit Rate|Victim Rate", "", &ReadL2Cache},
};

bool HasAll(const CsvReader& csv, std::string_view columns) {
  while (!columns.empty()) {
    const size_t bar = columns.find('|');
    if (!csv.Column(columns.substr(0, bar))) return false;
    if (bar == std::string_view::npos) break;
    columns.remove_prefix(bar + 1);
  }
  return true;
}

}  // namespace

const Table* FindTable(const CsvReader& csv) {
  for (const Table& table : kTables) {
    if (HasAll(csv, table.columns)) return &table;
  }
  return nullptr;
}

std::optional<int64_t> LengthNs(std::string_view text, int64_t unit_ns) {
  if (const auto exact = ParseTimeNs(text, unit_ns)) return exact;
  // "1.5e-05" and the like.
  const std::optional<double> number = ParseNumber(text, '.');
  if (!number || !(std::abs(*number) < 9e18 / static_cast<double>(unit_ns))) return std::nullopt;
  return static_cast<int64_t>(*number * static_cast<double>(unit_ns));
}

uint32_t DeviceOf(std::string_view text, Appender* out) {
  const size_t colon = text.rfind(':');
  const auto id = ParseCount(colon == std::string_view::npos ? text : text.substr(colon + 1));
  return id && *id < (uint64_t{1} << 32) ? out->Device(static_cast<int64_t>(*id)) : model::kNone;
}

std::optional<int64_t> MegabytesToBytes(std::string_view text) {
  const std::optional<double> number = ParseNumber(text, '.');
  constexpr double kMebibyte = 1048576, kMost = 1e12;
  if (!number || !(*number >= 0) || *number > kMost) return std::nullopt;
  return static_cast<int64_t>(std::llround(*number * kMebibyte));
}

}  // namespace warpscope::import::ascend
