// Which of rocprofv3's CSV tables a header belongs to. Told from the columns, as file names are the user's.
// [MT] Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "import/csv/csv_reader.h"

namespace warpscope::import::rocprofv3 {

enum class CsvTable : uint8_t {
  kNone,
  kKernels,      // *_kernel_trace.csv
  kCalls,        // *_hip_api_trace, _hsa_api_trace, _marker_api_trace, _hip_compile_trace, _rccl_api_trace ...
  kCopies,       // *_memory_copy_trace.csv
  kAllocations,  // *_memory_allocation_trace.csv
  kScratch,      // *_scratch_memory_trace.csv
  kCounters,     // *_counter_collection.csv
  kTotals,       // *_stats.csv, also of rocprof v1 and v2
  kAgents,       // *_agent_info.csv
  kPcSamples,    // *_pc_sampling_*.csv
  kThreadTrace,  // stats_*.csv of a thread trace (ATT)
};

// REQUIRES: the reader has taken its header.
CsvTable TableOf(const CsvReader& csv);

// The part of a file's name that says which table it holds ("kernel_trace"); "" if there is none.
std::string_view TableInName(std::string_view path);

}  // namespace warpscope::import::rocprofv3
