// Perfetto protobuf traces: *.pftrace, *.perfetto-trace, perfetto-trace.proto (docs/formats/perfetto.md).
// [one thread]
#pragma once

#include "import/importer.h"

namespace warpscope::import::perfetto {

extern const Importer kImporter;

}  // namespace warpscope::import::perfetto
