// The importer of `intel_gpu_top -J`: a stream of JSON objects, one a sample, perhaps in an array that a killed tool
// never closed. docs/formats/intel_gpu_top.md. [one thread]
#pragma once

#include "import/importer.h"

namespace warpscope::import::intel_gpu_top {

extern const Importer kImporter;

}  // namespace warpscope::import::intel_gpu_top
