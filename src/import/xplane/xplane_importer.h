// JAX and TensorFlow profiles: XSpace protobuf, *.xplane.pb (docs/formats/xplane.md).
// [one thread]
#pragma once

#include "import/importer.h"

namespace warpscope::import::xplane {

extern const Importer kImporter;

}  // namespace warpscope::import::xplane
