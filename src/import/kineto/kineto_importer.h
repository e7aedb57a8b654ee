// The importer of torch.profiler / Kineto traces (and Chrome traces made like them). docs/formats/kineto.md.
// [one thread]; read() uses worker threads of its own.
#pragma once

#include "import/importer.h"

namespace warpscope::import::kineto {

extern const Importer kImporter;

}  // namespace warpscope::import::kineto
