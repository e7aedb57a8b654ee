#include "import/chrome/dialect.h"

namespace warpscope::import::chrome {

#define WS_DIALECT(file, constant) extern const Dialect constant;
#include "import/chrome/dialects.def"
#undef WS_DIALECT
extern const Dialect kTracks;

const Dialect* FindDialect(const Signs& signs) {
  static const std::vector<const Dialect*> kAll = {
#define WS_DIALECT(file, constant) &constant,
#include "import/chrome/dialects.def"
#undef WS_DIALECT
      &kTracks,
  };
  for (const Dialect* dialect : kAll) {
    if (dialect->speaks(signs)) return dialect;
  }
  return nullptr;
}

}  // namespace warpscope::import::chrome
