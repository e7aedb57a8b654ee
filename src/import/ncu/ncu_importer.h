// Nsight Compute's reports (.ncu-rep): counters of single kernel launches, read without NVIDIA's library.
// Format: docs/formats/ncu.md. [one thread]
#pragma once

#include "import/importer.h"

namespace warpscope::import::ncu {

extern const Importer kImporter;

}  // namespace warpscope::import::ncu
