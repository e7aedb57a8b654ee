// Importer of what `nsys stats` prints: tables of totals as text or CSV -> Trace::summaries. See docs/formats/nsys.md.
// [one thread]
#pragma once

#include "import/importer.h"

namespace warpscope::import::nsys_stats {

extern const Importer kImporter;

}  // namespace warpscope::import::nsys_stats
