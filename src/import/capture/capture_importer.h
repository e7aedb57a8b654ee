// Importer of the capture stream that the agent writes (src/wire/format.h). One file holds one process; the files of a
// run folder are one run. [one thread]
#pragma once

#include "import/importer.h"

namespace warpscope::import::capture {

extern const Importer kImporter;

}  // namespace warpscope::import::capture
