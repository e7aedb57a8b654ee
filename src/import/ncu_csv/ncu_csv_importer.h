// Nsight Compute's CSV output: the details page (one row a metric or a rule) and the raw page (one row a kernel).
// Format: docs/formats/ncu.md. [one thread]
#pragma once

#include "import/importer.h"

namespace warpscope::import::ncu_csv {

extern const Importer kImporter;

}  // namespace warpscope::import::ncu_csv
