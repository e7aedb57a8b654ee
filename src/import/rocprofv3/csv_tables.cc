#include "import/rocprofv3/csv_tables.h"

namespace warpscope::import::rocprofv3 {

CsvTable TableOf(const CsvReader& csv) {
  const auto has = [&](std::string_view column) { return csv.Column(column).has_value(); };
  const bool timed = has("Start_Timestamp") && has("End_Timestamp");
  if (has("Counter_Name") && has("Counter_Value") && has("Dispatch_Id")) return CsvTable::kCounters;
  if (timed && has("Kernel_Name") && has("Dispatch_Id") && has("Kind")) return CsvTable::kKernels;
  if (timed && has("Direction") && has("Kind")) return CsvTable::kCopies;
  if (timed && has("Domain") && has("Function")) return CsvTable::kCalls;
  if (timed && has("Operation") && has("Address") && has("Allocation_Size")) return CsvTable::kAllocations;
  if (timed && has("Operation") && has("Alloc_Flags")) return CsvTable::kScratch;
  if (has("Name") && has("Calls") && has("TotalDurationNs")) return CsvTable::kTotals;
  if (has("Node_Id") && has("Agent_Type") && has("Cu_Count")) return CsvTable::kAgents;
  if (has("Sample_Timestamp") && has("Instruction")) return CsvTable::kPcSamples;
  if (has("CodeObj") && has("Vaddr") && has("Hitcount")) return CsvTable::kThreadTrace;
  return CsvTable::kNone;
}

std::string_view TableInName(std::string_view path) {
  const size_t slash = path.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  constexpr std::string_view kTables[] = {"kernel_trace",
                                          "hip_api_trace",
                                          "hip_compile_trace",
                                          "hip_runtime_trace",
                                          "hip_trace",
                                          "hsa_api_trace",
                                          "hsa_core_trace",
                                          "hsa_trace",
                                          "marker_api_trace",
                                          "marker_trace",
                                          "rccl_api_trace",
                                          "rccl_trace",
                                          "memory_copy_trace",
                                          "memory_allocation_trace",
                                          "scratch_memory_trace",
                                          "rocdecode_api",
                                          "rocjpeg_api",
                                          "counter_collection",
                                          "agent_info",
                                          "kernel_stats",
                                          "hip_api_stats",
                                          "hip_stats",
                                          "hsa_api_stats",
                                          "hsa_stats",
                                          "marker_api_stats",
                                          "memory_copy_stats",
                                          "copy_stats",
                                          "memory_allocation_stats",
                                          "rccl_api_stats",
                                          "domain_stats",
                                          "scratch_memory_stats",
                                          "stats.csv",
                                          "results.json",
                                          "results.db"};
  for (const std::string_view table : kTables) {
    if (const size_t at = name.find(table); at != std::string_view::npos) return name.substr(at, table.size());
  }
  return {};
}

}  // namespace warpscope::import::rocprofv3
