// The CSV tables of Ascend profilers, each told by the columns of its header.
// [one thread]. Readers append what a table holds; a row that cannot be read is counted and passed over.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "import/appender.h"
#include "import/csv/csv_reader.h"

namespace warpscope::import::ascend {

struct Table {
  std::string_view id;              // "kernel_details"
  std::string_view columns;         // separated by '|': all must be there
  std::string_view representation;  // of tables with kernels; "" else
  // REQUIRES: the header was taken. Returns the number of rows that were used.
  Result<uint64_t> (*read)(CsvReader& csv, Appender* out);
};

// The table whose columns the header has; null if it is none of ours.
const Table* FindTable(const CsvReader& csv);

// kernel_tables.cc
Result<uint64_t> ReadKernelDetails(CsvReader& csv, Appender* out);
Result<uint64_t> ReadOpSummary(CsvReader& csv, Appender* out);
// total_tables.cc
Result<uint64_t> ReadOpStatistic(CsvReader& csv, Appender* out);
Result<uint64_t> ReadApiStatistic(CsvReader& csv, Appender* out);
Result<uint64_t> ReadOperatorDetails(CsvReader& csv, Appender* out);
Result<uint64_t> ReadStepTraceTime(CsvReader& csv, Appender* out);
// memory_tables.cc
Result<uint64_t> ReadOperatorMemory(CsvReader& csv, Appender* out);
Result<uint64_t> ReadMemoryRecord(CsvReader& csv, Appender* out);
Result<uint64_t> ReadModuleMemory(CsvReader& csv, Appender* out);
Result<uint64_t> ReadL2Cache(CsvReader& csv, Appender* out);

// Shared by the readers.
inline constexpr int64_t kUs = 1000;  // ns
inline constexpr int64_t kMs = 1000000;
// Whole ns of a length in us, which the tables write with up to 14 decimals; absent for N/A.
std::optional<int64_t> LengthNs(std::string_view text, int64_t unit_ns = kUs);
// "NPU:0" -> row of device 0; kNone if it names none.
uint32_t DeviceOf(std::string_view text, Appender* out);
// MB as the tables mean them (1,048,576 bytes).
std::optional<int64_t> MegabytesToBytes(std::string_view text);

}  // namespace warpscope::import::ascend
