// Importer of the workload folder of rocprof-compute (formerly Omniperf): pmc_perf.csv (counters by dispatch),
// timestamps.csv, sysinfo.csv (the device), roofline.csv (measured peaks). docs/formats/rocprof_compute.md.
// [one thread]
#pragma once

#include "import/importer.h"

namespace warpscope::import::rocprof_compute {

extern const Importer kImporter;

}  // namespace warpscope::import::rocprof_compute
