// DispatchTable: CSV tables with one row a kernel dispatch and a column a counter, as rocprof v1 and v2 and
// rocprof-compute (Omniperf) write them. With counters the rows become kernel profiles; without, they are the kernels
// of a timeline. [one thread] Sources: tblextr.py and the file plugin of github.com/ROCm/rocprofiler, workloads of
// github.com/ROCm/rocprofiler-compute.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "import/appender.h"
#include "import/csv/csv_reader.h"

namespace warpscope::import::amd {

enum class DispatchDialect : uint8_t { kNone, kRocprof1, kRocprof2, kCompute };

// REQUIRES: the reader has taken its header.
DispatchDialect DialectOf(const CsvReader& csv);

// Reads the rest of the table. `to`: its source is set up by the caller.
Status ReadDispatchTable(CsvReader* csv, const std::string& path, Appender* to);

}  // namespace warpscope::import::amd
