// [MT] pure function.
#pragma once

#include "import/importer.h"

namespace warpscope::import::kineto {

Confidence Sniff(const Head& head);

}  // namespace warpscope::import::kineto
