// The importer of Intel unitrace's text: tables of totals ("=== Device Timing Summary ==="), and counters of single
// kernel launches (*.metrics.<pid>.csv). docs/formats/unitrace.md. Its chrome traces are read by src/import/kineto/.
// [one thread]
#pragma once

#include "import/importer.h"

namespace warpscope::import::unitrace {

extern const Importer kImporter;

}  // namespace warpscope::import::unitrace
