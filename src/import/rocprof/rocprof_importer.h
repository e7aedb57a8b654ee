// Importer of the CSV tables of rocprof v1 (results.csv) and v2 (results_<pid>.csv). Their *_stats.csv have the columns
// of rocprofv3's and are read there. docs/formats/rocprof.md. [one thread]
#pragma once

#include "import/importer.h"

namespace warpscope::import::rocprof {

extern const Importer kImporter;

}  // namespace warpscope::import::rocprof
