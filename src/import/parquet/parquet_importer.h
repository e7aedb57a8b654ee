// Importer of run folders, Warpscope's own format of Parquet files (src/store/): its manifest, or a file beside it.
// [one thread]
#pragma once

#include "import/importer.h"

namespace warpscope::import::parquet {

extern const Importer kImporter;

}  // namespace warpscope::import::parquet
