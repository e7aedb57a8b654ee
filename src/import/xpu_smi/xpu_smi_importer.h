// The importer of `xpu-smi dump` (and xpumcli dump): CSV with one line a device and sample. docs/formats/xpu_smi.md.
// [one thread]
#pragma once

#include "import/importer.h"

namespace warpscope::import::xpu_smi {

extern const Importer kImporter;

}  // namespace warpscope::import::xpu_smi
