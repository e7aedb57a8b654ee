#include "import/importer.h"
#include "import/kineto/kineto.h"

namespace warpscope::import {

const std::vector<const Importer*>& Importers() {
  static const std::vector<const Importer*> kAll = {
#define WS_IMPORTER(name) &name::kImporter,
#include "import/importers.def"
#undef WS_IMPORTER
  };
  return kAll;
}

}  // namespace warpscope::import
