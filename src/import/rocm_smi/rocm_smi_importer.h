// Importer of what AMD's monitors print as JSON: `rocm-smi --json` and `amd-smi ... --json`. docs/formats/rocm_smi.md.
// [one thread]
#pragma once

#include "import/importer.h"

namespace warpscope::import::rocm_smi {

extern const Importer kImporter;

}  // namespace warpscope::import::rocm_smi
