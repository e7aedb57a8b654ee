// nvidia-smi: whatever it printed, alone or several outputs one after the other (docs/formats/nvidia_smi.md).
// [one thread]; see import/importer.h.
#pragma once

#include "import/importer.h"

namespace warpscope::import::nvidia_smi {

extern const Importer kImporter;

}  // namespace warpscope::import::nvidia_smi
